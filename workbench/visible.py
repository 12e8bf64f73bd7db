"""The one door for outside text: whatever a widget or a terminal is about to show goes through here.

Characters that would steer a terminal, turn the reading direction, or stand in a text without being
seen become bracketed names such as `‹ESC›`. Everything else stays as it is, and positions map both ways.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

__all__ = ["VisibleText", "mark_of", "visible", "visible_line"]


class VisibleText(str):
    """Text that is safe to show, with the way back to the text that it was made from."""

    __slots__ = ("_lengths", "_sources", "_starts", "source_length")

    source_length: int
    """Code points of the original text."""
    _sources: tuple[int, ...]
    """Offset in the original of each replaced character, ascending."""
    _starts: tuple[int, ...]
    """Offset in this text of the mark that stands for it."""
    _lengths: tuple[int, ...]
    """Length of that mark."""

    def __new__(
        cls, text: str, source_length: int | None = None, marks: tuple[tuple[int, int, int], ...] = ()
    ) -> VisibleText:
        self = super().__new__(cls, text)
        self.source_length = len(text) if source_length is None else source_length
        self._sources, self._starts, self._lengths = zip(*marks, strict=True) if marks else ((), (), ())
        return self

    @property
    def marks(self) -> tuple[tuple[int, int], ...]:
        """Start and end, in this text, of each mark."""
        lengths = zip(self._starts, self._lengths, strict=True)
        return tuple((start, start + length) for start, length in lengths)

    def to_visible(self, offset: int) -> int:
        """The offset in this text of the character at `offset` of the original; its length maps to ours."""
        index = bisect_left(self._sources, offset)
        if index < len(self._sources) and self._sources[index] == offset:
            return self._starts[index]
        if index == 0:
            return offset
        return self._starts[index - 1] + self._lengths[index - 1] + offset - self._sources[index - 1] - 1

    def to_source(self, offset: int) -> int:
        """The offset in the original of the character at `offset` here; inside a mark, of the marked one."""
        index = bisect_right(self._starts, offset) - 1
        if index < 0:
            return offset
        behind_mark = offset - self._starts[index] - self._lengths[index]
        return self._sources[index] + (1 + behind_mark if behind_mark >= 0 else 0)


def visible(text: str, *, tab_stops: int = 0) -> VisibleText:
    """`text` over several lines: line ends stay, and tabs become blanks up to the next stop if asked for.

    Without `tab_stops` a tab becomes `‹TAB›`. A stop counts characters from the last line end.
    """
    return _replaced(text, _HIDDEN, tab_stops)


def visible_line(text: str) -> VisibleText:
    """`text` on a single line: a line end becomes `‹LF›`, a tab `‹TAB›`."""
    return _replaced(text, _HIDDEN_OR_LINE_END, 0)


def mark_of(character: str) -> str:
    """The bracketed name that stands for `character`."""
    code = ord(character)
    name = _NAMES.get(code)
    if name is None:
        name = _ranged_name(code)
    return f"‹{name}›"


def _replaced(text: str, hidden: re.Pattern[str], tab_stops: int) -> VisibleText:
    if hidden.search(text) is None:
        return VisibleText(text)
    pieces: list[str] = []
    marks: list[tuple[int, int, int]] = []
    shown = 0  # length of all pieces
    behind = 0  # where the untouched rest of the source begins
    for offset in _offsets(text, hidden):
        pieces.append(text[behind:offset])
        shown += offset - behind
        if text[offset] == "\t" and tab_stops:
            mark = " " * (tab_stops - _column(pieces) % tab_stops)
        else:
            mark = mark_of(text[offset])
        pieces.append(mark)
        marks.append((offset, shown, len(mark)))
        shown += len(mark)
        behind = offset + 1
    pieces.append(text[behind:])
    return VisibleText("".join(pieces), len(text), tuple(marks))


def _offsets(text: str, hidden: re.Pattern[str]) -> Iterator[int]:
    for match in hidden.finditer(text):
        offset = match.start()
        joint = _EMOJI_JOINT.get(match[0])
        if joint is None or offset == 0 or joint.match(text, offset - 1) is None:
            yield offset


def _column(pieces: list[str]) -> int:
    """Characters since the last line end."""
    column = 0
    for piece in reversed(pieces):
        line_end = piece.rfind("\n")
        if line_end >= 0:
            return column + len(piece) - line_end - 1
        column += len(piece)
    return column


def _ranged_name(code: int) -> str:
    if 0xE0020 <= code <= 0xE007E:  # a hidden copy of ASCII: say which character it hides
        return f"TAG {chr(code - 0xE0000)}" if code != 0xE0020 else "TAG SP"
    if 0xFE00 <= code <= 0xFE0F:
        return f"VS{code - 0xFE00 + 1}"
    if 0xE0100 <= code <= 0xE01EF:
        return f"VS{code - 0xE0100 + 17}"
    return f"U+{code:04X}"


_C0 = (
    "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI "
    "DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US"
)
_C1 = (
    "PAD HOP BPH NBH IND NEL SSA ESA HTS HTJ VTS PLD PLU RI SS2 SS3 "
    "DCS PU1 PU2 STS CCH MW SPA EPA SOS SGCI SCI CSI ST OSC PM APC"
)
_NAMES: dict[int, str] = {
    **dict(enumerate(_C0.split())),
    0x7F: "DEL",
    **dict(enumerate(_C1.split(), 0x80)),
    0x00AD: "SHY",
    0x034F: "CGJ",
    0x061C: "ALM",
    0x115F: "HCF",
    0x1160: "HJF",
    0x17B4: "KIVAQ",
    0x17B5: "KIVAA",
    0x180B: "FVS1",
    0x180C: "FVS2",
    0x180D: "FVS3",
    0x180E: "MVS",
    0x180F: "FVS4",
    0x200B: "ZWSP",
    0x200C: "ZWNJ",
    0x200D: "ZWJ",
    0x200E: "LRM",
    0x200F: "RLM",
    0x2028: "LS",
    0x2029: "PS",
    0x202A: "LRE",
    0x202B: "RLE",
    0x202C: "PDF",
    0x202D: "LRO",
    0x202E: "RLO",
    0x2060: "WJ",
    0x2061: "FA",
    0x2062: "IT",
    0x2063: "IS",
    0x2064: "IP",
    0x2066: "LRI",
    0x2067: "RLI",
    0x2068: "FSI",
    0x2069: "PDI",
    0x3164: "HF",
    0xFEFF: "BOM",
    0xFFA0: "HHF",
    0xE0001: "TAG",
    0xE007F: "TAG END",
}
_FORMAT = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_HIDDEN = re.compile(f"[\x00-\x09\x0b-\x1f\x7f-\x9f{_FORMAT}]")
_HIDDEN_OR_LINE_END = re.compile(f"[\x00-\x1f\x7f-\x9f{_FORMAT}]")

# A joiner and a presentation selector are part of what is seen beside pictographs, and hidden anywhere else.
_PICTOGRAPH = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf"
    "\u2934\u2935\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_SELECTED = re.compile(f"[{_PICTOGRAPH}].|[#*0-9]\ufe0f\u20e3")
_EMOJI_JOINT = {
    "\u200d": re.compile(f"[\ufe0f{_PICTOGRAPH}]\u200d[{_PICTOGRAPH}]"),
    "\ufe0e": _SELECTED,
    "\ufe0f": _SELECTED,
}
