"""What a command is. The table of all of them is `commands.py`.

An id is for ever, a key is only a default. The name of the action is the last part of the id, so
`prompt.find` is `action_find` of the place Prompt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Where: TypeAlias = Literal[
    "app",
    "prompt",
    "trace",
    "registry",
    "compare",
    "session",
    "packages",
    "team",
    "start",
    "lines",
    "list",
    "text",
]
"""Who carries the command out: the app, a place, or a pane inside one (`lines`: any pane with lines)."""


@dataclass(frozen=True, slots=True)
class Command:
    """Something that a person can ask for."""

    id: str
    title: str
    """As the palette names it."""
    keys: tuple[str, ...]
    """Textual key names, the one to show first."""
    help: str
    """One sentence."""
    hint: str = ""
    """Word beside the key at the bottom line; empty: not there."""
    label: str = ""
    """How the key is written, where its name is not it."""
    in_palette: bool = True
    always: bool = False
    """Its hint stands at the right end and never falls off."""
    urgent: frozenset[str] = frozenset()
    """Those of its keys that work whatever lies on top or has the focus."""
    rank: int = 1
    """Hints of rank 0 come first, among equals in the order of the table."""
    gives_way: bool = False
    """A place may use its keys for the same of its own."""
    when: str = ""
    """Then only the hint is shown, and before all others: `failing`, `found`, `filtered`, `noted`, `pending`,
    `past`, `rewritten`, `stopped`."""

    @property
    def where(self) -> str:
        """The first part of the id."""
        return self.id.partition(".")[0]

    @property
    def action(self) -> str:
        """The name of the method, without `action_`."""
        return self.id.partition(".")[2]

    @property
    def key_label(self) -> str:
        """The first key as a person reads it."""
        return self.label or (KEY_NAMES.get(self.keys[0], self.keys[0]) if self.keys else "–")


KEY_NAMES = {
    "slash": "/",
    "question_mark": "?",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "colon": ":",
    "comma": ",",
    "full_stop": ".",
    "plus": "+",
    "minus": "-",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "greater_than_sign": ">",
    "less_than_sign": "<",
    "escape": "esc",
    "pageup": "pgup",
    "pagedown": "pgdn",
}
