"""The caption of a step: it stands above the key hints of whatever place is shown."""

from __future__ import annotations

from itertools import pairwise

from textual.geometry import Size
from textual.strip import Strip

from workbench.tui.view.frame import outer_margin
from workbench.tui.view.pieces import Line, Piece, spread
from workbench.tui.view.wrap import row_starts
from workbench.tui.widgets.paint import Painted

WIDEST = 96
"""Cells of running text."""


def caption_lines(caption: str, number: int, count: int, key: str, width: int, leave: str = "q") -> list[Line]:
    """The sentences, with the keys of the walk below them; `leave`: the one that quits here."""
    text_width = max(20, min(WIDEST, width))
    starts = [*row_starts(caption, text_width), len(caption)]
    lines: list[Line] = [(Piece(caption[start:end].rstrip(), "strong"),) for start, end in pairwise(starts)]
    keys: Line = (
        Piece("space", "strong", bold=True),
        Piece(" next   ", "soft"),
        Piece("backspace", "strong", bold=True),
        Piece(" back   ", "soft"),
        Piece(leave, "strong", bold=True),
        Piece(" quit", "soft"),
    )
    where: Line = (Piece(f"{number} of {count}", "faint"),)
    if key:
        where = (Piece("key ", "faint"), Piece(key, "soft", bold=True), Piece("   "), *where)
    return [*lines, spread(keys, where, text_width)]


class Caption(Painted):
    """The words of the present step."""

    DEFAULT_CSS = """
    Caption { height: auto; background: $wb-raised; dock: bottom; margin: 0 0 1 0; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._step: tuple[str, int, int, str] = ("", 0, 0, "")
        self._leave = "q"
        self._lines: list[Line] = []

    def show(self, caption: str, number: int, count: int, key: str, leave: str = "q") -> None:
        """Other words."""
        self._step, self._leave = (caption, number, count, key), leave
        self._lay_out()
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        self._lay_out(width)
        return len(self._lines)

    def on_resize(self) -> None:
        self._lay_out()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        margin = outer_margin(width)
        line = self._lines[y] if y < len(self._lines) else ()
        return self.paint.strip((Piece(" " * margin), *line), width, "raised")

    def _lay_out(self, width: int | None = None) -> None:
        width = width or self.size.width
        self._lines = caption_lines(*self._step, width - 2 * outer_margin(width), self._leave) if width else []
