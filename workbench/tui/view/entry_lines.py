"""One row of the list as pieces: sign, order, name, and the size or value at the right edge."""

from __future__ import annotations

from rich.cells import cell_len

from workbench.tui.view.entries import Row
from workbench.tui.view.pieces import Line, Piece, Role, cut_text, outside, spread

ORDER_WIDTH = 5
NAME_AT = 1 + 1 + ORDER_WIDTH + 1
"""Cursor bar, sign, order, blank."""
BARS_FROM = 44
"""Width from which sizes are drawn as bars too."""
BAR_CELLS = 10


def entry_line(
    row: Row, width: int, *, is_cursor: bool, has_focus: bool, is_changed: bool, largest: int
) -> tuple[Line, Role]:
    """The row in `width` cells, and its ground. `largest` is the size that fills a bar; 0: no bars.

    A heading has the cursor when an entry of its group has it.
    """
    if row.heading is not None:
        role: Role = "strong" if has_focus and is_cursor else "soft"
        left = (Piece(" "), Piece(row.name, role, bold=True))
        return spread(left, (Piece(row.right, row.right_role), *_tail(width, None, largest)), width), "base"
    if row.key is None:
        return (), "base"
    ground: Role = ("cursor" if has_focus else "cursor-idle") if is_cursor else "base"
    bar = Piece("▌" if is_cursor and has_focus else " ", "focus")
    sign = Piece(row.sign or ("~" if is_changed else " "), row.sign_role if row.sign else "changed", bold=True)
    order = Piece(cut_text(row.order, ORDER_WIDTH).rjust(ORDER_WIDTH) + " ", "faint")
    name_role: Role = "strong" if is_cursor else row.name_role
    tail = _tail(width, row, largest)
    tail_width = sum(cell_len(piece.text) for piece in tail)
    room = width - NAME_AT - tail_width
    right_width = min(cell_len(row.right), room // 2 if row.wide_right else room)
    name_width = max(1, room - right_width - (1 if right_width else 0))
    name = cut_text(row.name, name_width)
    gap = " " * (room - cell_len(name) - right_width)
    right = cut_text(row.right, right_width)
    right_role = "strong" if is_cursor and not row.wide_right else row.right_role
    pieces = (
        bar,
        sign,
        order,
        *outside(name, name_role, bold=is_cursor),
        Piece(gap),
        Piece(" " * (right_width - cell_len(right)) + right, right_role),
        *tail,
    )
    return pieces, ground


def _tail(width: int, row: Row | None, largest: int) -> Line:
    """The margin at the right edge, and before it the bar where there is room for bars."""
    if width < BARS_FROM or largest <= 0 or (row is not None and row.wide_right):
        return (Piece(" "),)
    cells = round(BAR_CELLS * row.size / largest) if row is not None and row.size else 0
    if row is not None and row.size:
        cells = max(1, cells)
    return (Piece("  "), Piece("━" * cells, "rule"), Piece(" " * (BAR_CELLS - cells + 1)))
