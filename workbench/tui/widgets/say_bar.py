"""The line in which a message to an agent is typed; it stands on the line of the key hints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message

from workbench.tui.view.pieces import Piece, cut, outside, width_of
from workbench.tui.widgets.inputs import SafeInput
from workbench.tui.widgets.line import LineWidget


class _Sign(LineWidget):
    GROUND = "panel"


class SayBar(Horizontal):
    """What is said, sent with enter."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "close", "Close", show=False)]

    @dataclass
    class Said(Message):
        """The person has said it."""

        text: str

    @dataclass
    class Closed(Message):
        """Nothing is said."""

    def compose(self) -> ComposeResult:
        yield _Sign(id="say-sign")
        yield SafeInput(placeholder="enter sends, esc closes", id="say-text", compact=True)

    def on_mount(self) -> None:
        self.query_one("#say-sign", _Sign).margin = 1

    def open(self, name: str) -> None:
        """Shows the bar and takes the focus. `name`: who is talked to."""
        words = (Piece("message to ", "focus"), *outside(name, "focus", bold=True))
        words = cut(words, max(8, self.app.size.width // 3))
        sign = self.query_one("#say-sign", _Sign)
        sign.show(words)
        sign.styles.width = width_of(words) + 3
        self.add_class("-open")
        field = self.query_one(SafeInput)
        field.value = ""
        self.screen.set_focus(field)

    @on(SafeInput.Submitted)
    def _sent(self, event: SafeInput.Submitted) -> None:
        event.stop()
        self.remove_class("-open")
        self.post_message(self.Said(event.value))

    def action_close(self) -> None:
        self.remove_class("-open")
        self.post_message(self.Closed())
