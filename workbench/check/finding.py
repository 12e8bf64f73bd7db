"""A finding: one thing that is wrong, whose it is, where it stands, and what to do.

Source: docs/checks.md 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.prompt import Owner, Position

Severity = Literal["error", "warning", "note"]
"""An error cannot be sent or is refused; a warning most likely does harm; a note fails nothing."""

Part = Literal["section", "context", "variable", "tool", "plugin", "prompt", "file"]

_RANK: dict[Severity, int] = {"error": 0, "warning": 1, "note": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding. A rule gives it without its own id, which whoever runs the rule puts in front."""

    rule: str = ""
    """Id of the rule, with its kind behind a slash where it finds several. A rule gives the kind alone."""
    severity: Severity = "warning"
    message: str
    """What is wrong, as one line without a full stop."""
    remedy: str = ""
    """What to do about it, as an imperative."""
    part: Part = "file"
    name: str = ""
    """Of the section, context, variable, tool or plugin."""
    owner: Owner | None = None
    position: Position | None = None
    """Place in a file; None when it came from no file and from no code that is known."""
    length: int = 1
    """Characters from there on that are meant."""
    line: int | None = None
    """Line in the raw text of the part, from 1, where the place is one inside it."""
    column: int | None = None
    scopes: tuple[str, ...] = ()
    """Layers whose assemblies show it; empty when it concerns the file and no assembly."""
    pointer: str | None = None
    """JSON pointer into the parameters of the tool; the empty pointer is the whole of them."""
    source: str = ""
    """Public page that the rule rests on, where it rests on one."""

    @property
    def reading_order(self) -> tuple[str, int, int, int, str, str]:
        """By file and place, then the worse one first."""
        file, line, column = self.position or ("", 0, 0)
        return file, line, column, _RANK[self.severity], self.rule, self.message

    @property
    def place(self) -> str:
        """`file:line:column`, or what it is about when there is none."""
        return str(self.position) if self.position else f"{self.part} {self.name}".rstrip()

    @property
    def fails(self) -> bool:
        """Whether it makes a check fail."""
        return self.severity != "note"
