"""One row of the list as pieces: sign, order, name, and the size or value at the right edge."""

from __future__ import annotations

from rich.cells import cell_len

from workbench.tui.view.entries import HEADINGS, Cells, Row, cells, size_of
from workbench.tui.view.pieces import Line, Piece, Role, cut_text, outside, spread, width_of
from workbench.tui.view.sizes import CHARACTERS, Sizes

ORDER_WIDTH = 5
NAME_AT = 1 + 1 + ORDER_WIDTH + 1
"""Cursor bar, sign, order, blank."""
BARS_FROM = 44
"""Width from which sizes are drawn as bars too."""
BAR_CELLS = 10


def entry_line(
    row: Row,
    width: int,
    *,
    is_cursor: bool,
    has_focus: bool,
    is_changed: bool,
    largest: int,
    margin: int = 1,
    sizes: Sizes = CHARACTERS,
) -> tuple[Line, Role]:
    """The row in `width` cells, and its ground.

    `largest` is the size that fills a bar; 0: no bars. `margin` cells at the right edge stay free.

    A heading has the cursor when an entry of its group has it.
    """
    if row.heading is not None:
        role: Role = "strong" if has_focus and is_cursor else "soft"
        left = (Piece(" "), Piece(HEADINGS[row.heading], role, bold=True))
        gap = Piece("  " if row.remark else "")
        behind = (gap, Piece(row.total, "faint"), *_tail(width, 0, largest, margin))
        remark = row.remark
        if width_of((*left, *remark, *behind)) + 2 > width:
            remark = tuple(piece._replace(text=piece.text.removesuffix(" budget")) for piece in remark)
        return spread(left, (*remark, *behind), width), "base"
    if row.entry is None:
        return (), "base"
    shown = cells(row.entry, sizes)
    ground: Role = ("cursor" if has_focus else "cursor-idle") if is_cursor else "base"
    tail = _tail(width, size_of(row.entry, sizes), 0 if shown.wide_right else largest, margin)
    room = width - NAME_AT - width_of(tail)
    amount = cut_text(shown.right, room // 2 if shown.wide_right else room)
    name = cut_text(shown.name, max(1, room - cell_len(amount) - (1 if amount else 0)))
    pieces = (
        Piece("▌" if is_cursor and has_focus else " ", "focus"),
        _sign(shown, is_changed),
        Piece(cut_text(shown.order, ORDER_WIDTH).rjust(ORDER_WIDTH) + " ", "faint"),
        *outside(name, "strong" if is_cursor else shown.name_role, bold=is_cursor),
        Piece(" " * (room - cell_len(name) - cell_len(amount))),
        Piece(
            amount,
            "strong" if is_cursor and not shown.wide_right else shown.right_role,
            is_outside=shown.right_role == "value",
        ),
        *tail,
    )
    return pieces, ground


def _sign(shown: Cells, is_changed: bool) -> Piece:
    if shown.sign:
        return Piece(shown.sign, shown.sign_role, bold=True)
    return Piece("~" if is_changed else " ", "changed", bold=True)


def _tail(width: int, size: int, largest: int, margin: int) -> Line:
    """The margin at the right edge, and before it the bar where there is room for bars."""
    if width < BARS_FROM or largest <= 0:
        return (Piece(" " * margin),)
    bar = min(BAR_CELLS, max(1, round(BAR_CELLS * size / largest))) if size else 0
    return (Piece("  "), Piece("━" * bar, "rule"), Piece(" " * (BAR_CELLS - bar + margin)))
