"""The shell tool, `bash` or `pwsh`, and the habits that go with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from workbench.plugins.guidance import register_guidance
from workbench.plugins.parameters import NUMBER, TEXT, every_key
from workbench.plugins.settings import Between, Settings
from workbench.prompt import ToolSchema
from workbench.tools.output import OutputDeclaration

if TYPE_CHECKING:
    from workbench.core import Context
    from workbench.tools.runs import ToolRun

name = "shell"
inject = ["system_prompt", "tools"]

Dialect = Literal["bash", "pwsh"]

POSITIONS: dict[Dialect, str] = {"bash": "TOOL_BASH", "pwsh": "TOOL_PWSH"}
DEFAULT_SECONDS = 120
SHELLS: dict[Dialect, str] = {"bash": "Bash", "pwsh": "PowerShell"}


@dataclass(frozen=True)
class Config(Settings):
    """Which shell the agent gets, and how long one command may take."""

    dialect: Dialect = "bash"
    """Also the name of the tool."""
    timeout_seconds: Annotated[int, Between(1, 3600)] | None = None
    """Limit for a command that names none. None: 120, or less where the scope says so."""
    guidance: bool = True
    """False leaves the section out; the tool itself stays."""


def schema(config: Config) -> ToolSchema:
    """The tool as the model sees it."""
    shell = SHELLS[config.dialect]
    parameters: dict[str, Any] = {
        "type": "object",
        "properties": {
            "command": {
                "type": "string",
                "minLength": 1,
                "description": f"The {shell} command line to run. Several lines are run as one script.",
            },
            "purpose": {
                "type": "string",
                "description": "What the command is for, in one short phrase that a person can approve or refuse.",
            },
            "directory": {
                "type": "string",
                "description": "Directory to run in, absolute or relative to the working directory. "
                "Without it, the working directory.",
            },
            "timeout_seconds": {
                "type": "integer",
                "minimum": 1,
                "maximum": 3600,
                "default": config.timeout_seconds or DEFAULT_SECONDS,
                "description": "The command is stopped after this many seconds.",
            },
        },
        "required": ["command", "purpose"],
        "additionalProperties": False,
    }
    return ToolSchema(
        name=config.dialect,
        description=f"Run a {shell} command and return its standard output, its standard error and its "
        "exit status. Every call starts a new shell: variables, functions and directory changes of an "
        "earlier call are gone. Very long output is shortened in the middle, with a mark where something "
        "is missing.",
        parameters=parameters,
    )


def apply(ctx: Context, config: Config) -> None:
    """Register the tool and, unless it is switched off, its section."""
    tool = schema(config)

    async def run_command(arguments: Any, run: ToolRun) -> Any:
        from workbench.plugins.bodies.shell import run_command as run_it

        return await run_it(ctx, arguments, run, config.timeout_seconds or DEFAULT_SECONDS)

    value = every_key(exit_status=NUMBER, stdout=TEXT, stderr=TEXT)
    shipped = () if config.timeout_seconds else ("timeout_seconds",)
    ctx.tools.register(tool, run_command, output=OutputDeclaration(value), shipped_defaults=shipped)
    if config.guidance:
        register_guidance(ctx, tool.name, POSITIONS[config.dialect], "shell")
