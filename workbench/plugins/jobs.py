"""Background jobs: commands that outlive the call that started them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.plugins.guidance import register_section
from workbench.plugins.parameters import NULLABLE_NUMBER, TEXT, TRUTH, closed_object, every_key
from workbench.plugins.serving import body
from workbench.plugins.settings import Settings
from workbench.prompt import ToolSchema
from workbench.tools.output import OutputDeclaration

if TYPE_CHECKING:
    from workbench.core import Context

name = "jobs"
inject = ["system_prompt", "tools"]

_JOB = {"type": "string", "minLength": 1, "description": "Id of the job, as it was given when the job started."}

JOB_START = ToolSchema(
    "job_start",
    "Start a command in the background and return the id of its job at once. For what runs longer than you "
    "want to wait, or until it is stopped: a server, a watcher, a long build. What it prints is kept until "
    "the job is removed. You are told when it ends.",
    closed_object(
        {
            "command": {"type": "string", "minLength": 1, "description": "The command line to run."},
            "purpose": {
                "type": "string",
                "description": "What the job is for, in one short phrase that tells it from the others.",
            },
            "directory": {
                "type": "string",
                "description": "Directory to run in. Without it, the working directory.",
            },
        },
        ["command", "purpose"],
    ),
)

JOB_OUTPUT = ToolSchema(
    "job_output",
    "Read what a job has printed since it was last read, together with its state and, when it has ended, "
    "its exit status. Can wait for more.",
    closed_object(
        {
            "job": _JOB,
            "wait_seconds": {
                "type": "integer",
                "minimum": 0,
                "maximum": 600,
                "default": 0,
                "description": "Return as soon as there is new output or the job has ended, at the latest "
                "after this many seconds. 0 does not wait.",
            },
            "from_start": {
                "type": "boolean",
                "default": False,
                "description": "Read everything that is kept, also what was read before.",
            },
        },
        ["job"],
    ),
)

JOB_LIST = ToolSchema(
    "job_list",
    "List the jobs of this session, each with its id, purpose, command, state, start time and, when it has "
    "ended, its exit status.",
    closed_object(
        {
            "state": {
                "type": "string",
                "enum": ["running", "ended", "all"],
                "default": "all",
                "description": "Which of them to list.",
            },
        },
    ),
)

JOB_STOP = ToolSchema(
    "job_stop",
    "Stop a job with every process that it has started, and return the rest of its output. A job that has "
    "ended already is left as it is.",
    closed_object(
        {
            "job": _JOB,
            "grace_seconds": {
                "type": "integer",
                "minimum": 0,
                "maximum": 60,
                "default": 5,
                "description": "How long the job may take to end by itself before it is killed.",
            },
        },
        ["job"],
    ),
)

_READING = every_key(output=TEXT, is_running=TRUTH, exit_status=NULLABLE_NUMBER)
_LISTED = every_key(
    job=TEXT, purpose=TEXT, command=TEXT, is_running=TRUTH, exit_status=NULLABLE_NUMBER, started_at=TEXT
)
JOB_TOOLS: tuple[ToolSchema, ...] = (JOB_START, JOB_OUTPUT, JOB_LIST, JOB_STOP)


@dataclass(frozen=True)
class Config(Settings):
    """Whether the prompt speaks of jobs."""

    guidance: bool = True
    """False leaves the section out; the tools stay."""


def apply(ctx: Context, config: Config) -> None:
    """Register the four tools and one section for all of them."""
    for schema, function, value in (
        (JOB_START, "start", every_key(job=TEXT)),
        (JOB_OUTPUT, "output", _READING),
        (JOB_LIST, "list_jobs", every_key(jobs={"type": "array", "items": _LISTED})),
        (JOB_STOP, "stop", _READING),
    ):
        ctx.tools.register(
            schema,
            body(ctx, "jobs", function),
            output=OutputDeclaration(value),
            is_concurrency_safe=schema in (JOB_OUTPUT, JOB_LIST),
        )

    async def end_jobs(agent: Any) -> None:
        """A session that is gone has no jobs."""
        close_of = getattr(ctx.get("shell"), "close_of", None)
        if close_of is not None:
            await close_of(str(agent.id))

    ctx.on("agent/removed", end_jobs, everywhere=True)
    if config.guidance:
        register_section(ctx, "tool:jobs", "TOOL_JOBS", "jobs", tools=("job_start",))
