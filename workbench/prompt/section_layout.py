"""The sections of a plan as one flat list of pieces, so that a render is a copy, some slots and a join.

Source: docs/prompt-assembly.md 10.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.prompt.template import compile_text

if TYPE_CHECKING:
    from workbench.prompt.contributions import TextContribution

SEPARATOR = "\n\n"


class SectionLayout:
    """Where each entry's pieces stand. Entries are joined by a blank line; empty ones leave none.

    An entry has a slot for the blank line in front of it and slots for its pieces. The text of an entry
    with a provider has one slot, as has any text that only the exact scanner can judge.
    """

    __slots__ = ("_literal", "_pieces", "_single", "_spans", "_variables")

    def __init__(self, entries: list[TextContribution]) -> None:
        pieces: list[str] = []
        variables: list[tuple[int, str]] = []
        single: list[int] = []
        spans: list[tuple[int, int]] = []
        for index, entry in enumerate(entries):
            start = len(pieces)
            compiled = None if entry.provider is not None else entry.pieces()
            if compiled is None or not any(compiled[::2]):
                single.append(index)
                pieces += ("", "")
            else:
                pieces.append(SEPARATOR)
                variables += [(start + 1 + offset, name) for offset, name in enumerate(compiled) if offset % 2]
                pieces += compiled
            spans.append((start, len(pieces)))
        self._pieces = pieces
        self._variables = variables
        self._single = single
        """Entries whose rendered text is put in whole: it may be empty, or is not known before."""
        self._spans = spans
        self._literal = [entry.literal for entry in entries]

    def render(
        self, texts: list[str], changed: Mapping[int, object] | None, variables: Mapping[str, str | None]
    ) -> str | None:
        """The joined text, or None when something in it needs the exact scanner.

        `changed` holds the entries whose text is not that of the plan.
        """
        pieces = self._pieces.copy()
        spans = self._spans
        literal = self._literal
        try:
            for slot, name in self._variables:
                pieces[slot] = variables[name]  # type: ignore[assignment]  # None makes the join fail
            for index in self._single:
                text = texts[index]
                if "{" in text and not literal[index]:
                    text = _interpolated(text, variables)
                if text:
                    slot = spans[index][0]
                    pieces[slot] = SEPARATOR
                    pieces[slot + 1] = text
            for index in changed or ():
                start, end = spans[index]
                text = texts[index]
                if "{" in text and not literal[index]:
                    text = _interpolated(text, variables)
                pieces[start:end] = [SEPARATOR if text else "", text, *[""] * (end - start - 2)]
            for start, _end in spans:
                if pieces[start]:
                    pieces[start] = ""  # nothing stands in front of the first text
                    break
            return "".join(pieces)
        except (KeyError, TypeError):
            return None


def _interpolated(text: str, variables: Mapping[str, str | None]) -> str:
    """A text that was not compiled before. Raises `KeyError` or `TypeError` when it needs the exact scanner."""
    pieces = compile_text(text)
    if pieces is None:
        raise KeyError(text)
    for index in range(1, len(pieces), 2):
        pieces[index] = variables[pieces[index]]  # type: ignore[assignment]
    return "".join(pieces)
