"""One offending line, with a caret below it, cut to what can be read."""

from __future__ import annotations

WIDTH = 120
"""Characters of the line that are shown, around the column."""


def excerpt(source: str, line: int, column: int) -> str:
    """The line and a caret below its `column`, both from 1. A line that is not there shows the last one."""
    lines = source.splitlines() or [""]
    shown = lines[min(max(line, 1), len(lines)) - 1].expandtabs(1)
    at = min(max(column, 1) - 1, len(shown))
    start = max(0, min(at - WIDTH // 2, len(shown) - WIDTH))
    return f"  {shown[start : start + WIDTH]}\n  {' ' * (at - start)}^"
