"""The shell tool of Windows. It is `shell` with PowerShell, under a name of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.plugins import shell
from workbench.plugins.settings import Between, Settings

if TYPE_CHECKING:
    from workbench.core import Context

name = "pwsh"
inject = ["system_prompt", "tools"]


@dataclass(frozen=True)
class Config(Settings):
    """How long one command may take."""

    timeout_seconds: Annotated[int, Between(1, 3600)] | None = None
    """Limit for a command that names none. None: 120, or less where the scope says so."""
    guidance: bool = True
    """False leaves the section out; the tool itself stays."""


def apply(ctx: Context, config: Config) -> None:
    """Register the tool `pwsh` and, unless it is switched off, its section."""
    shell.apply(ctx, shell.Config("pwsh", config.timeout_seconds, config.guidance))
