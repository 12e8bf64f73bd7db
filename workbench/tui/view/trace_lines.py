"""A row of the timeline as pieces: name, milliseconds, outcome, change, and its bars."""

from __future__ import annotations

from typing import Final, NamedTuple

from workbench.tui.view.pieces import Line, Piece, Role, cut, outside, spread, width_of
from workbench.tui.view.trace import Bar, TraceRow


class Columns(NamedTuple):
    """Cells of each column, without the gaps between them."""

    name: int
    time: int
    outcome: int
    change: int
    bars: int
    """0: there is no room for them."""


_LEAD: Final = 2
"""Cursor bar and a blank."""
_AFTER_TIME: Final = 3
"""Blanks between the numbers and the outcome; one everywhere else."""


def columns(width: int) -> Columns:
    """What a pane of that many cells has room for."""
    if width < 70:
        return Columns(max(10, width - _LEAD - 6 - _AFTER_TIME - 18), 5, 17, 0, 0)
    if width < 100:
        return Columns(26, 5, 17, width - _LEAD - 26 - 6 - _AFTER_TIME - 18 - 1, 0)
    if width < 150:
        return Columns(32, 5, 17, 20, width - _LEAD - 32 - 6 - _AFTER_TIME - 18 - 21)
    return Columns(40, 5, 22, 36, width - _LEAD - 40 - 6 - _AFTER_TIME - 23 - 37)


def milliseconds(nanoseconds: int) -> str:
    """`0.3`, `12`, `1,204`: short enough for its column; `0.02` and `0.004` for what is small."""
    value = nanoseconds / 1e6
    if value < 0.0095:
        return f"{value:.3f}"
    if value < 0.0995:
        return f"{value:.2f}"
    return f"{value:.1f}" if value < 99.95 else f"{value:,.0f}"


def heading(shape: Columns, total_ns: int, has_focus: bool) -> Line:
    """The names of the columns, and the axis."""
    role: Role = "strong" if has_focus else "soft"
    line: Line = (
        Piece(" " * _LEAD),
        *_cell((Piece("Stage", role, bold=True),), shape.name),
        Piece(" "),
        Piece("ms".rjust(shape.time), "soft"),
        Piece(" " * _AFTER_TIME),
        *_cell((Piece("Outcome", "soft", bold=True),), shape.outcome),
    )
    if shape.change:
        line = (*line, Piece(" "), *_cell((Piece("Change", "soft", bold=True),), shape.change))
    if shape.bars:
        end = f"{milliseconds(total_ns)} ms"
        middle = milliseconds(total_ns // 2)
        at = max(2, shape.bars // 2 - len(middle) // 2)
        left = f"0{' ' * (at - 1)}{middle}" if shape.bars >= 24 else "0"
        line = (*line, Piece(" "), Piece(left.ljust(shape.bars - len(end)) + end, "faint"))
    return line


def row_line(
    row: TraceRow, shape: Columns, total_ns: int, *, is_cursor: bool, has_focus: bool
) -> tuple[Line, Role]:
    """The row, and what it stands on."""
    bar = Piece("▌" if is_cursor and has_focus else " ", "focus")
    time = "–" if row.time_ns is None else milliseconds(row.time_ns)
    outcome: Line = (
        *((Piece(f"{row.sign} ", row.role, bold=True),) if row.sign else ()),
        Piece(row.outcome, row.role, bold=row.role == "failed" and is_cursor),
    )
    line: Line = (
        bar,
        Piece(" "),
        *_cell(_name(row, is_cursor), shape.name),
        Piece(" "),
        Piece(time.rjust(shape.time), "text" if row.time_ns is not None else "soft"),
        Piece(" " * _AFTER_TIME),
        *_cell(outcome, shape.outcome),
    )
    if shape.change:
        line = (*line, Piece(" "), *_cell(row.change, shape.change))
    if shape.bars:
        line = (*line, Piece(" "), *bars_line(row, shape.bars, total_ns))
    ground: Role = "base" if not is_cursor else "cursor" if has_focus else "cursor-idle"
    return line, ground


def bars_line(row: TraceRow, width: int, total_ns: int) -> Line:
    """Its work as thick lines, its waiting as dots; nothing is too short to be seen."""
    if row.listener is not None and row.listener.outcome == "not reached":
        return (Piece("not reached".rjust(width), "faint"),)
    cells: list[str] = [" "] * width
    for each in sorted(row.bars, key=lambda bar: not bar.is_waiting):
        start, end = _cells(each, width, total_ns)
        cells[start:end] = ("·" if each.is_waiting else "━") * (end - start)
    role: Role = "listener" if row.listener is not None else "soft"
    if row.role == "failed" and (row.listener is not None or row.outcome.startswith("failed")):
        role = "failed"
    line: Line = ()
    start = 0
    for at in range(1, width + 1):
        if at == width or cells[at] != cells[start]:
            line = (*line, Piece("".join(cells[start:at]), "faint" if cells[start] == "·" else role))
            start = at
    return line


def _cells(bar: Bar, width: int, total_ns: int) -> tuple[int, int]:
    start = min(width - 1, bar.start * width // total_ns)
    end = min(width, -(-bar.end * width // total_ns))
    return start, max(start + 1, end)


def _name(row: TraceRow, is_cursor: bool) -> Line:
    role: Role = "strong" if is_cursor else "text"
    if row.listener is None:
        return (Piece(row.name, role, bold=is_cursor),)
    branch = Piece("└ " if row.is_last_listener else "├ ", "faint")
    owner = outside(row.owner.plugin, "soft") if row.owner is not None else ()
    return (branch, *outside(row.name, role, bold=is_cursor), Piece("  "), *owner)


def _cell(line: Line, width: int) -> Line:
    line = cut(line, width)
    return spread(line, (), width) if width_of(line) < width else line
