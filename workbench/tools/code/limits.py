"""What one program may use.

Source: docs/tools.md 10.3.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProgramLimits:
    """What one program may use."""

    seconds: float = 120
    """Time in which it computes; waiting for its calls does not count."""
    output_characters: int = 30_000
    """Of what it prints, so much is kept: the beginning and the end."""
    flood_characters: int = 2_000_000
    """A program that prints more is ended, as an error."""
    value_characters: int = 1_000_000
    """Of what it returns, as JSON."""
    memory_bytes: int = 2 * 1024**3
