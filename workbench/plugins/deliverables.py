"""How the final answer refers to files, so that a person can open what it speaks of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.plugins.guidance import register_section
from workbench.plugins.settings import Settings

if TYPE_CHECKING:
    from workbench.core import Context

name = "deliverables"
inject = ["system_prompt"]


@dataclass(frozen=True)
class Config(Settings):
    """There is nothing to configure; a key that says something is a mistake."""


def apply(ctx: Context, config: Config) -> None:
    """Register the one section at `DELIVERABLE_FILE_REFERENCES`."""
    register_section(ctx, "ui:deliverable-file-references", "DELIVERABLE_FILE_REFERENCES", "deliverables")
