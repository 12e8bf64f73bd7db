"""The app: themes, the place on the screen, and what can be done from anywhere."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import App, AutopilotCallbackType
from textual.binding import BindingType
from textual.screen import Screen
from textual.worker import Worker

from workbench.tui import themes, user_themes
from workbench.tui.bridge import Bridge, Changed
from workbench.tui.commands import COMMANDS
from workbench.tui.memory import Memory
from workbench.tui.places.base import Place
from workbench.tui.subject import Subject
from workbench.tui.theming import Theming
from workbench.tui.view.picker import Item
from workbench.tui.viewing.viewing import Topic, Viewing
from workbench.tui.widgets.lines import bindings_of

if TYPE_CHECKING:
    from workbench.core import Runtime


def _subject_of(given: Subject | Runtime | None) -> Subject | None:
    if given is None:
        return None  # and the runtime is imported after the first paint
    from workbench.core import Runtime

    if isinstance(given, Runtime):
        from workbench.tui.live import RuntimeSubject

        return RuntimeSubject(given)
    return given


class WorkbenchApp(App[int]):
    """The workbench over one subject. The runtime belongs to the program that runs the app."""

    TITLE = "Prompt Workbench"
    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("app")
    CSS_PATH = [Path(__file__).parent / "places" / name for name in ("frame.tcss", "prompt/style.tcss")]  # noqa: RUF012
    """The other places load theirs when they are first shown."""
    CSS = """
    Toast { background: $wb-raised; color: $wb-text; }
    """

    def __init__(
        self,
        subject: Subject | Runtime | None = None,
        *,
        name: str = "",
        theme: str = themes.DEFAULT,
        memory: Memory | None = None,
        open_file: Callable[[str], object] | None = None,
    ) -> None:
        """Over a subject, or over a runtime as it is. None: `show()` comes later, `name` is being opened.

        `memory`: what is remembered from start to start, and written by the program that runs the app.
        `open_file`: looks at another file or sample; without a subject and a name the start screen comes first.
        """
        self._theming: Theming | None = None
        super().__init__()
        self._theming = Theming(self)
        self.memory = memory or Memory()
        self._open_file = open_file
        self.theme = self._theming.name_for_textual(theme)
        self.animation_level = "none"
        self.bridge = Bridge(self.post_message)
        self.viewing = Viewing(self, self._tell)
        self.viewing.opening = name
        self._given = _subject_of(subject)
        self._rooms: dict[str, Place] = {}
        """Places that were shown, by title."""
        self._unsubscribe: Callable[[], object] | None = None
        self._task_factory: Any = None
        self.is_painted = asyncio.Event()
        """The first screen is there."""

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

    def on_load(self) -> None:
        """Textual would have every task of the loop start eagerly, those of the runtime too."""
        asyncio.get_running_loop().set_task_factory(self._task_factory)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Roles for a theme that knows nothing of them."""
        if self._theming is None:  # asked for by Textual before there is anything
            return themes.variables(themes.shipped()[themes.DEFAULT])
        return self._theming.variables()

    def get_default_screen(self) -> Screen[Any]:
        begins_empty = self._open_file is not None and self._given is None and not self.viewing.opening
        return self._room("Start" if begins_empty else "Prompt")

    def on_ready(self) -> None:
        """After the first paint."""
        self.is_painted.set()
        if self.memory.file is not None:
            self.run_worker(self.theming.follow(user_themes.folder()), group="themes", exit_on_error=False)

    @on(Place.Arrived)
    def _place_arrived(self, arrived: Place.Arrived) -> None:
        if self._given is not None:
            given, self._given = self._given, None
            self.show(given)
        else:
            arrived.place.catch_up()

    @property
    def place(self) -> Place:
        """The place under whatever lies on top of it."""
        return next(screen for screen in reversed(self.screen_stack) if isinstance(screen, Place))

    def show(self, subject: Subject) -> None:
        """Looks at another subject, and follows it."""
        if self._unsubscribe is not None:
            self._unsubscribe()
        self._unsubscribe = subject.subscribe(self.bridge.mark)
        self.viewing.show(subject)

    def show_opening(self, name: str) -> None:
        """That is being opened; what was looked at is not any more."""
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
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

    async def action_open(self) -> None:
        if self._open_file is None:
            self.place.say("The program around this workbench decides what is looked at.", ())
        else:
            await self.go_to("Start")

    async def go_to(self, title: str, target: object = None) -> None:
        """Shows the place with that title, and in it what another place knows as `target`."""
        if self.place.tab.title != title:
            await self.switch_screen(self._room(title))
        self.place.catch_up()
        if target is not None:
            self.place.show_target(target)

    def _room(self, title: str) -> Place:
        """The place with that title; imported when it is first asked for, and kept."""
        place = self._rooms.get(title)
        if place is None:
            name = title.lower()
            module = import_module(f"workbench.tui.places.{name}.place")
            place = self._rooms[title] = getattr(module, f"{title}Place")(self.viewing)
            self.install_screen(place, name)
        return place

    def _tell(self, topic: Topic) -> None:
        """Only the place on the screen hears it; the others catch up when they come back."""
        if self._running and self.screen_stack:
            self.place.told(topic)

    def on_unmount(self) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        self.bridge.close()

    def on_changed(self, changed: Changed) -> None:
        """At most once per frame. While the screen is taken down, a change is nobody's."""
        if self.place.children:
            self.viewing.follow(changed)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        self.viewing.assembling.worker_changed(event)

    def copy_to_clipboard(self, text: str) -> None:
        """Hands the bytes of the text to the terminal (OSC 52), whatever stands in it."""
        self._clipboard = text
        if self._driver is not None:
            encoded = base64.b64encode(text.encode("utf-8", "surrogatepass")).decode("ascii")
            self._driver.write(f"\x1b]52;c;{encoded}\x07")

    async def action_palette(self) -> None:
        from workbench.tui.widgets.picker import pick

        await pick(self, [*self._command_items(), *self.place.jumps()], "command or entry", self._run_picked)

    def action_help(self) -> None:
        from workbench.tui.view.help import help_lines
        from workbench.tui.widgets.sheet import Sheet

        place = self.place
        self.push_screen(Sheet(lambda width: help_lines(place.tab, place.where, width)))

    async def action_theme(self) -> None:
        from workbench.tui.widgets.picker import pick

        await pick(self, self.theming.items(), "colours", self._take_theme, self.theme)

    async def action_scope(self) -> None:
        from workbench.tui.widgets.picker import pick

        subject = self.viewing.subject
        if subject is not None and self.place.shows_scope:
            about = "The prompt that this scope reads."
            items = [Item(scope.label, scope.label, scope.note, help=about) for scope in subject.scopes]
            await pick(self, items, "scope", self.viewing.take_scope, self.viewing.scope)

    async def action_prompt(self) -> None:
        await self.go_to("Prompt")

    async def action_trace(self) -> None:
        await self.go_to("Trace")

    async def action_registry(self) -> None:
        await self.go_to("Registry")

    async def action_quit(self) -> None:
        self.exit(0)

    def _command_items(self) -> list[Item]:
        place = self.place
        groups = {place.where: "This place", "app": "Everywhere"}
        items = []
        for each in COMMANDS:
            if each.in_palette and each.where in groups:
                note = place.tab.title if each.where == place.where else ""
                items.append(
                    Item(f"command:{each.id}", each.title, note, each.key_label, groups[each.where], each.help)
                )
        return items

    def _run_picked(self, item_id: str) -> None:
        kind, _, rest = item_id.partition(":")
        if kind == "command":
            self.call_later(self.place.run_command, rest)
        else:
            self.place.jump(item_id)

    def _take_theme(self, name: str) -> None:
        self.theme = name
        self.memory.theme = self.theming.current

    @property
    def theming(self) -> Theming:
        """The themes of this app."""
        assert self._theming is not None
        return self._theming
