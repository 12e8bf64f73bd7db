"""The findings of a check on a sheet of their own: a list to go through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.strip import Strip

from workbench.tui.view.findings import FindingRow, finding_rows
from workbench.tui.view.pieces import Piece
from workbench.tui.widgets.bars import KeyHints
from workbench.tui.widgets.lines import Lines

if TYPE_CHECKING:
    from workbench.check.finding import Finding


class FindingList(Lines):
    """Findings, each of several lines; the cursor is on a whole one."""

    DEFAULT_CSS = """
    FindingList { padding: 1 2; height: 1fr; background: $wb-base; }
    """

    def __init__(self, name: str, findings: Sequence[Finding]) -> None:
        super().__init__()
        self.findings = findings
        self.cursor = 0
        self._subject = name
        self._rows: list[FindingRow] = []

    def move(self, steps: int) -> None:
        """By findings for single steps, by lines for pages."""
        if not self.findings:
            return
        if abs(steps) > 1:
            at = self._lines_of(self.cursor)[0] + steps
            near = [row.finding for row in self._rows[: max(2, at + 1)] if row.finding is not None]
            self._put_cursor(near[-1] if near else 0)
        else:
            self._put_cursor(self.cursor + steps)

    def move_to_end(self, *, last: bool) -> None:
        self._put_cursor(len(self.findings) - 1 if last else 0)

    def on_resize(self) -> None:
        width = self.scrollable_content_region.width
        self._rows = finding_rows(self._subject, self.findings, width)
        self.virtual_size = Size(width, len(self._rows))
        self._put_cursor(self.cursor)

    def on_click(self, event: events.Click) -> None:
        row = event.y - self.gutter.top + round(self.scroll_y)
        index = self._rows[row].finding if 0 <= row < len(self._rows) else None
        if index is not None:
            self._put_cursor(index)

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        row = y + round(self.scroll_y)
        if row >= len(self._rows):
            return self.paint.blank(width, "base")
        line, index = self._rows[row]
        has_cursor = index is not None and index == self.cursor
        if has_cursor:
            line = (Piece("▌", "focus"), line[0]._replace(text=line[0].text[1:]), *line[1:])
        return self.paint.strip(line, width, "cursor" if has_cursor else "base")

    def _put_cursor(self, index: int) -> None:
        if self.findings:
            self.cursor = max(0, min(len(self.findings) - 1, index))
            first, last = self._lines_of(self.cursor)
            self.bring_into_view(0 if self.cursor == 0 else first, last)
        self.refresh()

    def _lines_of(self, index: int) -> tuple[int, int]:
        rows = [at for at, row in enumerate(self._rows) if row.finding == index]
        return (rows[0], rows[-1]) if rows else (0, 0)


class FindingsSheet(ModalScreen[int]):
    """Dismisses with the index of the finding to go to, or None."""

    DEFAULT_CSS = """
    FindingsSheet { background: $wb-base; }
    FindingsSheet KeyHints { dock: bottom; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f", "close", "Back", show=False),
        Binding("enter,right,l", "open", "Go to the entry", show=False),
    ]

    def __init__(self, name: str, findings: Sequence[Finding]) -> None:
        super().__init__()
        self._subject = name
        self._findings = findings

    def compose(self) -> ComposeResult:
        yield FindingList(self._subject, self._findings)
        yield KeyHints()

    def on_mount(self) -> None:
        keys = (
            (("enter", "go to the entry"), ("esc", "back"), ("↑ ↓", "next"))
            if self._findings
            else (("esc", "back"),)
        )
        hints = [(Piece(key, "strong", bold=True), Piece(f" {word}   ", "soft")) for key, word in keys]
        self.query_one(KeyHints).show(tuple(piece for hint in hints for piece in hint))

    def action_close(self) -> None:
        self.dismiss(None)

    def action_open(self) -> None:
        self.dismiss(self.query_one(FindingList).cursor if self._findings else None)
