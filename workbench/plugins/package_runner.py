"""Runs dynamic packages: the service `dynamic`. Treat it like shell access: packages act with the process's rights.

Off by default, like the toolset: a composition has packages only where it names both. Source:
docs/dynamic-packages.md 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from workbench.plugins.settings import Between, Settings

if TYPE_CHECKING:
    from workbench.core import Context

name = "package_runner"
inject = {"required": ["system_prompt", "tools"], "optional": ["agents"]}
provides = ["dynamic"]
owner_kind = "harness"


@dataclass(frozen=True)
class Config(Settings):
    """How packages are run."""

    sync_budget_ms: Annotated[int, Between(1, 600_000)] = 5000
    """The longest synchronous stretch of package code, in milliseconds; what a package awaits has no limit."""


async def apply(ctx: Context, config: Config) -> None:
    """Ready to run packages when this returns."""
    from workbench.dynamic.runner import start_runner

    await start_runner(ctx, config.sync_budget_ms)
