"""A question that only a person's own key answers: nothing has the focus, and there is no default."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.strip import Strip

from workbench.tui.view.panel import wrapped
from workbench.tui.view.pieces import Line, Piece, width_of
from workbench.tui.view.question import Choice, Question
from workbench.tui.widgets.paint import Painted


class _Asked(Painted):
    """The lines of the question, with its buttons on the last one."""

    def __init__(self, question: Question) -> None:
        super().__init__()
        self._question = question
        self._lines: list[Line] = []
        self._regions: list[tuple[int, int, Choice]] = []

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return len(self._made(width))

    def _made(self, width: int) -> list[Line]:
        lines: list[Line] = [self._question.title, ()]
        for fact in self._question.facts:
            lines += wrapped(fact, max(8, width))
        return [*lines, (), self._buttons()]

    def _buttons(self) -> Line:
        line: Line = ()
        self._regions = []
        for choice in self._question.choices:
            start = width_of(line)
            key = Piece(f" {choice.key} ", "focus", bold=True, ground="key")
            line = (*line, key, Piece(f"{choice.word} ", "strong", ground="key"))
            self._regions.append((start, width_of(line), choice))
            line = (*line, Piece("   "))
        return (*line, Piece("esc", "strong", bold=True), Piece(" leaves it as it is", "soft"))

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        lines = self._made(width)
        return self.paint.strip(lines[y] if y < len(lines) else (), width, "raised")

    def on_click(self, event: events.Click) -> None:
        if event.y == len(self._made(self.size.width)) - 1:
            for start, end, choice in self._regions:
                if start <= event.x < end:
                    self.screen.dismiss(choice.value)


class Confirm(ModalScreen[bool]):
    """Dismisses with the value of the choice; with None when it was left."""

    DEFAULT_CSS = """
    Confirm { align: center top; background: $wb-base 70%; }
    Confirm > _Asked {
        width: 76; max-width: 100%; height: auto; max-height: 90%; margin-top: 3;
        border: round $wb-pending; background: $wb-raised; padding: 0 1;
    }
    """

    def __init__(self, question: Question) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        yield _Asked(self._question)

    def on_key(self, event: events.Key) -> None:
        event.stop()
        if event.key == "escape":
            self.dismiss(None)
            return
        for choice in self._question.choices:
            if event.character == choice.key:
                self.dismiss(choice.value)
