"""How an event stands on the surface: appended, or in the place of others.

Source: docs/sessions.md 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from workbench.agent.log.errors import LogError


@dataclass(frozen=True, slots=True)
class Replace:
    """The event takes the place of a run of nodes."""

    start: int
    """Seq of the first node that is replaced."""
    end: int
    """Seq of the last one: the same, or a later node of the surface."""

    def to_json(self) -> dict[str, Any]:
        return {"op": "replace", "start": self.start, "end": self.end}


SurfaceOp = Literal["append"] | Replace


def surface_op_json(op: SurfaceOp) -> str | dict[str, Any]:
    """As a log holds it."""
    return op.to_json() if isinstance(op, Replace) else op


def surface_op_from(value: object) -> SurfaceOp:
    """From what a log holds. Raises `LogError` INVALID_SURFACE_OP for anything else."""
    if value == "append":
        return "append"
    if isinstance(value, Mapping) and value.get("op") == "replace":
        start, end = value.get("start"), value.get("end")
        if type(start) is int and type(end) is int:
            return Replace(start, end)
    raise LogError("INVALID_SURFACE_OP", f'a surfaceOp is "append" or a replacement of nodes, not {value!r}')
