"""The registry of subagent providers, as a plugin: provides `subagents`.

Source: docs/contributors.md 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.agent.subagents.registry import PROVIDER_ADDED, PROVIDER_REMOVED, SubagentProviders
from workbench.plugins.settings import Settings

if TYPE_CHECKING:
    from workbench.core import Context

name = "subagents"
inject: list[str] = []
provides = ["subagents"]


@dataclass(frozen=True)
class Config(Settings):
    """There is nothing to configure; a key that says something is a mistake."""


def apply(ctx: Context, config: Config) -> None:
    """Provide `subagents`."""
    ctx.declare(PROVIDER_ADDED)
    ctx.declare(PROVIDER_REMOVED)
    ctx.provide("subagents", SubagentProviders(ctx))
