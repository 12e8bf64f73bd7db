"""A subagent provider in this process. Where nothing runs agents, only the prompt says that it is there.

Source: docs/agents.md 12 and docs/contributors.md 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.agent.subagents.contract import SubagentError
from workbench.plugins.settings import Settings

if TYPE_CHECKING:
    from workbench.agent.subagents.contract import Capability, SubagentRequest, SubagentRun
    from workbench.core import Context

name = "subagent_provider"
inject = {"required": ["subagents"], "optional": ["agents"]}


@dataclass(frozen=True)
class Config(Settings):
    """What the provider is."""

    name: str = "spawn"
    """What tools call it by."""
    inherits_parent_context: bool = False
    """Whether children start with the completed turns of their parent's conversation."""


def apply(ctx: Context, config: Config) -> None:
    """Register the provider."""
    ctx.subagents.register(_Provider(ctx, config))


class _Provider:
    """What the settings say; children come from the service `agents`, when it is there."""

    capabilities: frozenset[Capability] = frozenset({"output_schema", "depth_limit", "tool_filter", "persona"})

    def __init__(self, ctx: Context, config: Config) -> None:
        self.name = config.name
        self.inherits_parent_context = config.inherits_parent_context
        self._ctx = ctx

    async def start(self, request: SubagentRequest) -> SubagentRun:
        agents = self._ctx.get("agents")
        if agents is None:
            raise SubagentError(
                f"provider {self.name!r} starts no children: nothing runs agents here", "CANNOT_START"
            )
        from workbench.agent.subagents.in_process import InProcessProvider  # only for those who run agents

        return await InProcessProvider(agents.service, self.name, self.inherits_parent_context).start(request)
