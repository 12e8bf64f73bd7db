"""The ASCII forms of our own signs, for terminals and fonts that do not have them, or make them too wide.

Each takes one cell, as its sign does: nothing moves. Text from outside is never touched.
Source: docs/tui.md 5.
"""

from __future__ import annotations

from typing import Final

ASCII: Final = {
    "−": "-",
    "»": "&",
    "∅": "/",
    "↑": "^",
    "↓": "v",
    "←": "<",
    "→": ">",
    "↕": "@",
    "◆": "!",
    "●": "*",
    "◐": "%",
    "◌": ":",
    "○": "o",
    "×": "x",
    "–": "_",
    "✓": "y",
    "◂": "<",
    "▸": ">",
    "▾": "v",
    "≈": "~",
    "•": "#",
    "━": "=",
    "╳": "X",
    "╍": ":",
    "─": ".",
    "▌": "|",
    "▎": "|",
    "├": "|",
    "└": "`",
    "·": ".",
    "⋯": ":",
    "…": ".",
    "“": '"',
    "”": '"',
}
"""By the sign. That of an estimate is the one of a change: a number stands behind it."""

_TABLE: Final = str.maketrans(ASCII)


def in_ascii(text: str) -> str:
    """Text of ours with its signs in ASCII."""
    return text.translate(_TABLE)
