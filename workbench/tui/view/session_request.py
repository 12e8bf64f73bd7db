"""The exact request of one step: system text, tools and messages, each part below a band with its owner."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from workbench.agent.log.rebuild import RebuiltRequest
from workbench.agent.verdicts.parts import Part, message_part
from workbench.tui.view.detail_rows import Block, Detail
from workbench.tui.view.difference import owner_band
from workbench.tui.view.entries import EntryKey
from workbench.tui.view.pieces import OWNER_ROLES, Line, Piece, Role, outside
from workbench.tui.view.sizes import counted, number
from workbench.tui.view.wrap import row_starts
from workbench.values.frozen import FrozenDict

MOST = 400_000
"""Characters of one part that are shown; behind them it is said how many more there are."""
MOST_OF_ALL = 8_000_000
"""Characters of all messages together, likewise."""
_NUMBER = 6
"""Cells of a line number and the blank behind it."""


def request_detail(rebuilt: RebuiltRequest, parts: Sequence[Part], width: int) -> Detail:
    """Everything that was sent. May take long: for threads."""
    return Detail(list(_blocks(rebuilt, parts, width)), width)


def _blocks(rebuilt: RebuiltRequest, parts: Sequence[Part], width: int) -> Iterator[Block]:
    header = rebuilt.header
    if rebuilt.mismatch is not None:
        words: Line = (Piece("× not what was sent: ", "failed", bold=True), *outside(rebuilt.mismatch))
    elif header.not_recorded:
        missing = " and ".join(sorted(header.not_recorded))
        words = (Piece(f"Rebuilt from the log; {missing} was not recorded, only a placeholder.", "changed"),)
    elif rebuilt.sent.digest is not None:
        words = (Piece("✓ ", "running"), Piece("Rebuilt from the log, equal to what was sent."))
    elif not rebuilt.nodes:
        words = (Piece("As it was captured; a capture holds no digest to compare with.", "soft"),)
    else:
        words = (Piece("Rebuilt from the log; it holds no digest to compare with.", "soft"),)
    yield Block([words, ()])
    listed = ", ".join(f"{key} {value}" for key, value in header.config.to_json().items())
    yield Block([(Piece("call  ", "soft"), *outside(listed)), ()])
    sections = [part for part in parts if part.kind == "section"]
    tools = [part for part in parts if part.kind == "tool"]
    yield Block([_heading("System text", f"{number(len(header.system or ''))} characters")])
    for part in sections:
        yield from _part(part, width)
    if not sections:
        yield Block([(Piece("none", "faint"),)])
    yield Block([(), _heading("Tools", counted(len(tools), "tool"))])
    for part in tools:
        yield from _part(part, width)
    yield Block([(), _heading("Messages", counted(len(rebuilt.messages), "message"))])
    yield from _messages(rebuilt.messages, width)


def _messages(messages: Sequence[FrozenDict], width: int) -> Iterator[Block]:
    """All of them; of a conversation that no screen can hold, the newest."""
    shown: list[list[Block]] = []
    characters, index = 0, len(messages)
    while index and characters < MOST_OF_ALL:
        index -= 1
        part = message_part(index, messages[index])
        characters += len(part.text)
        shown.append(list(_part(part, width)))
    if index:
        left = f"{counted(index, 'message')} before these: left out here, "
        yield Block([(Piece(left, "faint"), Piece("`workbench session --step` prints all.", "faint"))])
    for blocks in reversed(shown):
        yield from blocks


def _heading(title: str, fact: str) -> Line:
    return (Piece(title, "strong", bold=True), Piece(f"  {fact}", "soft"))


def _part(part: Part, width: int) -> Iterator[Block]:
    target = EntryKey(part.kind, part.name, "") if part.kind != "message" else None
    facts: Line = (Piece("owner not recorded", "faint"),) if part.owner is None else ()
    writers = list(dict.fromkeys(span.owner.plugin for span in part.spans if span.is_listener))
    if writers:
        facts = (Piece("» ", "listener", bold=True), *outside(", ".join(writers), "listener"))
    yield Block([owner_band(part.name, part.owner, facts, width + 1)], target=target, is_difference=True)
    role: Role = "soft" if part.owner is None else OWNER_ROLES.get(part.owner.kind, "owner-plugin")
    yield Block(TextRows(part.text.rstrip("\n") or " ", width, role), target=target, is_difference=True)


class TextRows:
    """A text wrapped into rows with line numbers; a row is drawn when it is seen."""

    def __init__(self, text: str, width: int, role: Role) -> None:
        self._role = role
        self._left_out = max(0, len(text) - MOST)
        self._lines = text[:MOST].split("\n")
        self._width = max(8, width - _NUMBER - 2)
        self._ends = array("Q")
        end = 0
        for line in self._lines:
            end += 1 if len(line) * 2 <= self._width else len(row_starts(_plain(outside(line)), self._width))
            self._ends.append(end)

    def __len__(self) -> int:
        return (self._ends[-1] if self._ends else 0) + bool(self._left_out)

    def __getitem__(self, row: int, /) -> Line:
        index = bisect_right(self._ends, row)
        bar = Piece("▎", self._role)
        if index >= len(self._lines):
            return (bar, Piece(f" … {number(self._left_out)} more characters", "faint"))
        nth = row - (self._ends[index - 1] if index else 0)
        line = outside(self._lines[index])
        lead = f"{index + 1:>{_NUMBER - 2}}  " if nth == 0 else " " * _NUMBER
        whole = _plain(line)
        starts = row_starts(whole, self._width) if len(whole) * 2 > self._width else [0]
        start = starts[nth] if nth < len(starts) else len(whole)
        stop = starts[nth + 1] if nth + 1 < len(starts) else len(whole)
        return (bar, Piece(lead, "faint"), *_between(line, start, stop))


def _plain(line: Line) -> str:
    return "".join(piece.text for piece in line)


def _between(line: Line, start: int, stop: int) -> Line:
    """The pieces between two characters."""
    found: list[Piece] = []
    at = 0
    for piece in line:
        low, high = max(start - at, 0), min(stop - at, len(piece.text))
        if low < high:
            found.append(piece._replace(text=piece.text[low:high]))
        at += len(piece.text)
    return tuple(found)
