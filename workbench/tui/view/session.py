"""How the place Session is drawn: a line per request with its prefix, and a sentence about all of them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from workbench.agent.log.rows import ANOTHER_ROUTE, RequestRow
from workbench.agent.log.timeline import Timeline
from workbench.agent.verdicts.verdict import NO_OWNER, Verdict
from workbench.tui.view.pieces import Line, Piece, Role, cut, outside, spread, width_of
from workbench.tui.view.prefix_line import Segment, prefix_line
from workbench.tui.view.session_rows import StepRow, StepRows
from workbench.tui.view.sizes import counted, number


class Columns(NamedTuple):
    """Cells of each column."""

    name: int
    time: int
    tokens: int
    bar: int
    kept: int
    news: int


_LEAD: Final = 2
_KEPT: Final = 9


def columns(width: int, *, has_times: bool) -> Columns:
    """What a pane of that many cells has room for."""
    time_cells = 8 if has_times and width >= 70 else 0
    bar = 90 if width >= 160 else 38 if width >= 100 else 20 if width >= 72 else max(0, width - 50)
    name = 7
    fixed = _LEAD + name + 1 + (time_cells + 2 if time_cells else 0) + 9 + 2 + bar + 1 + _KEPT + 2
    return Columns(name, time_cells, 9, bar, _KEPT, max(0, width - fixed))


def heading_line(shape: Columns, sign: str, has_focus: bool) -> Line:
    """The names of the columns."""
    role: Role = "strong" if has_focus else "soft"
    tokens = f"{sign} tok".strip()
    return (
        Piece(" " * _LEAD),
        Piece("Step".ljust(shape.name + 1), role, bold=True),
        *((Piece("time".ljust(shape.time + 2), "soft"),) if shape.time else ()),
        Piece(tokens.rjust(shape.tokens), "soft"),
        Piece("  "),
        Piece("prefix".ljust(shape.bar + 1) if shape.bar else " ", "soft"),
        Piece("kept".rjust(shape.kept), "soft"),
        Piece("  "),
        Piece(cut_word("what is new", shape.news), "soft"),
    )


def cut_word(word: str, width: int) -> str:
    return word if len(word) <= width else word[:width]


def row_line(row: StepRow, shape: Columns, most: int, *, is_cursor: bool, has_focus: bool) -> tuple[Line, Role]:
    """A line, and what it stands on. `most`: tokens of the longest request."""
    ground: Role = "base" if not is_cursor else "cursor" if has_focus else "cursor-idle"
    bar = Piece("▌" if is_cursor and has_focus else " ", "focus")
    if row.heading:
        return (bar, Piece(" "), *row.heading), ground
    mark = Piece("•", "focus", bold=True) if row.is_marked else Piece(" ")
    strong: Role = "strong" if is_cursor else "text"
    line: Line = (
        bar,
        mark,
        Piece(cut_name("  " * min(row.depth, 2) + row.name, shape.name), strong, bold=is_cursor or row.opens_turn),
        Piece(" "),
    )
    if shape.time:
        line = (*line, Piece(clock(row.time).ljust(shape.time + 2), "text" if row.time else "faint"))
    if row.request is None:
        return (*line, Piece("… being read", "faint")), ground
    verdict = row.request.verdict
    line = (*line, Piece(number(verdict.total).rjust(shape.tokens), strong), Piece("  "))
    if shape.bar:
        line = (*line, *_bar(verdict, shape.bar, most))
    else:
        line = (*line, Piece(" "))
    said = (*_session(row, shape.news), *news(row.request, is_cursor))
    line = (*line, *_kept(verdict, shape.kept), Piece("  "), *cut(said, shape.news))
    return line, ground


def _session(row: StepRow, room: int) -> Line:
    """Whose step it is, where the line above is of another session, and whether it only was copied."""
    back: Line = ()
    if row.back_to and room >= _ROOM:  # else only how far to the right its name stands says it
        back = (*outside(row.back_to, "soft"), Piece(": ", "soft"))
    return (*back, Piece("from the parent: ", "soft")) if row.is_copied else back


_ROOM: Final = 36
"""Cells from which on the name of a session stands before what is new."""


def cut_name(name: str, width: int) -> str:
    """The name of a request, at the right of its column."""
    return name.ljust(width) if len(name) <= width else f"{name[: width - 1]}…"


def _bar(verdict: Verdict, width: int, most: int) -> Line:
    cells = max(1, width * verdict.total // most) if most and verdict.total else 0
    line = prefix_line([segment_of(verdict)], min(width, max(2, cells)) if cells else 0)
    return (*line, Piece(" " * (width + 1 - width_of(line))))


def segment_of(verdict: Verdict) -> Segment:
    """A whole request as one segment of the prefix line."""
    rest = verdict.total - verdict.kept
    if verdict.is_break:
        return Segment(kept=verdict.kept, anew=rest, is_broken=True)
    return Segment(kept=verdict.kept, new=rest)


def _kept(verdict: Verdict, width: int) -> Line:
    if verdict.word == "first":
        return (Piece("first".rjust(width), "soft"),)
    if verdict.share is None:
        return (Piece("not known".rjust(width), "faint"),)
    share = f"{verdict.share:.1%}".replace("%", " %")
    if verdict.is_break:
        return (
            Piece("╳".rjust(width - len(share) - 1), "broken", bold=True),
            Piece(f" {share}", "strong", bold=True),
        )
    return (Piece(share.rjust(width), "text"),)


def news(row: RequestRow, is_cursor: bool = False) -> Line:
    """What is new in a request, in a few words."""
    verdict = row.verdict
    role: Role = "strong" if is_cursor else "text"
    facts: list[Line] = []
    if verdict.word == "another route":
        facts.append((Piece("another route", role),))
    elif verdict.part is not None:
        part = verdict.part
        owner: Line = outside(part.owner_words, role)
        facts.append((*owner, Piece(f" {part.action} ", role), *outside(part.name, role)))
    elif verdict.word not in ("first", "appended"):
        facts.append((Piece(verdict.word, role),))
    elif verdict.word == "first":
        facts.append((Piece("first request", role),))
    if row.header_reason == "resume" and verdict.part is None:
        facts.append((Piece("resumed", role),))
    if verdict.new_messages:
        facts.append((Piece(f"+ {counted(verdict.new_messages, 'message')}", role),))
    if row.failure is not None:
        facts.append((Piece("× failed", "failed"),))
    if row.is_interrupted:
        facts.append((Piece("interrupted", "soft"),))
    line: Line = ()
    for fact in facts:
        line = (*line, *((Piece(", ", "soft"),) if line else ()), *fact)
    return line


def clock(milliseconds: int | None) -> str:
    """The time of day, where one is known."""
    if not milliseconds:
        return "–"
    try:
        return time.strftime("%H:%M:%S", time.localtime(milliseconds / 1000))
    except (OverflowError, ValueError, OSError):
        return "?"


def session_sentence(rows: StepRows, *, short: bool) -> Line:
    """The answer: how many breaks, where, by whom, and what they cost."""
    steps, broken = rows.requests, rows.break_lines
    if not steps:
        return (Piece("No step yet.", "strong", bold=True),)
    if not broken:
        unknown = rows.unknown
        more = f" Of {counted(unknown, 'step')} it cannot be said: texts were not recorded." if unknown else ""
        return (Piece(f"No cache break in {counted(steps, 'step')}.", "strong", bold=True), Piece(more))
    head = f"{counted(len(broken), 'cache break')} in {counted(steps, 'step')}:"
    line: Line = (Piece("╳ ", "broken", bold=True), Piece(head, "strong", bold=True))
    last, owners = rows[broken[-1]], rows.break_owners
    more = f" and {len(owners) - 1} more" if len(owners) > 1 else ""
    if owners == [NO_OWNER]:
        by: Line = (Piece(f" {'last in ' * (len(broken) > 1)}step {last.name}, {NO_OWNER}"),)
    elif owners == [ANOTHER_ROUTE]:
        by = (Piece(f" {ANOTHER_ROUTE} {'last ' * (len(broken) > 1)}in step {last.name}"),)
    elif len(broken) == 1:
        by = (Piece(f" step {last.name}, by "), *outside(owners[0]))
    else:
        by = (Piece(" by "), *outside(f"{owners[0]}{more}"), Piece(f", last in step {last.name}"))
    line = (*line, *by)
    if not short:
        sign = "≈ " if rows.sign else ""
        line = (*line, Piece(f", {sign}{number(rows.lost)} tokens not reused"))
    return (*line, Piece("."))


def warnings_of(timelines: Sequence[Timeline | None]) -> Iterator[str]:
    """What is worth a warning, a sentence each. Outside text."""
    for timeline in timelines:
        for remark in timeline.remarks if timeline is not None else ():
            yield f"{remark.subject}, from step {remark.step} on: {remark.words}"


def legend() -> Line:
    """What the drawing means."""
    return (
        Piece("━", "kept"),
        Piece(" kept  ", "soft"),
        Piece("╍", "broken"),
        Piece(" read anew  ", "soft"),
        Piece("─", "soft"),
        Piece(" new", "soft"),
    )


def spread_right(left: Line, right: Line, width: int) -> Line:
    """Both at the ends of the width; the left one is cut first."""
    return spread(left, right, width)
