"""Pieces of one line: text with the role of its colour. A widget paints them; a test reads them."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment

from workbench.visible import visible_line

Role: TypeAlias = Literal[
    "base",
    "panel",
    "raised",
    "cursor",
    "cursor-idle",
    "key",
    "rule",
    "strong",
    "text",
    "soft",
    "faint",
    "focus",
    "owner-harness",
    "owner-deployment",
    "owner-plugin",
    "owner-package",
    "owner-team",
    "value",
    "listener",
    "added",
    "added-line",
    "added-words",
    "removed",
    "removed-line",
    "removed-words",
    "changed",
    "kept",
    "broken",
    "pending",
    "running",
    "waiting",
    "failed",
    "failed-line",
]
"""A colour by its meaning: the only colours that a screen may name. Each theme file gives a value to all."""

ROLES: Final[tuple[Role, ...]] = get_args(Role)

OWNER_ROLES: Final[dict[str, Role]] = {
    "harness": "owner-harness",
    "deployment": "owner-deployment",
    "plugin": "owner-plugin",
    "package": "owner-package",
    "team": "owner-team",
}


class Piece(NamedTuple):
    """A run of text in one look."""

    text: str
    role: Role = "text"
    bold: bool = False
    underline: bool = False
    ground: Role | None = None
    """Background; None: that of the line."""
    is_outside: bool = False
    """Text from outside: its characters are shown as they are, also where our own signs have another form."""


Line: TypeAlias = tuple[Piece, ...]


def outside(text: str, role: Role = "text", *, bold: bool = False, underline: bool = False) -> Line:
    """Text from outside on one line, with its hidden characters as marks on the `key` ground."""
    shown = visible_line(text)
    if not shown.marks:
        return (Piece(str(shown), role, bold, underline, None, True),)
    pieces: list[Piece] = []
    behind = 0
    for start, end in shown.marks:
        if start > behind:
            pieces.append(Piece(shown[behind:start], role, bold, underline, None, True))
        pieces.append(Piece(shown[start:end], role, bold, underline, "key", True))
        behind = end
    if behind < len(shown):
        pieces.append(Piece(shown[behind:], role, bold, underline, None, True))
    return tuple(pieces)


def width_of(line: Line) -> int:
    """Cells that the line takes."""
    return sum([cell_len(piece.text) for piece in line])


def cut(line: Line, width: int) -> Line:
    """`line` in at most `width` cells; a cut one ends in `…`."""
    if width_of(line) <= width:
        return line
    if width <= 0:
        return ()
    kept: list[Piece] = []
    room = width - 1
    for piece in line:
        cells = cell_len(piece.text)
        if cells > room:
            kept.append(piece._replace(text=_cut_off(piece.text, room)))
            kept.append(piece._replace(text="…", is_outside=False))
            break
        kept.append(piece)
        room -= cells
    return tuple(kept)


def cut_text(text: str, width: int) -> str:
    """`text` in at most `width` cells; a cut one ends in `…`."""
    if cell_len(text) <= width:
        return text
    return _cut_off(text, width - 1) + "…" if width > 0 else ""


def _cut_off(text: str, width: int) -> str:
    return set_cell_size(text, width).rstrip()


def cropped(line: Line, start: int, width: int) -> Line:
    """`width` cells of a line from the cell `start` on; half of a wide character is a blank."""
    kept: list[Piece] = []
    for piece in line:
        cells = cell_len(piece.text)
        if start < cells and width > 0:
            text = Segment(piece.text).split_cells(start)[1].text if start > 0 else piece.text
            text = Segment(text).split_cells(width)[0].text
            kept.append(piece._replace(text=text))
            width -= cell_len(text)
        start = max(0, start - cells)
    return tuple(kept)


def spread(left: Line, right: Line, width: int, gap: int = 2) -> Line:
    """`left` and `right` at the two ends of `width` cells; the left one is cut first."""
    right_width = width_of(right)
    if right_width > width:
        right = cut(right, width)
        right_width = width_of(right)
    left_width, room = width_of(left), max(0, width - right_width - (gap if right else 0))
    if left_width > room:
        left = cut(left, room)
        left_width = width_of(left)
    return (*left, Piece(" " * (width - left_width - right_width)), *right)


def plain(line: Line) -> str:
    """The text of the line alone."""
    return "".join(piece.text for piece in line)
