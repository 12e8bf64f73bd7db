"""The app: themes, the place on the screen, and what can be done from anywhere."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import AutopilotCallbackType
from textual.binding import BindingType
from textual.worker import Worker, WorkerState

from workbench.tui import themes, user_themes
from workbench.tui.bridge import Bridge, Changed
from workbench.tui.command import Command
from workbench.tui.hands.actions import HANDS, Hands
from workbench.tui.hands.layout import Layout
from workbench.tui.hands.leaving import Leaving
from workbench.tui.hands.moving import Moving
from workbench.tui.hands.telling import Telling
from workbench.tui.keymap import USUAL, Keymap
from workbench.tui.memory import Memory
from workbench.tui.opener import soon
from workbench.tui.places.base import Place
from workbench.tui.stylesheet import SteadyStylesheet
from workbench.tui.subject import Subject
from workbench.tui.theming import Theming
from workbench.tui.view.trail import Trail
from workbench.tui.viewing.viewing import Topic, Viewing
from workbench.tui.widgets.lines import bindings_of
from workbench.tui.widgets.packages_following import FollowsPackages
from workbench.tui.workers import start_worker
from workbench.visible import visible

if TYPE_CHECKING:
    from textual.driver import Driver

    from workbench.core import Runtime


def _subject_of(given: Subject | Runtime | None) -> Subject | None:
    if given is None:
        return None  # and the runtime is imported after the first paint
    from workbench.core import Runtime

    if isinstance(given, Runtime):
        from workbench.tui.live import RuntimeSubject

        return RuntimeSubject(given)
    return given


def _place(title: str) -> type[Place]:
    module = import_module(f"workbench.tui.places.{title.lower()}.place")
    found: type[Place] = getattr(module, f"{title}Place")
    return found


class WorkbenchApp(Moving, Hands, Layout, Telling, Leaving):
    """The workbench over one subject. The runtime belongs to the program that runs the app."""

    TITLE = "Prompt Workbench"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("app")
    CSS_PATH = [Path(__file__).parent / "places" / name for name in ("frame.tcss", "prompt/style.tcss")]  # noqa: RUF012
    """The other places load theirs when they are first shown."""
    CSS = Telling.NOTES

    def __init__(
        self,
        subject: Subject | Runtime | None = None,
        *,
        name: str = "",
        theme: str = themes.DEFAULT,
        memory: Memory | None = None,
        keymap: Keymap = USUAL,
        open_file: Callable[[str], object] | None = None,
    ) -> None:
        """Over a subject, or over a runtime as it is. None: `show()` comes later, `name` is being opened.

        `memory`: what is remembered from start to start, and written by the program that runs the app.
        `open_file`: looks at another file or sample; without a subject and a name the start screen comes first.
        """
        self._theming: Theming | None = None
        first = "Start" if open_file is not None and subject is None and not name else "Prompt"
        self.DEFAULT_MODE = first  # type: ignore[misc]  # read once, when the app is made
        super().__init__()
        self._theming = Theming(self)
        self.memory = memory or Memory()
        self.keymap = keymap
        if keymap.keys:
            self.set_keymap(keymap.bindings)
        self._open_file = open_file
        self.theme = self._theming.name_for_textual(theme)
        self.stylesheet = SteadyStylesheet(variables=self.get_css_variables())
        self.animation_level = "none"
        self.bridge = Bridge(self.post_message)
        self.viewing = Viewing(self, self._tell)
        self.viewing.opening = name
        self._given = _subject_of(subject)
        self._rooms: set[str] = set()
        """Titles of the places that were shown. Each is a mode of Textual's: it keeps what lies on top of it."""
        self._add_room(first)
        self._unsubscribe: Callable[[], object] | None = None
        self._task_factory: Any = None
        self.is_painted = asyncio.Event()
        """The first screen is there."""
        self.has_shown = asyncio.Event()
        """The first prompt is on it."""

    async def run_async(
        self,
        *,
        headless: bool = False,
        inline: bool = False,
        inline_no_clear: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
        auto_pilot: AutopilotCallbackType | None = None,
    ) -> int | None:
        """As in Textual, but the loop keeps the task factory that its program gave it."""
        self._task_factory = asyncio.get_running_loop().get_task_factory()
        return await super().run_async(
            headless=headless,
            inline=inline,
            inline_no_clear=inline_no_clear,
            mouse=mouse,
            size=size,
            auto_pilot=auto_pilot,
        )

    def get_driver_class(self) -> type[Driver]:
        """Textual's for this platform; on POSIX with a way to wait that takes no wake-ups."""
        found = super().get_driver_class()
        if found.__module__ != "textual.drivers.linux_driver":
            return found
        from workbench.tui.quiet_driver import QuietDriver

        return QuietDriver

    def on_load(self) -> None:
        """Textual would have every task of the loop start eagerly, those of the runtime too."""
        asyncio.get_running_loop().set_task_factory(self._task_factory)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Roles for a theme that knows nothing of them."""
        if self._theming is None:  # asked for by Textual before there is anything
            return themes.variables(themes.shipped()[themes.DEFAULT])
        return self._theming.variables()

    def on_ready(self) -> None:
        """After the first paint."""
        self.is_painted.set()
        self._tell_keymap()
        if self.memory.file is not None:
            start_worker(self, self._follow_themes, group="themes")

    async def _follow_themes(self) -> None:
        await soon(self.has_shown)
        await self.theming.follow(user_themes.folder())

    @on(Place.Arrived)
    def _place_arrived(self, arrived: Place.Arrived) -> None:
        if self._given is not None:
            given, self._given = self._given, None
            self.show(given)
        else:
            arrived.place.catch_up()

    def show(self, subject: Subject) -> None:
        """Looks at another subject, and follows it. Any task of the loop may ask for that."""
        if self._unsubscribe is not None:
            self._unsubscribe()
        self._unsubscribe = subject.subscribe(self.bridge.mark)
        with self._context():  # a timer that is started by a task that knows no app would fail
            self.viewing.show(subject)
            if subject.is_past:
                self.call_later(self.go_to, "Session")

    def show_opening(self, name: str) -> None:
        """That is being opened; what was looked at is not any more."""
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        self.trail = Trail()  # what was left there is not in this one
        self.viewing.leave()
        self.viewing.show_opening(name)
        if self._running and self.place.tab.title == "Start":
            self.call_later(self.go_to, "Prompt")

    def show_refusal(self, name: str, reason: str) -> None:
        """That cannot be opened at all."""
        self.viewing.show_opening("")
        self.call_later(self.go_to, "Start", (name, reason))

    def open_file(self, path: str) -> None:
        """Looks at another file, or at the sample of that name."""
        if self._open_file is not None:
            self._open_file(path)

    def key_of(self, command_id: str) -> str:
        """As for every command; empty for opening files where the program around this workbench does that."""
        return "" if command_id == "app.open" and self._open_file is None else super().key_of(command_id)

    async def action_open(self) -> None:
        if self._open_file is None:
            self.place.say("The program around this workbench decides what is looked at.", ())
        else:
            await self.visit("Start")

    async def go_to(self, title: str, target: object = None) -> None:
        """Shows the place with that title, and in it what another place knows as `target`."""
        if self.place.tab.title != title:
            self._add_room(title)
            await self.switch_mode(title)
        self.place.catch_up()
        if target is not None:
            self.place.show_target(target)

    def _add_room(self, title: str) -> None:
        """The place with that title: imported and made when it is first shown."""
        if title not in self._rooms:
            self._rooms.add(title)
            self.add_mode(title, lambda: _place(title)(self.viewing))

    def _tell(self, topic: Topic) -> None:
        """Only the place on the screen hears it; the others catch up when they come back."""
        if self._running and self.front is not None:
            self.front.told(topic)
            if topic in ("packages", "subject") and isinstance(self.screen, FollowsPackages):
                self.screen.packages_changed()
            if topic == "preview" and not self.has_shown.is_set():
                self.call_after_refresh(self.has_shown.set)

    def on_unmount(self) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        self.bridge.close()

    def on_changed(self, changed: Changed) -> None:
        """At most once per frame. While the screen is taken down, a change is nobody's."""
        if self.front is not None and self.front.children:
            self.viewing.follow(changed)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        self.viewing.assembling.worker_changed(event)
        if event.worker.group in HANDS and event.state is WorkerState.ERROR:
            error = event.worker.error
            what = f"{type(error).__name__}: {visible(str(error))}"
            self.notify(what, title=event.worker.group, severity="error", markup=False)

    def action_help(self) -> None:
        from workbench.tui.view.help import help_lines
        from workbench.tui.widgets.sheet import Sheet

        place = self.place
        self.push_screen(Sheet(lambda width: help_lines(place.tab, place.where, width, self.commands_of)))

    async def action_theme(self) -> None:
        from workbench.tui.widgets.picker import pick

        await pick(self, self.theming.items(), "colours", self._take_theme, self.theme)

    def commands_of(self, *where: str) -> Iterable[Command]:
        """Commands with the keys of this person."""
        return self.keymap.commands_of(*where)

    async def action_prompt(self) -> None:
        await self.visit("Prompt")

    async def action_trace(self) -> None:
        await self.visit("Trace")

    async def action_registry(self) -> None:
        await self.visit("Registry")

    async def action_session(self) -> None:
        await self.visit("Session")

    async def action_packages(self) -> None:
        await self.visit("Packages")

    async def action_answer(self) -> None:
        from workbench.tui.places.packages.answering import open_request

        await open_request(self.place)

    def action_now(self) -> None:
        if not self.viewing.leave_past():
            self.place.say("This is the present one.", ())

    async def action_step_before(self) -> None:
        await self._travel(-1)

    async def action_step_after(self) -> None:
        await self._travel(1)

    async def _travel(self, steps: int) -> None:
        past = self.viewing.past
        if past is not None:
            await past.travel(steps)
        else:
            key = self.key_of("app.session")
            self.place.say(f"No past step is looked at{f': {key} leads to them' if key else ''}.", ())

    async def action_team(self) -> None:
        await self.visit("Team")

    def _tell_keymap(self) -> None:
        """What is wrong with the person's keys."""
        problems = self.keymap.problems
        if problems:
            more = f"\n{len(problems) - 1} more: `workbench keys` tells all." if len(problems) > 1 else ""
            sentence = f"{visible(problems[0])}{more}"
            self.notify(sentence, title="Keys", severity="warning", timeout=20, markup=False)

    def _take_theme(self, name: str) -> None:
        self.theme = name
        self.memory.theme = self.theming.current

    @property
    def theming(self) -> Theming:
        """The themes of this app."""
        assert self._theming is not None
        return self._theming
