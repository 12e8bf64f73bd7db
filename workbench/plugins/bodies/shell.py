"""Body of the shell tool, over the service `shell`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.plugins.serving import service
from workbench.tools.decisions import Success
from workbench.tools.failure import ToolFailure

if TYPE_CHECKING:
    from workbench.core import Context
    from workbench.tools.runs import ToolRun


async def run_command(ctx: Context, arguments: Mapping[str, Any], run: ToolRun, seconds: int) -> Success:
    """Both outputs and the exit status. A status other than 0 is an answer, and no failure of the call."""
    limit = arguments.get("timeout_seconds", seconds)
    ended = await service(ctx, "shell").run(
        arguments["command"],
        cwd=run.cwd,
        directory=arguments.get("directory"),
        timeout_seconds=limit,
        dialect=run.name if run.name in ("bash", "pwsh") else "bash",
    )
    shown = outputs(ended.out.text, ended.err.text)
    if ended.timed_out:
        message = f"the command took longer than {limit} seconds and was stopped, with all that it had started"
        raise ToolFailure(f"{message}\n{shown}".rstrip(), "COMMAND_TIMEOUT")
    value = {"exit_status": ended.status, "stdout": ended.out.text, "stderr": ended.err.text}
    how = f"exit status {ended.status}" if ended.status >= 0 else f"killed by signal {-ended.status}"
    return Success(value, f"{shown}[{how}]")


def outputs(out: str, err: str) -> str:
    """Both outputs as the model reads them, each ending with a line end."""
    text = _ended(out)
    return f"{text}[standard error]\n{_ended(err)}" if err else text


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"
