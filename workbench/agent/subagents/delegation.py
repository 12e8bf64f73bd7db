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

    def __init__(
        self, plugin: str, provider: SubagentProvider, max_depth: int, *, keeps_children: bool = False
    ) -> None:
        self._plugin = plugin
        self._provider = provider
        self._max_depth = max_depth
        self._keeps_children = keeps_children
        """Whether a child that has finished stays for more work, as long as its parent does."""
        self._kept: dict[str, dict[str, SubagentRun]] = {}
        """By the id of the parent, by that of the child."""

    async def __call__(self, arguments: Any, run: ToolRun) -> str:
        """Raises `ToolFailure` for what is refused, and for a child that does not complete."""
        parent: Agent = run.agent
        if not hasattr(parent, "session"):
            raise ToolFailure("only a running agent can hand work to a child", "CANNOT_START")
        title = str(arguments.get("title") or "child")
        child = await self._working_child(parent, title, str(arguments["task"]), arguments.get("child"))
        if arguments.get("run_in_background"):
            parent.ctx.task(self._report(parent, child, title), f"child {title}")
            return f"The child {child.id} has begun. Its result arrives by itself."
        result = await self._result(parent, child)
        if not result.is_completed:
            raise ToolFailure(told(result), "SUBAGENT_FAILED")
        text = result.text or "The child has finished without a word."
        return f"{text}\n\n(Child {child.id}, which can be given more work.)" if self._keeps_children else text

    async def _working_child(self, parent: Agent, title: str, task: str, child_id: str | None) -> SubagentRun:
        if child_id is not None:
            waiting = self._kept.get(parent.id, {})
            kept = waiting.pop(child_id, None)
            if kept is None:
                known = ", ".join(waiting) or "none"
                raise ToolFailure(f"no child {child_id} waits for more work; there are: {known}", "UNKNOWN_CHILD")
            kept.say(task)
            return kept
        request = SubagentRequest(parent, task, title, self._max_depth)
        try:
            return await start_child(self._provider, request)
        except SubagentError as error:
            raise ToolFailure(str(error), error.code) from error

    async def _result(self, parent: Agent, child: SubagentRun) -> SubagentResult:
        """Wait for it. What is not kept is disposed of, on every path."""
        is_kept = False
        try:
            result = await child.result()
            is_kept = self._keeps_children
        finally:
            if not is_kept:
                await child.dispose()
        if is_kept:
            self._children_of(parent)[child.id] = child
        return result

    def _children_of(self, parent: Agent) -> dict[str, SubagentRun]:
        """The children that wait for more work; they go with their parent, and so does what is known of them."""
        if parent.id not in self._kept:
            self._kept[parent.id] = {}

            def forget() -> None:
                del self._kept[parent.id]

            parent.ctx.effect(lambda: forget, "kept children")
        return self._kept[parent.id]

    async def _report(self, parent: Agent, child: SubagentRun, title: str) -> None:
        """Wait in the background, and tell the parent, which is woken by it."""
        result = await self._result(parent, child)
        text = result.text if result.is_completed else told(result)
        report = f"Result of the child “{title}” ({child.id}):\n\n{text}"
        parent.steer(plugin_message(report, self._plugin, form="report", child=child.id))


def told(result: SubagentResult) -> str:
    """Why a child did not complete, with what it had said until then set apart."""
    reason = "" if result.failure is None else f": {result.failure.get('code')}: {result.failure.get('message')}"
    partial = f"\n\nWhat it had said until then:\n{result.text}" if result.text else ""
    return f"the child has ended without completing its work ({result.stop_reason}{reason}){partial}"
