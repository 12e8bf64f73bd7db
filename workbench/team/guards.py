"""What an orchestrator may not do, whatever its prompt says: it never waits.

Source: docs/team.md 13.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.prompt.tool_schema import decode_json

if TYPE_CHECKING:
    from workbench.tools.events import Invocation
    from workbench.tools.facade import ToolsFacade
    from workbench.tools.registry import ToolRegistry

MAX_SHELL_MS = 30_000
MAX_WAIT_MS = 5_000
SHELLS: dict[str, str] = {"bash": "bash", "shell": "bash", "pwsh": "pwsh"}
"""Tools that run a command while the model waits, and the language of it."""
STARTERS: dict[str, str] = {"job_start": "bash"}
"""Tools that run a command in the background."""
JOBS = frozenset({"job_output", "job_wait", "jobs"})
"""Tools that may wait for a job."""
ENDERS = frozenset({"job_stop"})
"""Tools that wait while a job ends."""
_BACKGROUND = ("background", "run_in_background", "runInBackground")


class NoWaiting:
    """The guard of one orchestrator's scope. It only ever refuses."""

    def __init__(self, registry: ToolRegistry) -> None:
        self._registry = registry

    def __call__(self, call: Invocation) -> str | None:
        arguments = call.arguments
        if not isinstance(arguments, Mapping):
            return None
        dialect = SHELLS.get(call.name) or STARTERS.get(call.name)
        if dialect is not None and isinstance(arguments.get("command"), str):
            from workbench.team.shell_commands import starts_sleep  # loads a grammar

            if starts_sleep(arguments["command"], dialect):
                return "sleep is not run here: reports and finished jobs arrive by themselves; end the turn instead"
        if call.name in SHELLS and not any(arguments.get(name) is True for name in _BACKGROUND):
            return self._too_long(call, "timeout", MAX_SHELL_MS, "the timeout of a command")
        if call.name in JOBS:
            return self._too_long(call, "wait", MAX_WAIT_MS, "the wait for a job", unbounded=0)
        if call.name in ENDERS:
            return self._too_long(call, "grace", MAX_WAIT_MS, "the wait for the end of a job", unbounded=0)
        return None

    def _too_long(
        self, call: Invocation, what: str, most: int, said: str, unbounded: float | None = None
    ) -> str | None:
        took = self._effective(call, what)
        if took is None:
            took = unbounded
        if took is None:
            return f"{said} must be stated, and be at most {most // 1000} seconds"
        if took <= most:
            return None
        return f"{said} is {took:g} ms, and at most {most} ms ({most // 1000} seconds) are allowed here"

    def _effective(self, call: Invocation, what: str) -> float | None:
        """Milliseconds: the argument, else the tool's default in this scope; None without either."""
        tool = self._registry.lookup(call.name, call.scope)
        properties: Mapping[str, Any] = {}
        if tool is not None:
            properties = decode_json(tool.schema.parameters_json).get("properties", {})
        found: float | None = None if tool is None or what != "timeout" else tool.timeout_ms
        assert isinstance(call.arguments, Mapping)
        for name, factor in _spellings(what):
            default = properties.get(name, {}).get("default") if isinstance(properties.get(name), Mapping) else None
            value = call.arguments.get(name, default)
            if isinstance(value, int | float) and not isinstance(value, bool):
                found = value * factor if found is None else min(found, value * factor)
        return found


def bound_defaults(tools: ToolsFacade) -> None:
    """What a call gets here that leaves the time out: no more than the guard allows."""
    for names, what, most in ((SHELLS, "timeout", MAX_SHELL_MS), (JOBS, "wait", MAX_WAIT_MS)):
        tools.bound_defaults(names, {name: most // factor for name, factor in _spellings(what)})


def _spellings(what: str) -> tuple[tuple[str, int], ...]:
    """Names of the argument, each with the milliseconds of its unit."""
    return ((f"{what}_ms", 1), (f"{what}Ms", 1), (f"{what}_seconds", 1000), (f"{what}Seconds", 1000))
