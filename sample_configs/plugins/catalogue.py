"""As many sections as one asks for, for the sample big.yml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.core import Context

name = "catalogue"
inject = ["system_prompt"]


@dataclass(frozen=True)
class Settings:
    """How much of it."""

    sections: int = 1000
    collection: str = "collection"


def Config(given: Mapping[str, Any] | None) -> Settings:
    """The settings from the composition. A typing mistake in a key is an error that names it."""
    return Settings(**(given or {}))


KINDS = ("ceramics", "coins", "letters", "maps", "masks", "musical instruments", "photographs", "textiles")
HANDLING = ("with gloves", "flat, never rolled", "in the dark", "by two people", "in its own box")


def apply(ctx: Context, config: Settings) -> None:
    """Register the sections, some of which refer to a variable."""
    prompt = ctx.system_prompt
    for number in range(config.sections):
        kind, handling = KINDS[number % len(KINDS)], HANDLING[number % len(HANDLING)]
        text = (
            f"{config.collection.capitalize()} {number}: {kind}. Describe each piece by material, size and "
            f"origin. Pieces are handled {handling}."
        )
        if number % 100 == 0:
            text += " Note in the entry that {{model}} wrote it."
        prompt.section(f"{config.collection}:{number:04}", 100 + number, text)
