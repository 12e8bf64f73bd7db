"""What a terminal shows after what was written to it: character and look of each cell."""

from __future__ import annotations

import re

from rich.cells import cell_len

Cells = dict[tuple[int, int], tuple[str, str]]
"""By row and column."""
_PIECE = re.compile(r"\x1b\[(\d+);(\d+)H|\x1b\[([\d;]*)m|([^\x1b\n])|\n")


def painted(written: str) -> Cells:
    """The cells that were written. Each line begins with its place."""
    cells: Cells = {}
    x = y = 0
    look = ""
    for row, column, style, character in _PIECE.findall(written):
        if row:
            y, x = int(row) - 1, int(column) - 1
        elif character:
            for _ in range(cell_len(character)):
                cells[y, x] = character, look
                x += 1
        else:
            look = style
    return cells
