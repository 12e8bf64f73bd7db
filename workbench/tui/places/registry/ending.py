"""Stopping, restarting and starting a plugin: asked first, done beside the loop, and told with what is left."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

from workbench.config.registry.facts import Outcome
from workbench.tui.places.base import Place
from workbench.tui.places.registry.model import RegistryModel
from workbench.tui.view.registry_stop import stop_question
from workbench.tui.workers import start_worker
from workbench.visible import visible_line


class Ending:
    """Asks the person, and then the subject."""

    def __init__(self, place: Place, ended: Callable[[int, Outcome], object]) -> None:
        """`ended` is called with the uid of the plugin and what became of it."""
        self._place = place
        self._ended = ended
        self.is_asking = False
        """A question is open, or about to be: keys that were typed ahead of it do nothing in the place."""

    async def ask(self, action: Literal["stop", "restart"], model: RegistryModel) -> None:
        """Opens the question, where there is something to be asked."""
        from workbench.tui.widgets.confirm import Confirm

        place, plugin = self._place, model.plugin
        if self.is_asking:
            return
        if plugin is None:
            place.say(f"Choose a plugin to {action}, or something that it has registered.", ())
        elif plugin.parent is None:
            place.say("The root is the program itself; it ends with it.", ())
        elif plugin.state == "stopped" and action == "restart":
            self.start(model)
        elif plugin.state == "stopped":
            place.say(f"{visible_line(plugin.name)} is stopped already.", ())
        else:
            uid = plugin.uid

            def answered(agreed: bool | None) -> None:
                self.is_asking = False
                if agreed:
                    start_worker(place, partial(self._end, uid, action), group=f"end {uid}")

            self.is_asking = True
            await place.app.push_screen(Confirm(stop_question(plugin, model.registry, action)), answered)

    def start(self, model: RegistryModel) -> None:
        """Loads a stopped plugin again; nothing is undone, so nothing is asked."""
        place, plugin = self._place, model.plugin
        if plugin is None or plugin.state != "stopped":
            place.say("Choose a plugin that was stopped here.", ())
        else:
            start_worker(place, partial(self._start, plugin.uid), group=f"end {plugin.uid}")

    async def _start(self, uid: int) -> None:
        subject = self._place.viewing.subject
        if subject is not None:
            try:
                outcome = await subject.start_plugin(uid)
            except Exception as error:
                self._place.say(str(visible_line(str(error))) or type(error).__name__, ())
            else:
                self._ended(outcome.uid, outcome)

    async def _end(self, uid: int, action: Literal["stop", "restart"]) -> None:
        subject = self._place.viewing.subject
        if subject is None:
            return
        try:
            outcome = await subject.end_plugin(uid, action)
        except Exception as error:
            self._place.say(str(visible_line(str(error))) or type(error).__name__, ())
        else:
            self._ended(uid, outcome)
