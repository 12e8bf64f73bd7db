"""Tells the model where the source of the harness itself can be read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.plugins.settings import Settings
from workbench.prompt import add_harness_source

if TYPE_CHECKING:
    from workbench.core import Context

name = "harness_source"
inject = ["system_prompt"]


@dataclass(frozen=True)
class Config(Settings):
    """Which checkout the section names."""

    root: str | None = None
    """Absolute path of the checkout. Without it: the directory that this very package was loaded from."""


def apply(ctx: Context, config: Config) -> None:
    """Register the one section at `HARNESS_SOURCE`."""
    add_harness_source(ctx, config.root if config.root is not None else str(running_checkout()))


def running_checkout() -> Path:
    """The directory that holds the package `workbench` of this process."""
    return Path(__file__).resolve().parents[2]
