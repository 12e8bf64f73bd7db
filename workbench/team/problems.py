"""Why a save was refused: codes, paths and sentences, all together.

Source: docs/team.md 10.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

Code = Literal[
    "unknown_key",
    "missing_key",
    "wrong_type",
    "unknown_part",
    "missing_placeholder",
    "reserved_skill_name",
    "invalid_skill",
    "duplicate_skill_name",
    "invalid_rule",
    "size_limit",
    "unknown_base",
    "unknown_revision",
    "conflict",
]


@dataclass(frozen=True, slots=True)
class Problem:
    """One violation."""

    code: Code
    path: str
    """Where in the proposal, such as `policy.rules[2].name`; empty for the whole."""
    message: str
    details: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """What belongs to the code: `missing` tokens, `bytes` and `limit`, `base` and `newest`."""

    def to_json(self) -> dict[str, Any]:
        return {"code": self.code, "path": self.path, "message": self.message, **self.details}

    def __str__(self) -> str:
        return f"{self.code}{f' at {self.path}' if self.path else ''}: {self.message}"


class Refused(Exception):
    """A save, restore or check that is not accepted. Nothing was written."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = problems

    @property
    def codes(self) -> tuple[str, ...]:
        """In the order in which they were found."""
        return tuple(problem.code for problem in self.problems)

    def to_json(self) -> list[dict[str, Any]]:
        return [problem.to_json() for problem in self.problems]


class Conflict(Refused):
    """Somebody else has saved since. The draft and its base stay as they are."""

    def __init__(self, base: int, newest: int) -> None:
        message = (
            f"this was made from revision {base}, and the newest is {newest}; compare them with what you have, "
            f"set the base to {newest} and save again"
        )
        super().__init__((Problem("conflict", "", message, {"base": base, "newest": newest}),))
        self.base = base
        self.newest = newest
