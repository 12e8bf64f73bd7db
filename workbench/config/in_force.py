"""The composition that is loaded now: its fibers, its scopes, and what became of its plugins.

Source: docs/compositions.md 5 and 13.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.config import agent_variables
from workbench.config.composition import Composition
from workbench.config.composition_plugin import CompositionPlugin
from workbench.config.plan import Plan
from workbench.config.problems import LoadProblem
from workbench.config.settling import settled
from workbench.core import FiberState, Runtime
from workbench.prompt import PromptConfig, SystemPrompt
from workbench.tools import ToolRegistry

if TYPE_CHECKING:
    from workbench.core import Fiber


class InForce:
    """A runtime with the services that a prompt needs, and one composition in it that can be exchanged."""

    def __init__(self, runtime: Runtime, first: Plan, settle_seconds: float) -> None:
        self.runtime = runtime
        self._settle_seconds = settle_seconds
        self.plugin = CompositionPlugin(first, settle_seconds)
        runtime.root.effect(lambda: self._forget_modules, "modules of local plugins")
        self._prompt_fiber = runtime.root.plugin(SystemPrompt, _prompt_config(first.composition))
        runtime.root.plugin(ToolRegistry)
        runtime.root.plugin(agent_variables)
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
        old = self.plugin.plan
        refused = await self._exchange(new)
        if refused:
            await self._exchange(old)
            new.forget()
        else:
            old.forget()
        return refused

    async def _exchange(self, new: Plan) -> tuple[LoadProblem, ...]:
        """Undo what is loaded and load `new`. The root and all that is not of the composition stay."""
        await self._fiber.dispose()
        config = _prompt_config(new.composition)
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


def _prompt_config(composition: Composition) -> PromptConfig:
    entries = composition.entries
    return PromptConfig(
        persona=entries.persona.value if entries.persona else "",
        include_harness_identity=entries.include_harness_identity,
        include_runtime_context=entries.include_runtime_context,
        tool_order=entries.tool_order,
        persona_source=entries.persona.source if entries.persona else None,
    )


def _nearest(fiber: Fiber, places: dict[Fiber, str]) -> str:
    """The place of the entry that this fiber, or the one that loaded it, came from."""
    around: Fiber | None = fiber
    while around is not None:
        if around in places:
            return places[around]
        around = around.parent
    return ""
