"""Where two requests part: what a provider's prefix cache can reuse, and what broke it.

Source: docs/sessions.md 6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from workbench.agent.log.canonical import canonical_bytes
from workbench.models.request import ModelRequest

Kind = Literal["cold", "route", "none", "system", "tools", "messages", "truncated"]

_FIRST_BLOCK = 4_096
_LAST_BLOCK = 65_536
"""Bytes that are compared at once: twice as many each time, up to so many."""
_CHARS_PER_TOKEN = 4
_GROUPS: tuple[tuple[bytes, Kind, str], ...] = (
    (b"S", "system", "system"),
    (b"T", "tools", "tool"),
    (b"M", "messages", "message"),
)
"""First byte of a line, kind and name of its segment, in the order of a request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """How a request goes on from the one before it."""

    kind: Kind
    byte_offset: int = 0
    """Canonical bytes that are reused."""
    char_offset: int = 0
    """Complete code points in them."""
    segment: str = ""
    """Where the first difference stands: "system", "tool[1]", "message[4]"; empty when there is none."""
    segment_start: int = 0
    """Byte offset at which that segment begins."""
    reused_tokens: int = 0
    is_estimate: bool = True
    """Whether the tokens were counted as a quarter of the characters."""
    logged_cause: str | None = None
    """What the log says about it: a header change, a replacement on the surface."""

    @property
    def is_break(self) -> bool:
        """Whether tokens that were in the cache have to be read anew."""
        return self.kind in ("route", "system", "tools", "messages")

    @property
    def shown(self) -> str:
        """The word that people are shown."""
        if self.kind == "none":
            return "appended" if self.segment else "same"
        return _SHOWN[self.kind]


_SHOWN: dict[Kind, str] = {
    "cold": "first",
    "route": "another route",
    "system": "changed",
    "tools": "changed",
    "messages": "changed",
    "truncated": "shortened",
}


def first_divergence(
    previous: ModelRequest | None,
    current: ModelRequest,
    *,
    logged_cause: str | None = None,
    count: Callable[[str], int] | None = None,
) -> Divergence:
    """Compare two consecutive requests of one session; `previous` is None for the first.

    `count` counts the tokens of a text exactly; without it they are estimated.
    """
    if previous is None:
        return Divergence(kind="cold", logged_cause=logged_cause)
    route = (previous.config.provider, previous.config.model)
    if route != (current.config.provider, current.config.model):
        return Divergence(kind="route", logged_cause=logged_cause)
    return compare_bytes(
        canonical_bytes(previous), canonical_bytes(current), logged_cause=logged_cause, count=count
    )


def compare_bytes(
    previous: bytes,
    current: bytes,
    *,
    logged_cause: str | None = None,
    count: Callable[[str], int] | None = None,
) -> Divergence:
    """`first_divergence` of canonical bytes on one route."""
    offset = shared_bytes(previous, current)
    reused = previous[: _whole_points(previous, current, offset)].decode("utf-8")
    line_start = previous.rfind(b"\n", 0, offset) + 1
    kind: Kind
    if offset == len(previous):
        kind, segment = "none", _segment(current, line_start)[1] if offset < len(current) else ""
    elif offset == len(current):
        kind, segment = "truncated", _segment(previous, line_start)[1]
    else:
        _, segment, kind = min(_segment(side, line_start) for side in (previous, current))
    return Divergence(
        kind=kind,
        byte_offset=offset,
        char_offset=len(reused),
        segment=segment,
        segment_start=line_start if segment else offset,
        reused_tokens=len(reused) // _CHARS_PER_TOKEN if count is None else count(reused),
        is_estimate=count is None,
        logged_cause=logged_cause,
    )


class NamedLine(NamedTuple):
    """A canonical line, with the group of parts that it belongs to and its name in it."""

    group: Literal["system", "tools", "messages"]
    name: str
    line: bytes


def difference_in_lines(
    before: NamedLine | None,
    after: NamedLine | None,
    offset: int,
    characters: int,
    *,
    logged_cause: str | None = None,
) -> Divergence:
    """`first_divergence` of two requests whose first `offset` bytes are the same lines, `characters` of text.

    `before` and `after` are the first lines that are not the same; None: the request ends there.
    """
    kind: Kind = "none"
    segment = after.name if after is not None else ""
    start, shared = offset, 0
    if before is not None and after is None:
        kind, segment = "truncated", before.name
    elif before is not None and after is not None:
        first = min(before, after, key=lambda each: _PLACES.index(each.group))
        kind, segment = first.group, first.name
        shared = shared_bytes(before.line, after.line)
        characters += len(before.line[: _whole_points(before.line, after.line, shared)].decode("utf-8"))
    return Divergence(
        kind=kind,
        byte_offset=start + shared,
        char_offset=characters,
        segment=segment,
        segment_start=start,
        reused_tokens=characters // _CHARS_PER_TOKEN,
        logged_cause=logged_cause,
    )


_PLACES = ("system", "tools", "messages")


def shared_bytes(first: bytes, second: bytes) -> int:
    """How many bytes both begin with alike."""
    shorter = min(len(first), len(second))
    start, block = 0, _FIRST_BLOCK
    while start < shorter and first.startswith(second[start : start + block], start):  # one copy, not two
        start += block
        block = min(2 * block, _LAST_BLOCK)
    if start >= shorter:
        return shorter
    end = min(start + block, shorter)
    while start < end:  # The first difference, if there is one, is in [start, end).
        middle = (start + end + 1) // 2
        if first.startswith(second[start:middle], start):
            start = middle
        else:
            end = middle - 1
    return start


def _whole_points(previous: bytes, current: bytes, offset: int) -> int:
    """`offset` cut back to the end of a whole code point."""
    while 0 < offset < min(len(previous), len(current)) and previous[offset] & 0xC0 == 0x80:
        offset -= 1
    return offset


def _segment(side: bytes, line_start: int) -> tuple[int, str, Kind]:
    """The line at `line_start`: place of its group, its name, and the kind of a difference in it."""
    letter = side[line_start : line_start + 1]
    place = next(place for place, group in enumerate(_GROUPS) if group[0] == letter)
    _, kind, name = _GROUPS[place]
    if kind == "system":
        return place, name, kind
    # JSON escapes line ends and tabs, so this stands at the beginning of a line and nowhere else.
    index = side.count(b"\n" + letter + b"\t", 0, line_start) + (line_start > 0 and side.startswith(letter))
    return place, f"{name}[{index}]", kind
