"""The find bar: it stands on the line of the key hints while words are typed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message

from workbench.tui.view.pieces import Line, Piece
from workbench.tui.view.sizes import number
from workbench.tui.widgets.inputs import SafeInput
from workbench.tui.widgets.line import LineWidget


class _Hint(LineWidget):
    GROUND = "panel"


class FindBar(Horizontal):
    """What to find, and how often it was found."""

    DEFAULT_CSS = """
    FindBar { height: 1; background: $wb-panel; display: none; }
    FindBar #find-sign { width: 3; }
    FindBar SafeInput { width: 1fr; }
    FindBar #find-count { width: 40; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", show=False),
        Binding("down,ctrl+n", "step(1)", "Next", show=False),
        Binding("up,ctrl+p", "step(-1)", "Before", show=False, priority=True),
    ]

    @dataclass
    class Typed(Message):
        """Other words."""

        query: str

    @dataclass
    class Stepped(Message):
        """To the next hit, or the one before."""

        steps: int

    @dataclass
    class Closed(Message):
        """Done; `keep` says whether what was found stays picked out."""

        keep: bool

    def __init__(self, placeholder: str = "words in the text") -> None:
        super().__init__()
        self._placeholder = placeholder

    def compose(self) -> ComposeResult:
        yield _Hint(id="find-sign")
        yield SafeInput(placeholder=self._placeholder, id="find-query", compact=True)
        yield _Hint(id="find-count")

    def on_mount(self) -> None:
        sign = self.query_one("#find-sign", _Hint)
        sign.margin = 1
        sign.show((Piece("/", "focus", bold=True),))

    def open(self, query: str) -> None:
        """Shows the bar and takes the focus."""
        self.display = True
        field = self.query_one(SafeInput)
        field.value = query
        self.screen.set_focus(field)  # at once: keys that were typed ahead are words, not commands
        field.select_all()

    def show_count(self, position: int, count: int, query: str) -> None:
        """How many there are, and which one is the current one."""
        self._show(query, f"{number(position + 1)} of {number(count)}" if count else "")

    def show_missed(self, query: str, words: str) -> None:
        """They are in nothing that is sent, but it is known why; `words` says it in short."""
        self._show(query, words)

    def show_kept(self, kept: int, count: int, query: str) -> None:
        """The same for a filter: how many of all are shown."""
        self._show(query, f"{number(kept)} of {number(count)}" if kept else "")

    def _show(self, query: str, words: str) -> None:
        right: Line = (Piece("enter ", "strong", bold=True), Piece("done  ", "soft"))
        right = (*right, Piece("esc ", "strong", bold=True), Piece("forget", "soft"))
        left: Line = ()
        if query:
            left = (Piece(words, "text"),) if words else (Piece("not found", "failed"),)
        self.query_one("#find-count", _Hint).show(left, right)

    @on(SafeInput.Changed)
    def _tell_typed(self, event: SafeInput.Changed) -> None:
        event.stop()
        self.post_message(self.Typed(event.value))

    @on(SafeInput.Submitted)
    def _done(self, event: SafeInput.Submitted) -> None:
        event.stop()
        self._close(keep=True)

    def action_close(self) -> None:
        self._close(keep=False)

    def action_step(self, steps: int) -> None:
        self.post_message(self.Stepped(steps))

    def _close(self, *, keep: bool) -> None:
        self.display = False
        self.post_message(self.Closed(keep))
