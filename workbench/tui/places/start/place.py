"""The start screen: open a file by its path, one that was open before, or a sample."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widget import Widget

from workbench.tui.places.base import Place
from workbench.tui.view import frame
from workbench.tui.view.answer import Answer
from workbench.tui.view.frame import Tab
from workbench.tui.view.pieces import Line, Piece, cut, outside, spread
from workbench.tui.view.start import WIDEST, StartRow, start_rows
from workbench.tui.viewing.viewing import Topic, Viewing
from workbench.tui.widgets.bars import AnswerLine, KeyHints
from workbench.tui.widgets.inputs import SafeInput
from workbench.tui.widgets.lines import bindings_of
from workbench.tui.widgets.paint import Surface
from workbench.tui.widgets.row_list import DrawnRow, RowList
from workbench.tui.workers import start_worker


class StartList(RowList):
    """Rows with a cursor on those that can be opened."""

    def __init__(self) -> None:
        super().__init__(id="choices")
        self.rows: list[StartRow] = []

    def show_rows(self, rows: list[StartRow]) -> None:
        """Shows other rows; the cursor stays where it was, or goes to the first that can be opened."""
        self.rows = rows
        self.rows_changed(None)

    @property
    def chosen(self) -> StartRow | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) and self.can_rest(self.cursor) else None

    def row_count(self) -> int:
        return len(self.rows)

    def can_rest(self, row: int) -> bool:
        return self.rows[row].choice is not None

    def first_shown_with(self, row: int) -> int:
        return max(0, row - 1)

    def on_click(self, event: events.Click) -> None:
        """On the chosen row, one click opens."""
        if event.chain == 1 and self.row_at(event) == self.cursor:
            self.row_opened()

    def row_opened(self) -> None:
        self.screen.call_later(self.screen.run_action, "open")

    def draw_row(self, row: int, width: int) -> DrawnRow:
        line = self.rows[row].line
        if row != self.cursor:
            return (Piece(" "), *line), "base"
        bar = Piece("▌", "focus") if self.has_focus else Piece(" ")
        return (bar, *line), "cursor" if self.has_focus else "cursor-idle"


class Column(Surface, Vertical):
    """All of it, in the middle of a wide screen."""


WHAT = "path or name …"


class StartPlace(Place):
    """What shall be looked at?"""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("start")
    AUTO_FOCUS = "#choices"
    CSS_PATH = Path(__file__).parent / "style.tcss"
    tab = Tab("", "Start", "What shall be looked at?")
    where = "start"
    shows_scope = False

    def __init__(self, viewing: Viewing) -> None:
        super().__init__(viewing)
        self._samples: list[tuple[str, str]] = []
        self._refusal: Line = ()
        self._makes_new = False

    def panes(self) -> Iterable[Widget]:
        return ()

    def compose(self) -> ComposeResult:
        with Column():
            yield AnswerLine(id="title")
            yield AnswerLine(id="about")
            yield AnswerLine(id="open")
            yield SafeInput(placeholder=WHAT, id="path", compact=True)
            yield AnswerLine(id="refusal")
            yield StartList()
        yield KeyHints()

    def catch_up(self) -> None:
        super().catch_up()
        self._leave_field()

    @property
    def _is_over_a_file(self) -> bool:
        """It was asked for while something was looked at."""
        return self.viewing.subject is not None

    @property
    def choices(self) -> StartList:
        """The rows."""
        return self.query_one(StartList)

    def on_mount(self) -> None:
        start_worker(self, self._find_samples, group="samples")

    async def _find_samples(self) -> None:
        self._samples = await asyncio.to_thread(_samples)
        self.refresh_frame()

    def look_again(self, topic: Topic) -> None:
        """Nothing here depends on what is looked at."""

    def answer(self, *, short: bool) -> Answer:
        return Answer((Piece("Prompt Workbench", "strong", bold=True),))

    def show_target(self, target: object) -> None:
        """Why a file was not opened: its name and the reason."""
        if isinstance(target, tuple):
            name, reason = target
            self._refusal = cut(
                (Piece("× ", "failed", bold=True), *outside(str(reason) or str(name), "failed")), 500
            )
            self.refresh_frame()

    def refresh_frame(self) -> None:
        if not self.is_mounted or not self.children:
            return
        margin = frame.outer_margin(self.size.width)
        width = max(10, min(WIDEST, self.size.width - 2 * margin))
        home = os.path.expanduser("~")
        rows = start_rows(self.house.memory.recent, self._samples, width - 2, time.time(), home)
        for name in ("title", "about", "open", "refusal"):
            self.query_one(f"#{name}", AnswerLine).margin = 1
        kinds: Line = (Piece("a composition, a prompt file or a harness config", "faint"),)
        self.query_one("#title", AnswerLine).show((Piece("Prompt Workbench", "strong", bold=True),))
        self.query_one("#about", AnswerLine).show(
            (Piece("See what the model is about to read, who wrote each line, and what changed it.", "soft"),)
        )
        title = "New composition" if self._makes_new else "Open"
        self.query_one("#open", AnswerLine).show(
            spread((Piece(title, "soft", bold=True),), kinds if width >= 70 else (), width - 2)
        )
        self.query_one("#refusal", AnswerLine).show(self._refusal)
        self.choices.show_rows(rows)
        now = frozenset({"open"} if self._is_over_a_file else ())
        commands = [
            each for each in self.house.commands_of("start", "app") if each.id in _HINTED or each.where == "start"
        ]
        self.key_hints.show_bar(frame.key_hints(commands, self.size.width - 2 * margin, now))

    def on_resize(self) -> None:
        self.refresh_frame()

    # commands

    def action_open(self) -> None:
        row = self.choices.chosen
        if row is not None and row.choice is not None:
            self._open(row.choice.path)

    def action_type(self) -> None:
        self._makes_new = False
        self._ask(WHAT)

    def action_new(self) -> None:
        self._makes_new = True
        self._ask("where to write it, such as agent.yml")

    def action_forget(self) -> None:
        row = self.choices.chosen
        if row is not None and row.choice is not None and row.choice.is_recent:
            self.house.memory.forget(row.choice.path)
            self.refresh_frame()

    async def action_leave(self) -> None:
        if self.choices.has_focus and self._is_over_a_file:
            await self.house.go_back()
        else:
            self._leave_field()

    def _leave_field(self) -> None:
        self._makes_new = False
        field = self.query_one(SafeInput)
        field.value, field.placeholder = "", WHAT
        self.choices.focus()
        self.refresh_frame()

    def _ask(self, what: str) -> None:
        field = self.query_one(SafeInput)
        field.placeholder = what
        self._refusal = ()
        self.refresh_frame()
        field.focus()

    @on(SafeInput.Submitted)
    async def _typed(self, event: SafeInput.Submitted) -> None:
        path = event.value.strip()
        if path.startswith("~/"):
            path = os.environ.get("HOME", "~") + path[1:]
        if not path:
            return
        if self._makes_new:
            refusal = await asyncio.to_thread(_write_new, path)
            if refusal:
                self.show_target((path, refusal))
                return
            self._makes_new = False
        self._open(path)

    def _open(self, path: str) -> None:
        self._refusal = ()
        self.house.open_file(path)


_HINTED = ("app.theme", "app.quit", "app.palette", "app.help")


def _samples() -> list[tuple[str, str]]:
    from workbench.config.samples import samples

    return [(sample.name, sample.description) for sample in samples()]


def _write_new(path: str) -> str:
    """Writes a first composition; why not, if it was not written."""
    from workbench.config.first_file import composition

    try:
        with open(path, "x", encoding="utf-8", newline="\n") as file:
            file.write(composition("main", "", ("shell", "files", "todo")))
    except FileExistsError:
        return f"{os.path.basename(path)} is there already, and stays as it is; name another file"
    except OSError as error:
        return f"{os.path.basename(path)} cannot be written: {error.strerror or error}"
    return ""
