"""Characters that nobody sees, or that steer a terminal.

What counts is what `visible()` would mark. Tabs are text here, and so are joiners between letters that are
written with them, as in Persian or Hindi.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from workbench.check.finding import Finding
from workbench.check.rule import Rule
from workbench.check.rules.strings_of_tools import ToolString, strings_of
from workbench.check.subject import Subject
from workbench.visible import mark_of, visible, visible_line

_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that turn the reading direction."""
_JOINERS = frozenset("\u200c\u200d")
_SHOWN = 4
_MAYBE = re.compile(r"[^\n\t -~]")
"""A text without one of these has nothing to look for."""


def odd_characters(subject: Subject) -> Iterator[Finding]:
    """One finding for each text and kind, at the first such character."""
    for text in (*subject.texts, *subject.values, *subject.descriptions):
        for kind, offsets in _by_kind(text.text).items():
            yield text.finding(
                f"{text.title} holds {_counted(text.text, offsets)}",
                offset=offsets[0],
                remedy=_REMEDIES[kind],
                kind=kind,
            )
        for kind, offsets in _by_kind(text.name).items():
            yield text.finding(
                f"the name {visible_line(text.name)} holds {_counted(text.name, offsets)}",
                remedy=_REMEDIES[kind],
                kind=kind,
            )
    for tool in subject.tools:
        for string in strings_of(tool):
            yield from _in_schema(string)


def _in_schema(string: ToolString) -> Iterator[Finding]:
    for kind, offsets in _by_kind(string.text).items():
        message = f"the schema of tool {string.tool.view.name} holds {_counted(string.text, offsets)}"
        yield string.finding(message, remedy=_REMEDIES[kind], kind=kind)


def _by_kind(text: str) -> dict[str, list[int]]:
    """Offsets of what is wrong, by kind."""
    if _MAYBE.search(text) is None:
        return {}
    shown = visible(text)
    found: dict[str, list[int]] = {}
    for start, _end in shown.marks:
        offset = shown.to_source(start)
        kind = _kind(text, offset)
        if kind:
            found.setdefault(kind, []).append(offset)
    return found


def _kind(text: str, offset: int) -> str:
    character = text[offset]
    if character == "\t" or (character in _JOINERS and _joins(text, offset)):
        return ""
    return "control" if unicodedata.category(character) == "Cc" or character in _TURNING else "hidden"


def _joins(text: str, offset: int) -> bool:
    """Whether a joiner stands between letters of a script that needs it."""
    around = text[max(offset - 1, 0) : offset] + text[offset + 1 : offset + 2]
    return all(ord(each) >= 0x0590 and unicodedata.category(each)[0] in "LM" for each in around) and bool(around)


def _counted(text: str, offsets: list[int]) -> str:
    """Such as `3 characters that are not seen: ‹ZWSP› ×2, ‹BOM›`."""
    counts = Counter(mark_of(text[offset]) for offset in offsets)
    listed = [f"{mark} ×{count}" if count > 1 else mark for mark, count in counts.most_common(_SHOWN)]
    more = ", …" if len(counts) > _SHOWN else ""
    plural = "a character that is" if len(offsets) == 1 else f"{len(offsets)} characters that are"
    return f"{plural} not seen: {', '.join(listed)}{more}"


_REMEDIES = {
    "control": "remove it, or write what it stands for in letters",
    "hidden": "remove it: the model reads what nobody sees",
}

CHARACTERS = Rule(
    "characters",
    odd_characters,
    "Control characters and those that turn the reading direction; characters that are not seen.",
    ("control", "hidden"),
)
