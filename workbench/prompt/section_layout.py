"""The entries of a plan as constants and slots in turn, so that a render is two copies and a join.

Source: docs/prompt-assembly.md 10.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from workbench.prompt.template import compile_text

if TYPE_CHECKING:
    from workbench.prompt.contributions import TextContribution

SEPARATOR = "\n\n"
_FIRST_BLANK_LINE = -1
"""Key of the slot in front of the first entry that always has a text."""


class SectionLayout:
    """Entries joined by a blank line; empty ones leave none.

    A slot is filled with the value of a variable, or with the whole text of one entry: of one whose text
    is not known before, may be empty, or was changed by a listener.
    """

    __slots__ = ("_constants", "_fetch", "_leading", "_literal", "_whole", "changed")

    def __init__(self, entries: list[TextContribution], changed: frozenset[int]) -> None:
        self.changed = changed
        """Entries whose text is not that of their registration."""
        compiled = [
            None if entry.provider is not None or index in changed else entry.compiled()
            for index, entry in enumerate(entries)
        ]
        certain = [index for index, pieces in enumerate(compiled) if pieces is not None and any(pieces[::2])]
        first_certain = certain[0] if certain else len(entries)
        constants: list[str] = [""]
        keys: list[str | int] = []
        whole: list[int] = []
        for index, pieces in enumerate(compiled):
            if pieces is None or not any(pieces[::2]):
                whole.append(index)
                keys.append(index)
                constants.append("")
                continue
            if index == first_certain:
                keys.append(_FIRST_BLANK_LINE)
                constants.append(pieces[0])
            else:
                constants[-1] += SEPARATOR + pieces[0]
            keys += pieces[1::2]
            constants += pieces[2::2]
        self._constants = ["" for _ in range(2 * len(constants) - 1)]
        self._constants[::2] = constants
        self._fetch = _fetcher(keys)
        self._leading = [index for index in whole if index < first_certain]
        """Entries in whole in front of which nothing certainly stands."""
        self._whole = whole[len(self._leading) :]
        self._literal = [entry.literal for entry in entries]

    def render(self, texts: list[str], variables: Mapping[str, str | None]) -> str | None:
        """The joined text, or None when something in it needs the exact scanner."""
        fillings: dict[Any, Any] = dict(variables)
        literal = self._literal
        blank_line = ""
        try:
            for index in self._leading:
                text = texts[index]
                if "{" in text and not literal[index]:
                    text = _interpolated(text, variables)
                if text:
                    text = blank_line + text
                    blank_line = SEPARATOR
                fillings[index] = text
            fillings[_FIRST_BLANK_LINE] = blank_line
            for index in self._whole:
                text = texts[index]
                if "{" in text and not literal[index]:
                    text = _interpolated(text, variables)
                fillings[index] = SEPARATOR + text if text else text
            pieces = self._constants.copy()
            pieces[1::2] = self._fetch(fillings)
            return "".join(pieces)
        except (KeyError, TypeError):
            return None


def _fetcher(keys: list[Any]) -> Callable[[Any], Any]:
    """A function that gives the values of all keys."""
    if len(keys) > 1:
        return itemgetter(*keys)
    return lambda fillings: [fillings[key] for key in keys]


def _interpolated(text: str, variables: Mapping[str, str | None]) -> str:
    """A text that was not compiled before. Raises `KeyError` or `TypeError` when it needs the exact scanner."""
    pieces = compile_text(text)
    if pieces is None:
        raise KeyError(text)
    for index in range(1, len(pieces), 2):
        pieces[index] = variables[pieces[index]]  # type: ignore[assignment]
    return "".join(pieces)
