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
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from workbench.tui.commands import commands_of
from workbench.tui.places.base import Place
from workbench.tui.view import frame
from workbench.tui.view.answer import Answer
from workbench.tui.view.frame import Tab
from workbench.tui.view.pieces import Line, Piece, cut, outside, spread
from workbench.tui.view.start import WIDEST, StartRow, start_rows
from workbench.tui.viewing.viewing import Topic, Viewing
from workbench.tui.widgets.bars import AnswerLine, KeyHints
from workbench.tui.widgets.inputs import SafeInput
from workbench.tui.widgets.lines import Lines, bindings_of


class StartList(Lines):
    """Rows with a cursor on those that can be opened."""

    def __init__(self) -> None:
        super().__init__(id="choices")
        self.rows: list[StartRow] = []
        self.cursor = -1

    def show_rows(self, rows: list[StartRow]) -> None:
        """Shows other rows; the cursor stays where it was, or goes to the first that can be opened."""
        self.rows = rows
        self.virtual_size = Size(self.size.width, len(rows))
        if not 0 <= self.cursor < len(rows) or rows[self.cursor].choice is None:
            self.cursor = self._next(-1, 1)
        self.refresh()

    @property
    def chosen(self) -> StartRow | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def move(self, steps: int) -> None:
        direction = 1 if steps > 0 else -1
        for _ in range(abs(steps)):
            self.cursor = self._next(self.cursor, direction)
        self._show_cursor()

    def move_to_end(self, *, last: bool) -> None:
        self.cursor = self._next(len(self.rows), -1) if last else self._next(-1, 1)
        self._show_cursor()

    def on_click(self, event: events.Click) -> None:
        row = event.y + round(self.scroll_y)
        if row < len(self.rows) and self.rows[row].choice is not None:
            again = row == self.cursor
            self.cursor = row
            self._show_cursor()
            if again or event.chain > 1:
                self.screen.call_later(self.screen.run_action, "open")

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        index = y + round(self.scroll_y)
        if index >= len(self.rows):
            return self.paint.blank(width, "base")
        line = self.rows[index].line
        if index != self.cursor:
            return self.paint.strip((Piece(" "), *line), width, "base")
        bar = Piece("▌", "focus") if self.has_focus else Piece(" ")
        return self.paint.strip((bar, *line), width, "cursor" if self.has_focus else "cursor-idle")

    def _next(self, index: int, direction: int) -> int:
        """The next row that can be opened in that direction, else the present one."""
        at = index + direction
        while 0 <= at < len(self.rows):
            if self.rows[at].choice is not None:
                return at
            at += direction
        return self.cursor

    def _show_cursor(self) -> None:
        self.bring_into_view(max(0, self.cursor - 1), self.cursor)
        self.refresh()


class Column(Vertical):
    """All of it, in the middle of a wide screen."""

    BLANK = True


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
        self.action_leave()

    @property
    def choices(self) -> StartList:
        """The rows."""
        return self.query_one(StartList)

    def on_mount(self) -> None:
        self.run_worker(self._find_samples(), exit_on_error=False)

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
        commands = [*commands_of("start"), *(each for each in commands_of("app") if each.id in _EVERYWHERE)]
        self.key_hints.show_bar(frame.key_hints(commands, self.size.width - 2 * margin))

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

    def action_leave(self) -> None:
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


_EVERYWHERE = ("app.theme", "app.quit", "app.palette", "app.help")


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
