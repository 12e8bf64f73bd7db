"""The body of a delegation tool: a child is started, awaited, and disposed of on every path.

Source: docs/agents.md 12.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.agent.messages import plugin_message
from workbench.agent.subagents.contract import SubagentError, SubagentRequest, SubagentResult, start_child
from workbench.tools.calls import ToolFailure

if TYPE_CHECKING:
    from workbench.agent.agent import Agent
    from workbench.agent.subagents.contract import SubagentProvider, SubagentRun
    from workbench.tools.runs import ToolRun


class Delegation:
    """Hands a task to a child of one provider."""

    def __init__(self, plugin: str, provider: SubagentProvider, max_depth: int) -> None:
        self._plugin = plugin
        self._provider = provider
        self._max_depth = max_depth

    async def __call__(self, arguments: Any, run: ToolRun) -> str:
        """Raises `ToolFailure` for what is refused, and for a child that does not complete."""
        parent: Agent = run.agent
        if not hasattr(parent, "session"):
            raise ToolFailure("only a running agent can hand work to a child", "CANNOT_START")
        title = str(arguments.get("title") or "child")
        request = SubagentRequest(parent, str(arguments["task"]), title, self._max_depth)
        try:
            child = await start_child(self._provider, request)
        except SubagentError as error:
            raise ToolFailure(str(error), error.code) from error
        if arguments.get("run_in_background"):
            parent.ctx.task(self._report(parent, child, title), f"child {title}")
            return f"The child {child.id} has begun. Its result arrives by itself."
        try:
            result = await child.result()
        finally:
            await child.dispose()
        if not result.is_completed:
            raise ToolFailure(told(result), "SUBAGENT_FAILED")
        return result.text or "The child has finished without a word."

    async def _report(self, parent: Agent, child: SubagentRun, title: str) -> None:
        """Wait in the background, and tell the parent, which is woken by it."""
        try:
            result = await child.result()
        finally:
            await child.dispose()
        text = result.text if result.is_completed else told(result)
        report = f"Result of the child “{title}” ({child.id}):\n\n{text}"
        parent.steer(plugin_message(report, self._plugin, form="report", child=child.id))


def told(result: SubagentResult) -> str:
    """Why a child did not complete, with what it had said until then set apart."""
    reason = "" if result.failure is None else f": {result.failure.get('code')}: {result.failure.get('message')}"
    partial = f"\n\nWhat it had said until then:\n{result.text}" if result.text else ""
    return f"the child has ended without completing its work ({result.stop_reason}{reason}){partial}"
