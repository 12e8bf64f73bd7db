"""A sheet of text over the place, such as the help."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.strip import Strip

from workbench.tui.view.pieces import Line, Piece
from workbench.tui.widgets.bars import KeyHints
from workbench.tui.widgets.lines import Lines

MakeLines = Callable[[int], list[Line]]
"""The lines for a width in cells."""


class SheetLines(Lines):
    """The lines; moving scrolls."""

    DEFAULT_CSS = """
    SheetLines { padding: 1 2; height: 1fr; background: $wb-base; }
    """

    def __init__(self, make: MakeLines) -> None:
        super().__init__()
        self._make = make
        self._lines: list[Line] = []

    def move(self, steps: int) -> None:
        self.scroll_to_row(round(self.scroll_y) + steps)

    def move_to_end(self, *, last: bool) -> None:
        self.scroll_to_row(len(self._lines) if last else 0)

    def on_resize(self) -> None:
        width = self.scrollable_content_region.width
        self._lines = self._make(width)
        self.virtual_size = Size(width, len(self._lines))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        row = y + round(self.scroll_y)
        return self.paint.strip(self._lines[row] if row < len(self._lines) else (), width, "base")


class Sheet(ModalScreen[None]):
    """Covers the place until it is closed."""

    DEFAULT_CSS = """
    Sheet { background: $wb-base; }
    Sheet KeyHints { dock: bottom; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,o,question_mark,f1,enter", "dismiss", "Back", show=False),
    ]

    def __init__(self, make: MakeLines) -> None:
        super().__init__()
        self._make = make

    def compose(self) -> ComposeResult:
        yield SheetLines(self._make)
        yield KeyHints()

    def on_mount(self) -> None:
        hints = (Piece("esc", "strong", bold=True), Piece(" back   ", "soft"))
        self.query_one(KeyHints).show((*hints, Piece("↑ ↓", "strong", bold=True), Piece(" scroll", "soft")))
