"""How long a text is, in the unit that budgets count in.

Source: docs/checks.md 4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

CHARACTERS_PER_TOKEN = 4
"""Where nothing counts tokens: what English prose has on average."""


@dataclass(frozen=True, slots=True)
class Measure:
    """Counts texts."""

    unit: str
    """As a message names it."""
    count: Callable[[str], int]


def measure(unit: str) -> Measure:
    """The measure of that unit."""
    if unit == "characters":
        return Measure("characters", len)
    return Measure("tokens (estimated)", lambda text: -(-len(text) // CHARACTERS_PER_TOKEN))
