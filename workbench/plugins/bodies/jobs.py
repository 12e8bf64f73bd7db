"""Bodies of the job tools, over the service `shell`."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.plugins.serving import service
from workbench.tools.decisions import Success

if TYPE_CHECKING:
    from workbench.core import Context
    from workbench.tools.runs import ToolRun

log = logging.getLogger("workbench.plugins")
Arguments = Mapping[str, Any]


async def start(ctx: Context, arguments: Arguments, run: ToolRun) -> Success:
    """The id of the new job. When it ends, the agent that started it is told."""
    job = await service(ctx, "shell").start(
        arguments["command"],
        purpose=arguments["purpose"],
        cwd=run.cwd,
        directory=arguments.get("directory"),
        owner=run.session_id,
    )
    agent = run.agent
    job.when_ended(lambda ended: tell(agent, ended))
    return Success({"job": job.id}, f"Started {job.id}: {job.purpose}.")


async def output(ctx: Context, arguments: Arguments, run: ToolRun) -> Success:
    """What is new, and the state."""
    job = service(ctx, "shell").job(arguments["job"], run.session_id)
    captured = await job.output(arguments.get("wait_seconds", 0), arguments.get("from_start", False))
    return _shown(job, captured.text)


async def list_jobs(ctx: Context, arguments: Arguments, run: ToolRun) -> Success:
    """One line for each job of this session."""
    wanted = arguments.get("state", "all")
    jobs = [
        job
        for job in service(ctx, "shell").jobs.values()
        if job.owner == run.session_id and wanted in ("all", "running" if job.is_running else "ended")
    ]
    value = [
        {
            "job": job.id,
            "purpose": job.purpose,
            "command": job.command,
            "is_running": job.is_running,
            "exit_status": job.status,
            "started_at": _clock(job.started_at),
        }
        for job in jobs
    ]
    lines = [
        f"{job.id} ({job.state}, since {_clock(job.started_at)}): {job.purpose}: {job.command}" for job in jobs
    ]
    return Success({"jobs": value}, "\n".join(lines) or "[There are no such jobs.]")


async def stop(ctx: Context, arguments: Arguments, run: ToolRun) -> Success:
    """End the job with everything it has started."""
    job = service(ctx, "shell").job(arguments["job"], run.session_id)
    await job.stop(arguments.get("grace_seconds", 5))
    captured = await job.output()
    return _shown(job, captured.text)


def tell(agent: Any, job: Any) -> None:
    """Say to the agent, at its next step, that a job has ended; it is not woken for that."""
    inject = getattr(agent, "inject", None)
    if inject is None:
        return
    text = f"The job {job.id} ({job.purpose}) has {job.state}. Read its output with job_output."
    try:
        inject(
            {
                "role": "user",
                "content": [{"type": "text", "text": text}],
                "source": {"kind": "plugin", "plugin": "jobs"},
            }
        )
    except Exception as error:
        log.info("the end of %s could not be told: %s", job.id, error)  # the agent is gone


def _shown(job: Any, text: str) -> Success:
    value = {"output": text, "is_running": job.is_running, "exit_status": job.status}
    separator = "" if not text or text.endswith("\n") else "\n"
    return Success(value, f"{text}{separator}[{job.state}]")


def _clock(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
