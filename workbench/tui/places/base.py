"""The frame that all places have: context, tabs and answer above, key hints below."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Protocol, cast

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.errors import NoWidget
from textual.geometry import Offset
from textual.getters import query_one
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from workbench.prompt.source import Position, TextSource
from workbench.tui.command import Command, Where
from workbench.tui.memory import Memory
from workbench.tui.view import frame
from workbench.tui.view.answer import Answer, refused
from workbench.tui.view.frame import Tab
from workbench.tui.view.picker import Item
from workbench.tui.view.pieces import Line, Piece
from workbench.tui.viewing.situation import name_of, size_of, status_of
from workbench.tui.viewing.viewing import Topic, Viewing
from workbench.tui.widgets.bars import AnswerLine, BarWidget, ContextBar, KeyHints, TabBar
from workbench.tui.widgets.paint import Surface
from workbench.tui.widgets.quick_compositor import QuickCompositor
from workbench.tui.widgets.selecting import Selectable

TABS: tuple[Tab, ...] = (
    Tab("1", "Prompt", "What will the model read?"),
    Tab("2", "Trace", "How did it come to be?"),
    Tab("3", "Registry", "What is registered, by whom, in which layer?"),
    Tab("4", "Session", "What happened, step by step?"),
    Tab("5", "Packages", "What was added while it runs, and by whom?"),
    Tab("6", "Team", "What has the team made of it?"),
)
"""Only places that exist. The module of one is `places.<title in lower case>.place`."""


def tab_of(title: str) -> Tab:
    """The tab of the place with that title; raises `KeyError`."""
    return next((tab for tab in TABS if tab.title == title), None) or _unknown(title)


def _unknown(title: str) -> Tab:
    raise KeyError(title)


DONE: Line = (Piece("✓ ", "running"),)
AIRY_FROM = 30
"""Lines of a screen on which some stay free."""
SLOW_SECONDS = 0.3
"""Work that takes longer is told."""
SAID_SECONDS = 2.0
"""How long a word for a moment stands on the answer line."""


class House(Protocol):
    """What a place may ask of the app."""

    memory: Memory
    """What is remembered from start to start: a place may keep its layout there."""

    async def go_to(self, title: str, target: object = None) -> None:
        """Shows another place; it finds there what it knows as a `target`."""

    async def go_back(self) -> None:
        """Shows what was looked at before the last jump."""

    def copy(self, text: str, done: Callable[[str], object]) -> None:
        """Copies, and says then which way it went."""

    def open_file(self, path: str) -> None:
        """Looks at another file, or at the sample of that name."""

    def leave_spot(self) -> None:
        """The person is about to jump away from what they look at: `back` will lead to it."""

    def commands_of(self, *where: str) -> Iterable[Command]:
        """Commands with the keys of this person."""

    def key_of(self, command_id: str) -> str:
        """The key of a command as this person has it, for a sentence; empty: it has none."""


COMPACT = "app.compact"
"""In the memory of the layout: lines stay free on no screen, as on a small one."""


class Body(Surface, Container):
    """The panes, side by side or one at a time; nothing is drawn between them."""


class Place(Surface, Screen[None]):
    """A screen that answers one question about what is looked at.

    Subclasses give the panes, the answer, and `look_again`. They read `viewing` and hold no truth of their own.
    """

    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - declared by Textual as an instance variable
        (0, "-tiny"),
        (60, "-narrow"),
        (80, "-small"),
        (100, "-middle"),
        (160, "-large"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-flat"),
        (16, "-low"),
        (24, "-short"),
        (AIRY_FROM, "-tall"),
    ]
    tab: Tab
    where: ClassVar[Where]
    """The first part of the ids of its commands."""
    shows_scope = True
    """The context bar names the scope and lets it be chosen."""

    context_bar = query_one(ContextBar)
    tab_bar = query_one(TabBar)
    answer_line = query_one(AnswerLine)
    key_hints = query_one(KeyHints)

    @dataclass
    class Arrived(Message):
        """A place is on the screen for the first time and can be told what to look at."""

        place: Place

    def __init__(self, viewing: Viewing) -> None:
        super().__init__()
        self._compositor = QuickCompositor()
        self.viewing = viewing
        self._version = -1

    # what a place gives

    @abstractmethod
    def panes(self) -> Iterable[Widget]:
        """What stands between answer and key hints, inside `#body`."""
        raise NotImplementedError

    def below(self) -> Iterable[Widget]:
        """What stands between the panes and the key hints."""
        return ()

    @abstractmethod
    def answer(self, *, short: bool) -> Answer:
        """To the question of the place; `short`: on a narrow screen."""
        raise NotImplementedError

    @property
    def current_tab(self) -> str:
        """Title of the tab that is marked."""
        return self.tab.title

    @property
    def now(self) -> frozenset[str]:
        """What is the case, for key hints that help only then (`Command.when`)."""
        return frozenset()

    @abstractmethod
    def look_again(self, topic: Topic) -> None:
        """Shows `viewing` as it is now. Called only while the place is on the screen, and when it comes back."""
        raise NotImplementedError

    def packages_changed(self) -> None:
        """Some dynamic package is another one, or a request has come or gone; the frame is shown again anyhow."""

    def jumps(self) -> list[Item]:
        """What the palette can jump to here."""
        return []

    def jump(self, item_id: str) -> None:
        """Goes to one of them."""

    def spot(self) -> object:
        """What is looked at here, as `show_target` takes it; None: nothing in particular."""
        return None

    def source(self) -> TextSource | Position | None:
        """Where in a file the thing stands that is looked at; None: it stands in none that is known."""
        return None

    def text_to_save(self) -> tuple[str, str] | None:
        """The text of what is looked at, as a copy of it would be, and a name for a file of it."""
        return None

    def show_target(self, target: object) -> None:
        """Somebody came here from another place for that; what it is, the place says."""

    # the frame

    def compose(self) -> ComposeResult:
        self._take_size_classes()
        yield ContextBar()
        yield TabBar()
        yield AnswerLine()
        with Body(id="body"):
            yield from self.panes()
        yield from self.below()
        yield KeyHints()

    def _take_size_classes(self) -> None:
        """Before anything has a style: the first resize would have all of it styled once more."""
        size = self.app.size
        found = self._get_breakpoint_classes(size.width, self.HORIZONTAL_BREAKPOINTS)
        found |= self._get_breakpoint_classes(size.height, self.VERTICAL_BREAKPOINTS)
        self.update_classes(dict.fromkeys(found, True), update=False)

    def update_node_styles(self, animate: bool = True) -> None:
        """Not when it comes to the screen for the first time: all in it has just been styled."""
        classes, self._styled_as = self._styled_as, self.classes
        if classes is not None or self._composed_as != self.classes:
            super().update_node_styles(animate)

    _composed_as: frozenset[str] = frozenset()
    _styled_as: frozenset[str] | None = None
    """The classes for which it was last styled as a whole, after it was composed."""

    def on_mount(self) -> None:
        self._composed_as = self.classes
        self.refresh_frame()
        self.post_message(self.Arrived(self))

    def told(self, topic: Topic) -> None:
        """Something is another now, and this place is on the screen."""
        if not self.is_mounted or not self.children:
            return
        if topic == "packages":
            self.packages_changed()
        elif topic != "frame":
            self._version = self.viewing.version
            self.look_again(topic)
        self.refresh_frame()

    def catch_up(self) -> None:
        """The place is on the screen again; what happened meanwhile is shown."""
        if self._version != self.viewing.version:
            self.told("preview")
        else:
            self.refresh_frame()

    @property
    def status(self) -> frame.Status:
        """The word at the right end of the first line."""
        return status_of(self.viewing)

    @contextmanager
    def while_working(self, words: str) -> Iterator[None]:
        """Work that is begun here; when it takes a while the answer line says so. `words`: fit to be shown."""
        timer = self.set_timer(SLOW_SECONDS, partial(self._tell_work, words), name="working")
        try:
            yield
        finally:
            timer.stop()
            self._tell_work("")

    def _tell_work(self, words: str) -> None:
        if words != self._slow_work:
            self._slow_work = words
            self.refresh_frame()

    _slow_work = ""

    @property
    def selected_text(self) -> str | None:
        """What is selected with the mouse, in whichever pane; None: nothing."""
        panes = (pane for pane in self.selections if isinstance(pane, Selectable))
        return next((text for text in (pane.selected_text for pane in panes) if text), None)

    @property
    def is_airy(self) -> bool:
        """Lines are left free between groups: there is room for them, and the person has not said no."""
        return self.size.height >= AIRY_FROM and not self.house.memory.layout.get(COMPACT, False)

    def _get_breakpoint_classes(self, dimension: int, breakpoints: list[tuple[int, str]]) -> set[str]:
        """The size classes; a compact screen is never a tall one."""
        found = super()._get_breakpoint_classes(dimension, breakpoints)
        return {"-short"} if "-tall" in found and self.house.memory.layout.get(COMPACT, False) else found

    def refresh_frame(self) -> None:
        """The lines around the panes."""
        if not self.is_mounted:
            return
        viewing, width = self.viewing, self.size.width
        inner_width = width - 2 * frame.outer_margin(width)
        short = width < 100
        has_choice = viewing.subject is not None and len(viewing.subject.scopes) > 1
        scope = viewing.scope if has_choice and self.shows_scope else None
        self.context_bar.show_bar(
            frame.context_bar(name_of(viewing), scope, size_of(viewing), self.status, inner_width, short=short)
        )
        packages = viewing.subject.packages if viewing.subject is not None else None
        asked = packages.waiting_count if packages is not None else 0
        self.tab_bar.show_bar(
            frame.tab_bar(TABS, self.current_tab, self.tab.question, width - 2, badges={"Packages": asked})
        )
        lack = viewing.subject.lacks.get(self.tab.title) if viewing.subject is not None else None
        if self._slow_work:
            answer = Answer((Piece("◐ ", "pending"), Piece(f"{self._slow_work} …", is_outside=True)))
        elif lack is not None:
            answer = Answer((Piece("– ", "soft"), Piece(lack)))
        elif viewing.problems and viewing.past is None:
            answer = refused(viewing.problems, has_good_state=False)
        else:
            answer = self.answer(short=short)
        has_room = width >= 60 or not answer.sentence
        self.answer_line.show(answer.sentence, answer.fact if has_room else ())
        commands = self.house.commands_of(self.where, "app")
        if viewing.subject is not None and scope is None:  # `s` would offer nothing
            commands = [command for command in commands if command.id != "app.scope"]
        self.key_hints.show_bar(frame.key_hints(commands, inner_width, self.now | {"asked"} if asked else self.now))

    def get_widget_and_offset_at(self, x: int, y: int) -> tuple[Widget | None, Offset | None]:
        """For a selection by mouse. One that has begun in a pane stays in it."""
        state = self._select_state if self._selecting else None
        widget = state.start.content_widget if state is not None else None
        if not isinstance(widget, Selectable):
            try:
                widget, _ = self.get_widget_at(x, y)
            except NoWidget:
                return None, None
        if not isinstance(widget, Selectable):
            return widget, None
        region = widget.content_region
        if not region:
            return widget, None
        column = min(max(x, region.x), region.right - 1)
        row = min(max(y, region.y), region.bottom - 1)
        return widget, widget.offset_at(column - region.x, row - region.y)

    def say(self, sentence: str, sign: Line = DONE) -> None:
        """For a moment, on the answer line."""
        self.answer_line.show((*sign, Piece(sentence, is_outside=True)))  # names may stand in it
        self.set_timer(SAID_SECONDS, self.refresh_frame, name="said")

    @property
    def house(self) -> House:
        """The app, as far as a place may ask something of it."""
        return cast(House, self.app)

    async def run_command(self, command_id: str) -> None:
        """Carries out a command of the table."""
        where, _, action = command_id.partition(".")
        await self.run_action(f"app.{action}" if where == "app" else action)

    @on(BarWidget.Pressed)
    async def _run_pressed(self, event: BarWidget.Pressed) -> None:
        event.stop()
        await self.run_command(event.command)
