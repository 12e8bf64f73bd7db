"""The composition that is loaded now: its fibers, its scopes, and what became of its plugins.

Source: docs/compositions.md 5 and 13.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from workbench.config import agent_variables
from workbench.config.composition import Composition
from workbench.config.composition_plugin import Changed, CompositionPlugin, LoadedPlugin
from workbench.config.plan import Plan
from workbench.config.problems import LoadProblem
from workbench.config.prompt_settings import follow_persona, is_other_persona_at_most, prompt_config
from workbench.config.settling import settled
from workbench.core import FiberState, Runtime
from workbench.prompt import SystemPrompt
from workbench.tools import ToolRegistry

if TYPE_CHECKING:
    from workbench.config.edits import AppliedEdit
    from workbench.core import Fiber

log = logging.getLogger("workbench.config")

Service = tuple[object, Any]
"""A plugin that is no part of the composition, and its config."""


class InForce:
    """A runtime with the services that a prompt needs, and one composition in it that can be exchanged."""

    def __init__(
        self, runtime: Runtime, first: Plan, settle_seconds: float, services: Iterable[Service] = ()
    ) -> None:
        self.runtime = runtime
        self._settle_seconds = settle_seconds
        self.last_edit: AppliedEdit | None = None
        """What the last replacement has changed."""
        self.plugin = CompositionPlugin(first, settle_seconds)
        runtime.root.effect(lambda: self._forget_modules, "modules of local plugins")
        self._prompt_fiber = runtime.root.plugin(SystemPrompt, prompt_config(first.composition))
        follow_persona(runtime, self._prompt_fiber)
        runtime.root.plugin(ToolRegistry)
        runtime.root.plugin(agent_variables)
        for plugin, config in services:
            runtime.root.plugin(plugin, config)
        self._fiber = runtime.root.plugin(self.plugin)

    @property
    def composition(self) -> Composition:
        """The composition in force."""
        return self.plugin.plan.composition

    async def settle(self) -> tuple[LoadProblem, ...]:
        """Wait until the plugins have loaded, or have had their time; the result is what was refused."""
        await settled(self.runtime.fibers, self._settle_seconds)
        return self.plugin.problems

    async def replace(self, new: Plan) -> tuple[LoadProblem, ...]:
        """Put `new` in force. When the registry refuses part of it, the old state comes back."""
        old, before = self.plugin.plan, self.plugin.plugins
        refused, is_whole = await self._become(new)
        if refused:
            await self._return_to(old, is_whole)
            new.forget(old)
            return refused
        old.forget(new)
        self.last_edit = _applied(old, new, before, self.plugin.plugins)
        return ()

    async def _become(self, new: Plan) -> tuple[tuple[LoadProblem, ...], bool]:
        """What was refused, and whether everything was loaded anew for it."""
        changed = await self._changed(new)
        if changed is not None and not changed.is_doubtful:
            return changed.problems, False
        return await self._exchange(new), True

    async def _return_to(self, old: Plan, is_whole: bool) -> None:
        changed = None if is_whole else await self._changed(old)
        if changed is None or changed.problems or changed.is_doubtful:
            await self._exchange(old)

    async def _changed(self, new: Plan) -> Changed | None:
        """What became of the edit; None when only loading everything anew can tell."""
        if not self._can_change_to(new):
            return None
        try:
            return await self._change(new)
        except Exception:  # Such as code that is no plugin at all: its load will say so.
            log.debug("%s is loaded anew", new.composition.file, exc_info=True)
            return None

    def _can_change_to(self, new: Plan) -> bool:
        """Whether the composition can go on while it changes. Other settings restart the prompt service."""
        services = (self._prompt_fiber, self._fiber)
        if not all(fiber.state is FiberState.ACTIVE and fiber.is_settled for fiber in services):
            return False
        return is_other_persona_at_most(self._prompt_fiber.config, prompt_config(new.composition))

    async def _change(self, new: Plan) -> Changed:
        """Undo and load what differs."""
        config = prompt_config(new.composition)
        if config != self._prompt_fiber.config:
            await self._prompt_fiber.update(config)
        return await self.plugin.change(new)

    async def _exchange(self, new: Plan) -> tuple[LoadProblem, ...]:
        """Undo what is loaded and load `new`. The root and all that is not of the composition stay."""
        await self._fiber.dispose()
        config = prompt_config(new.composition)
        if config != self._prompt_fiber.config:
            await self._prompt_fiber.update(config)
        self.plugin = CompositionPlugin(new, self._settle_seconds)
        self._fiber = self.runtime.root.plugin(self.plugin)
        return await self.settle()

    def notes(self) -> list[str]:
        """Plugins that failed, still load, or wait for a service, each with its place."""
        waits = {waiting.fiber: waiting for waiting in self.runtime.waiting()}
        places = {loaded.fiber: loaded.planned.place for loaded in self.plugin.plugins}
        notes = []
        for fiber in self.runtime.fibers():
            place = _nearest(fiber, places)
            named = f"{place}: plugin {fiber.name}" if place else f"plugin {fiber.name}"
            if fiber.state == FiberState.FAILED:
                notes.append(f"{named} failed: {fiber.error}")
            elif fiber.state == FiberState.PENDING:
                notes.append(f"{named} is {fiber.status_text}")
            elif fiber.state in (FiberState.LOADING, FiberState.DISPOSING):
                waiting = waits.get(fiber)
                since = f" for {waiting.seconds:.0f} s ({waiting.label})" if waiting else ""
                notes.append(f"{named} is {fiber.state}{since}")
        return notes

    def _forget_modules(self) -> None:
        self.plugin.plan.forget()


def _applied(
    old: Plan, new: Plan, before: tuple[LoadedPlugin, ...], after: tuple[LoadedPlugin, ...]
) -> AppliedEdit:
    from workbench.config.edits import AppliedEdit  # needed by nothing but a running workbench

    old_fibers, new_fibers = ({loaded.fiber for loaded in plugins} for plugins in (before, after))
    return AppliedEdit(
        old.composition,
        new.composition,
        loaded=tuple(loaded.planned.entry.use for loaded in after if loaded.fiber not in old_fibers),
        stopped=tuple(loaded.planned.entry.use for loaded in before if loaded.fiber not in new_fibers),
        kept=len(old_fibers & new_fibers),
    )


def _nearest(fiber: Fiber, places: dict[Fiber, str]) -> str:
    """The place of the entry that this fiber, or the one that loaded it, came from."""
    around: Fiber | None = fiber
    while around is not None:
        if around in places:
            return places[around]
        around = around.parent
    return ""
