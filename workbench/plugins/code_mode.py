"""Code mode: the model writes programs that call the tools, instead of calling them one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from workbench.plugins.settings import Between, Settings
from workbench.tools.code.limits import ProgramLimits
from workbench.tools.code.mode import CodeMode

if TYPE_CHECKING:
    from workbench.core import Context

name = "code_mode"
inject = ["system_prompt", "tools"]


@dataclass(frozen=True)
class Config(Settings):
    """How the tools are presented, and what one program may use."""

    presentation: Literal["native", "code", "both"] = "code"
    """`code`: programs alone. `both`: programs beside direct calls. `native`: only where a scope decides so."""
    time_limit_seconds: Annotated[int, Between(1, 3600)] = 120
    """For computing; waiting for calls does not count."""
    output_characters: Annotated[int, Between(1000, 1_000_000)] = 30_000
    """What is kept of the output of one program."""


def apply(ctx: Context, config: Config) -> None:
    """Register `run_code`, its two sections, and the presentation."""
    limits = ProgramLimits(config.time_limit_seconds, config.output_characters)
    CodeMode(ctx, None if config.presentation == "native" else config.presentation, limits)
