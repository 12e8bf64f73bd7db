"""The place Registry: a live tree of what is registered beside what is known about the chosen row."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Vertical
from textual.getters import query_one
from textual.timer import Timer
from textual.widget import Widget

from workbench.config.registry.facts import Outcome, PluginFact, Registration
from workbench.prompt.source import Position, TextSource
from workbench.tui.places.base import Place, tab_of
from workbench.tui.places.registry.ending import Ending
from workbench.tui.places.registry.looking import Looking
from workbench.tui.places.registry.model import PROMPT_KINDS, RegistryModel
from workbench.tui.view import answer as answers
from workbench.tui.view.entries import EntryKey
from workbench.tui.view.picker import Item
from workbench.tui.view.pieces import Line
from workbench.tui.view.registry_answer import registry_answer
from workbench.tui.view.registry_filter import HINT
from workbench.tui.view.registry_lines import ASSEMBLE, outcomes_of
from workbench.tui.view.registry_plugin import outcome_line
from workbench.tui.view.registry_rows import GROUPINGS, Grouping, RowKey
from workbench.tui.viewing.situation import facts, interruption
from workbench.tui.viewing.viewing import Topic, Viewing
from workbench.tui.widgets.find_bar import FindBar
from workbench.tui.widgets.lines import bindings_of
from workbench.tui.widgets.registry_heading import TreeHeading
from workbench.tui.widgets.registry_inspector import Inspector
from workbench.tui.widgets.registry_tree import RegistryTree
from workbench.visible import visible_line

GROUPING = "registry.grouping"
"""In the memory of the layout."""
SHARE = 4
"""A refresh is followed by a pause of so many times its own length, so that a flood cannot starve the loop."""


class RegistryPlace(Place):
    """What is registered, by whom, in which layer?"""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("registry")
    CSS_PATH = Path(__file__).parent / "style.tcss"
    AUTO_FOCUS = "#tree"
    tab = tab_of("Registry")
    where = "registry"

    entries_tree = query_one("#tree", RegistryTree)
    heading = query_one(TreeHeading)
    inspector = query_one(Inspector)
    find_bar = query_one(FindBar)

    def __init__(self, viewing: Viewing) -> None:
        super().__init__(viewing)
        self.model = RegistryModel()
        self.looking = Looking(self, viewing, self._show_inspector)
        self.ending = Ending(self, self._ended)
        self._outcomes: dict[object, str] = {}
        self._pause: Timer | None = None
        self._ready_at = 0.0
        """Monotonic seconds before which nothing is read again."""
        self._ticker: Timer | None = None
        self._said: Line | None = None
        self._jumps: list[RowKey] = []
        self._subject: object = None
        self._target: object = None
        """What somebody came here for before anything was read."""

    def panes(self) -> Iterable[Widget]:
        yield Vertical(TreeHeading(id="heading"), RegistryTree(id="tree"), id="left")
        yield Inspector(id="inspector")

    def below(self) -> Iterable[Widget]:
        return (FindBar(HINT),)

    def on_mount(self) -> None:
        self._show_front()

    @property
    def is_busy(self) -> bool:
        """Something has not been shown yet."""
        return self._pause is not None or self.looking.is_busy

    # what is looked at

    def look_again(self, topic: Topic) -> None:
        if topic == "sizes":
            self._show_inspector()
        elif topic in ("subject", "scope", "preview", "changed"):
            self.looking.forget_sizes()
            self._read_soon()

    def catch_up(self) -> None:
        """Plugins may have changed without another preview."""
        super().catch_up()
        self._ready_at = 0.0
        self._read_soon()

    def _read_soon(self) -> None:
        """Now, or when the last refresh has been paid for."""
        wait = self._ready_at - time.monotonic()
        if wait <= 0 and self._pause is None:
            self._read()
        elif self._pause is None:
            self._pause = self.set_timer(max(wait, 0.01), self._end_pause, name="registry")

    def _end_pause(self) -> None:
        self._pause = None
        self._read()

    def _read(self) -> None:
        subject = self.viewing.subject
        if subject is None or not self.is_mounted:
            return
        began = time.monotonic()
        if subject is not self._subject:
            self._subject, self.model = subject, RegistryModel()
            remembered = self.house.memory.layout.get(GROUPING)
            self.model.grouping = next((each for each in GROUPINGS if each == remembered), self.model.grouping)
        preview = self.viewing.preview
        outcomes = outcomes_of(preview.trace if preview is not None else None)
        is_other = self.model.load(subject.registry())
        if is_other or outcomes != self._outcomes or not self.entries_tree.rows:
            self._outcomes = outcomes
            self._show_tree()
        self._show_inspector()
        self._tick_while_busy()
        if self._target is not None:
            target, self._target = self._target, None
            self.show_target(target)
        self.refresh_frame()
        ended = time.monotonic()
        self._ready_at = ended + SHARE * (ended - began)

    def _tick_while_busy(self) -> None:
        """Seconds count up while a plugin starts or stops."""
        is_busy = any(plugin.state in ("loading", "stopping") for plugin in self.model.registry.plugins)
        if is_busy and self._ticker is None:
            self._ticker = self.set_interval(1.0, self._tick, name="registry seconds")
        elif not is_busy and self._ticker is not None:
            self._ticker.stop()
            self._ticker = None

    def _tick(self) -> None:
        if self.is_current:
            self._read_soon()

    def answer(self, *, short: bool) -> answers.Answer:
        viewing, model = self.viewing, self.model
        if viewing.subject is None:
            return interruption(viewing) or answers.opening(viewing.opening or "…")
        if not viewing.subject.is_loaded or viewing.assembling.is_slow:
            interrupting = interruption(viewing)
            if interrupting is not None:
                return interrupting
        made = registry_answer(model.registry, query=model.query, shown=model.shown, short=short)
        return made if self._said is None else answers.Answer(self._said, made.fact)

    @property
    def now(self) -> frozenset[str]:
        known = facts(self.viewing)
        if self.model.query:
            known |= {"filtered"}
        plugin = self.model.plugin
        return known | {"stopped"} if plugin is not None and plugin.state == "stopped" else known

    # showing

    def _show_tree(self) -> None:
        model = self.model
        rows = model.rows(blanks=self.is_airy, is_small=self.size.width < 100)
        self.entries_tree.show_rows(rows, model.chosen, model.grouping, self._outcomes)
        row = self.entries_tree.row
        model.chosen = row.key if row is not None else None
        self._show_heading()

    def _show_heading(self) -> None:
        margin = 0 if self.entries_tree.show_vertical_scrollbar else 1
        self.heading.show_heading(self.model.grouping, has_focus=self.entries_tree.has_focus, margin=margin)

    def _show_inspector(self) -> None:
        if self.is_mounted:
            self.inspector.show(*self.looking.at(self.model))

    def _choose(self, key: RowKey) -> None:
        """Goes to a row, which may be in a closed group."""
        if self.model.query:
            self.model.filter("")
        self.model.reveal(key)
        self._show_tree()
        self._show_inspector()
        self.refresh_frame()

    def _show_front(self) -> None:
        reads = self.inspector.has_focus
        self.query_one("#left").set_class(reads, "-behind")
        self.inspector.set_class(not reads, "-behind")

    def on_descendant_focus(self) -> None:
        """One pane stands in front where there is no room for two."""
        self._show_front()
        self._show_heading()

    def on_resize(self) -> None:
        if self.is_mounted and self.entries_tree.rows:
            self.call_after_refresh(self._show_tree)
        self.refresh_frame()

    # messages of the panes

    @on(RegistryTree.Chosen)
    def _row_chosen(self, event: RegistryTree.Chosen) -> None:
        self._said = None
        self.model.chosen = event.row.key
        self._show_inspector()
        self.refresh_frame()

    @on(RegistryTree.Folded)
    def _row_folded(self, event: RegistryTree.Folded) -> None:
        self.model.chosen = event.row.key
        self.model.fold(event.row, event.is_open)
        self._show_tree()
        self._show_inspector()

    @on(RegistryTree.Opened)
    async def _row_opened(self) -> None:
        await self.action_open()

    # commands

    async def action_open(self) -> None:
        row = self.entries_tree.row
        if row is None:
            return
        if row.is_open is not None and row.registration is None:
            self.model.fold(row)
            self._show_tree()
            return
        registration = row.registration
        if registration is not None and registration.kind in PROMPT_KINDS:
            self.house.leave_spot()
            key = EntryKey(registration.kind, registration.name, registration.layer)  # type: ignore[arg-type]
            await self.house.go_to("Prompt", key)
        elif registration is not None and registration.kind == "listener" and registration.key.of == ASSEMBLE:
            self.house.leave_spot()
            await self.house.go_to("Trace", ("listener", registration.owner.plugin, registration.name))
        else:
            self._to_inspector()

    def _to_inspector(self) -> None:
        self.inspector.remove_class("-behind")
        self.inspector.focus()

    @on(Inspector.Left)
    def _to_tree(self) -> None:
        self.query_one("#left").remove_class("-behind")
        self.entries_tree.focus()

    def action_other_pane(self) -> None:
        if self.inspector.has_focus:
            self._to_tree()
        else:
            self._to_inspector()

    def action_group(self) -> None:
        self._group_by(self.model.next_grouping)

    def action_by_layer(self) -> None:
        self._group_by("layer")

    def action_by_plugin(self) -> None:
        self._group_by("plugin")

    def action_by_kind(self) -> None:
        self._group_by("kind")

    def _group_by(self, grouping: Grouping) -> None:
        self.house.memory.layout[GROUPING] = grouping
        self.model.group_by(grouping)
        self._show_tree()
        self._show_inspector()

    def action_fold_all(self) -> None:
        self.model.fold_all(self.entries_tree.rows)
        self._show_tree()
        self._show_inspector()

    def action_owner(self) -> None:
        plugin = self.model.plugin
        if plugin is None:
            self.say("Choose an entry first.", ())
            return
        self.house.leave_spot()
        if self.model.query:
            self.model.filter("")
        self.model.grouping = "plugin"
        self._choose(("plugin", plugin.uid))

    def action_copy(self) -> None:
        if self.ending.is_asking:
            return
        text = self.selected_text or self.model.text_to_copy(self.viewing.preview)
        if text is None:
            self.say("There is no text to copy here.", ())
        else:
            self.house.copy(text, self.say)

    def text_to_save(self) -> tuple[str, str] | None:
        text = self.selected_text or self.model.text_to_copy(self.viewing.preview)
        chosen = self.model.registration or self.model.plugin
        return (text, chosen.name) if text is not None and chosen is not None else None

    def source(self) -> TextSource | Position | None:
        chosen: Registration | PluginFact | None = self.model.registration or self.model.plugin
        return chosen.source if chosen is not None else None

    # the filter

    def action_filter(self) -> None:
        self.key_hints.display = False
        self.find_bar.open(self.model.query)
        self._show_count()

    def action_leave(self) -> None:
        if self.model.query:
            self._filter("")
        elif self.inspector.has_focus:
            self._to_tree()

    @on(FindBar.Typed)
    def _filter_typed(self, event: FindBar.Typed) -> None:
        self._filter(event.query)
        self._show_count()

    @on(FindBar.Stepped)
    def _filter_stepped(self, event: FindBar.Stepped) -> None:
        self.entries_tree.move(event.steps)

    @on(FindBar.Closed)
    def _filter_closed(self, event: FindBar.Closed) -> None:
        self.key_hints.display = True
        if not event.keep:
            self._filter("")
        self.entries_tree.focus()
        self.refresh_frame()

    def _filter(self, query: str) -> None:
        self._said = None
        self.model.filter(query)
        self._show_tree()
        self._show_inspector()
        self.refresh_frame()

    def _show_count(self) -> None:
        self.find_bar.show_kept(self.model.shown, len(self.model.registry.registrations), self.model.query)

    # stopping and restarting

    async def action_restart(self) -> None:
        await self.ending.ask("restart", self.model)

    async def action_stop(self) -> None:
        await self.ending.ask("stop", self.model)

    def action_start(self) -> None:
        if not self.ending.is_asking:
            self.ending.start(self.model)

    def _ended(self, uid: int, outcome: Outcome) -> None:
        self._said = outcome_line(outcome)
        self._ready_at = 0.0
        self._read()
        if self.model.registry.plugin(uid) is not None:
            self._choose(("plugin", uid))

    # coming from elsewhere

    def jumps(self) -> list[Item]:
        """What the palette cannot reach by the place Prompt."""
        found = [each for each in self.model.registry.registrations if each.kind not in PROMPT_KINDS]
        self._jumps = [each.key for each in found]
        return [
            Item(f"registry:{index}", each.name, f"{each.kind} of {each.owner.plugin}", group="Registry")
            for index, each in enumerate(found)
        ]

    def jump(self, item_id: str) -> None:
        self._choose(self._jumps[int(item_id.partition(":")[2])])

    def spot(self) -> object:
        return ("row", self.model.grouping, self.model.chosen) if self.model.chosen is not None else None

    def show_target(self, target: object) -> None:
        """An `EntryKey`, `("plugin", name)` or anything with the name of a plugin, or what `spot` gave."""
        if self._subject is None or self._subject is not self.viewing.subject or not self.is_mounted:
            self._target = target
        elif isinstance(target, EntryKey):
            key = self.model.find(target)
            if key is not None:
                self._choose(key)
            else:
                self.say(f"{visible_line(target.name)} is not registered.", ())
        elif isinstance(target, tuple) and len(target) == 3 and target[0] == "row":
            self.model.grouping = target[1]
            self._choose(target[2])
        else:
            name = target[1] if isinstance(target, tuple) and len(target) == 2 else getattr(target, "name", "")
            self._show_plugin(str(name))

    def _show_plugin(self, name: str) -> None:
        plugin = self.model.plugin_named(name)
        if plugin is None:
            self.say(f"There is no plugin {visible_line(name)}.", ())
        else:
            self.model.grouping = "plugin"
            self._choose(("plugin", plugin.uid))
