"""The five tools with which a model inspects the harness that it runs in, and extends it with its own packages.

Without the plugin `package_runner` they never activate. Source: docs/dynamic-packages.md 1 and 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.plugins.settings import Settings

if TYPE_CHECKING:
    from workbench.core import Context

name = "package_tools"
inject = ["system_prompt", "tools", "dynamic"]
owner_kind = "harness"


@dataclass(frozen=True)
class Config(Settings):
    """There is nothing to configure."""


def apply(ctx: Context, _config: Config) -> None:
    """Register `cordis_inspect`, `_define`, `_run`, `_stop` and `_undefine`, and their section."""
    from workbench.dynamic.toolset import register_tools

    register_tools(ctx)
