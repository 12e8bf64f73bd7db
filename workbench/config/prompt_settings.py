"""The settings of the prompt service that a composition gives.

Another persona is taken over while the service runs: everything that is registered stands on the service, and
would be restarted with it. Source: docs/compositions.md 2 and 13.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.config.composition import Composition
from workbench.config.wanted import PERSONA
from workbench.core.effects import Effect
from workbench.prompt import PromptConfig
from workbench.prompt.facade import PromptFacade

if TYPE_CHECKING:
    from workbench.core import Fiber, Runtime


def prompt_config(composition: Composition) -> PromptConfig:
    """What the prompt service is loaded with."""
    entries = composition.entries
    return PromptConfig(
        persona=entries.persona.value if entries.persona else "",
        include_harness_identity=entries.include_harness_identity,
        include_runtime_context=entries.include_runtime_context,
        tool_order=entries.tool_order,
        persona_source=entries.persona.source if entries.persona else None,
    )


def is_other_persona_at_most(present: PromptConfig, new: PromptConfig) -> bool:
    """Whether nothing but the persona and its place differ."""
    return replace(new, persona=present.persona, persona_source=present.persona_source) == present


def follow_persona(runtime: Runtime, service: Fiber) -> None:
    """Let an update of the prompt service that brings another persona, and nothing else, restart nobody."""

    async def on_update(fiber: Fiber, config: Any, go_on: Callable[[], Awaitable[Any]]) -> Any:
        if fiber is not service or not is_other_persona_at_most(fiber.config, config):
            return await go_on()
        _register_persona(runtime, fiber, config)
        fiber.config = config
        return None

    runtime.root.on("internal/update", on_update)


def _register_persona(runtime: Runtime, fiber: Fiber, config: PromptConfig) -> None:
    """In the name of the service, as it did itself when it was loaded."""
    label = f"section {PERSONA}"
    for part in tuple(fiber.activation.parts or ()):
        if isinstance(part, Effect) and part.label == label:
            part()
    prompt = PromptFacade(runtime.root.system_prompt.service, fiber.context)
    order = prompt.get_section_order("DEPLOYMENT_PERSONA")
    prompt.section(PERSONA, order, config.persona, source=config.persona_source)
