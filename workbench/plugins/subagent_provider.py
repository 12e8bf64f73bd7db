"""A subagent provider that starts nothing: it stands in for a real one where only the prompt matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.plugins.settings import Settings

if TYPE_CHECKING:
    from workbench.core import Context

name = "subagent_provider"
inject = ["subagents"]


@dataclass(frozen=True)
class Config(Settings):
    """What the provider is."""

    name: str = "spawn"
    """What tools call it by."""
    inherits_parent_context: bool = False
    """Whether children start with the completed turns of their parent's conversation."""


def apply(ctx: Context, config: Config) -> None:
    """Register the provider: the settings themselves say all that there is to say about it."""
    ctx.subagents.register(config)
