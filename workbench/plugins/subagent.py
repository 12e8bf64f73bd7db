"""A tool that hands work to a child agent, described as its provider is.

One load binds one provider to one tool. The wording comes from the provider object, never from its name, and
the tool is there exactly as long as the provider is. Source: docs/prompt-assembly.md 16, docs/agents.md 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from workbench.agent.subagents.delegation import Delegation
from workbench.agent.subagents.registry import PROVIDER_ADDED, PROVIDER_REMOVED
from workbench.plugins.guidance import following, shipped_text
from workbench.plugins.parameters import JsonSchema, closed_object
from workbench.plugins.settings import Between, Settings
from workbench.prompt import ToolSchema

if TYPE_CHECKING:
    from workbench.agent.subagents.contract import SubagentProvider
    from workbench.core import Context, Effect

name = "subagent"
inject = ["system_prompt", "tools", "subagents"]

BackgroundMode = Literal["none", "one-shot", "continuable"]


@dataclass(frozen=True)
class Config(Settings):
    """Which provider starts the children, and how they may run."""

    provider: str = "spawn"
    """Name of the provider. As long as it is missing there is no tool."""
    tool_name: str = "subagent"
    """Several loads, each with a provider of its own, need several names."""
    background_mode: BackgroundMode = "none"
    """Whether a child may run in the background, and whether it can be spoken to afterwards."""
    max_depth: Annotated[int, Between(0, 20)] = 3
    """How many delegations may lie above each other."""


def apply(ctx: Context, config: Config) -> None:
    """Follow the provider from now on, and take it if it is there already."""
    follower = _Follower(ctx, config)
    ctx.on(PROVIDER_ADDED, follower.provider_added, everywhere=True)
    ctx.on(PROVIDER_REMOVED, follower.provider_removed, everywhere=True)
    present = ctx.subagents.get(config.provider)
    if present is not None:
        follower.provider_added(present)
    if config.background_mode == "continuable":
        text, source = shipped_text("subagent_continuable")
        prompt = ctx.system_prompt
        prompt.section(
            f"tool:{config.tool_name}",
            prompt.get_section_order("TOOL_SUBAGENT"),
            following(ctx, text, (config.tool_name,)),
            source=source,
        )


class _Follower:
    """Registers the tool when its provider comes, and takes it back when the provider goes."""

    def __init__(self, ctx: Context, config: Config) -> None:
        self._ctx = ctx
        self._config = config
        self._registered: Effect | None = None

    def provider_added(self, provider: SubagentProvider) -> None:
        if provider.name == self._config.provider and self._registered is None:
            schema = described_tool(self._config, provider.inherits_parent_context)
            is_kept = self._config.background_mode == "continuable"
            body = Delegation(self._ctx.fiber.name, provider, self._config.max_depth, keeps_children=is_kept)
            self._registered = self._ctx.tools.register(schema, body, is_concurrency_safe=True)

    def provider_removed(self, provider_name: str) -> None:
        if provider_name == self._config.provider and self._registered is not None:
            undo, self._registered = self._registered, None
            undo()


def described_tool(config: Config, inherits_parent_context: bool) -> ToolSchema:
    """The tool as the model sees it."""
    wording = _INHERITING if inherits_parent_context else _FRESH
    properties: dict[str, JsonSchema] = {
        "title": {
            "type": "string",
            "minLength": 1,
            "description": "What the work is about, in three to six words. The person sees it.",
        },
        "task": {"type": "string", "minLength": 1, "description": wording.task},
    }
    description = wording.description
    if config.background_mode != "none":
        description += _BACKGROUND[config.background_mode]
        properties["run_in_background"] = {
            "type": "boolean",
            "default": False,
            "description": "Return at once, and deliver the result when the child has finished.",
        }
    if config.background_mode == "continuable":
        properties["child"] = {
            "type": "string",
            "description": "Id of a child that has reported: it gets the task on top of what it knows. "
            "Without it, a new child begins.",
        }
    return ToolSchema(config.tool_name, description, closed_object(properties, ["title", "task"]))


@dataclass(frozen=True, slots=True)
class _Wording:
    """What is said of one kind of child."""

    description: str
    task: str


_FRESH = _Wording(
    "Hand a piece of work to a child agent and wait for its result. The child works in a context of its own "
    "and does not see this conversation: it needs a complete, standalone prompt. Only its result returns, no "
    "intermediate steps. Use it for work whose details would only be in the way here, such as a broad search "
    "or a review with fresh eyes.",
    "The work, self-contained: the goal, everything needed to reach it (paths, facts, decisions that have "
    "been taken), what is out of bounds, and what the result must hold.",
)
_INHERITING = _Wording(
    "Hand a piece of work to a child agent that starts with the completed turns of this conversation, but "
    "not with the turn in progress, and wait for its result. Use it for work that builds on the conversation "
    "and would interrupt it, such as checking one of several ideas. Only its result returns.",
    "The work. The child already has the completed turns; state only what is new: the goal, what the turn in "
    "progress has brought to light, and what the result must hold.",
)
_BACKGROUND = {
    "one-shot": " In the background it reports once, when it has finished.",
    "continuable": " In the background it reports when it has finished, and can be given more work afterwards.",
}
