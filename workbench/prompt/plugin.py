"""The plugin `system_prompt`: the service and the contributions that it owns itself.

Source: docs/prompt-assembly.md 12.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core import Context, Effect
from workbench.prompt.facade import AGENT_CONTEXT, PromptFacade
from workbench.prompt.service import ASSEMBLE, CHANGE, PromptService
from workbench.prompt.source import TextSource
from workbench.prompt.tool_order import check_tool_order

IDENTITY = "You are an AI agent running on the Prompt Workbench runtime."


@dataclass(frozen=True, slots=True)
class PromptConfig:
    """Settings of the prompt service. Raises `PromptError` for a `tool_order` that cannot be meant."""

    persona: str = ""
    include_harness_identity: bool = True
    include_runtime_context: bool = True
    tool_order: Sequence[str] | None = None
    """Names in order, with `<unlisted-tools>` exactly once; None: by name."""
    persona_source: TextSource | None = None
    """Where the persona stands in a file."""

    def __post_init__(self) -> None:
        if self.tool_order is not None:
            check_tool_order(self.tool_order)


class SystemPrompt:
    """The plugin: provides `system_prompt` and owns the built-in contributions."""

    name = "system_prompt"
    owner_kind = "harness"
    provides = ("system_prompt",)

    def __init__(self, ctx: Context, config: PromptConfig | None) -> None:
        config = config or PromptConfig()
        service = PromptService(ctx, config.tool_order)
        ctx.declare(ASSEMBLE)
        ctx.declare(CHANGE)
        ctx.declare(AGENT_CONTEXT)
        ctx.provide("system_prompt", service)
        prompt = PromptFacade(service, ctx)
        if config.include_harness_identity:
            prompt.section("harness:identity", prompt.get_section_order("HARNESS_IDENTITY"), IDENTITY)
        prompt.section(
            "deployment:persona",
            prompt.get_section_order("DEPLOYMENT_PERSONA"),
            config.persona,
            source=config.persona_source,
        )
        if not config.include_runtime_context:
            prompt.suppress_runtime_context()


def add_harness_source(ctx: Context, root: str) -> Effect:
    """State, once for the process, where the checkout of the workbench is. `root` is an absolute path."""
    prompt: PromptFacade = ctx.system_prompt
    return prompt.section(
        "harness:source",
        prompt.get_section_order("HARNESS_SOURCE"),
        f"The Prompt Workbench source checkout is located at {root}. That location is not a statement about "
        "the working directory: the two can be the same or different, so run pwd when you need the working "
        "directory. Open the checkout only to study or extend the workbench itself.",
    )
