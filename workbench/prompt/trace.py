"""The record of one assembly: its stages, its listeners, and what each of them changed.

Source: docs/prompt-assembly.md 9 and docs/runtime.md 7.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from workbench.prompt.source import TextSource
    from workbench.prompt.views import Owner

Outcome = Literal["passed", "short-circuited", "not awaited", "raised", "skipped", "not reached"]
Phase = Literal["before next", "after next"]


@dataclass(frozen=True, slots=True)
class Change:
    """One difference that a listener made to an assembly."""

    kind: Literal["section", "context", "tool", "variable"]
    name: str
    action: Literal["added", "removed", "changed", "moved"]
    before: str | None
    """Raw text, schema as JSON, or value before; None when there was nothing."""
    after: str | None
    phase: Phase
    remark: str = ""
    """Such as `its order 0 has no effect: sections are sorted before the waterfall`."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of docs/prompt-assembly.md 6."""

    name: Literal["collected", "ordered", "waterfall", "complete restored", "suppressed", "rendered"]
    duration_ns: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Work:
    """A time in which a listener itself was at work: before `next()`, between two calls of it, or after."""

    start_ns: int
    """Since the assembly began."""
    end_ns: int
    size_before: int | None
    """Characters of all sections and contexts, before interpolation; None where that cannot be said."""
    size_after: int | None


@dataclass(frozen=True, slots=True)
class ListenerSpan:
    """One listener's part of one assembly."""

    owner: Owner
    scope: str
    """Label of the scope it was registered in; empty for a global listener."""
    label: str
    """Name of the function."""
    own_ns: int
    """Time spent in the listener itself, without `next()`."""
    total_ns: int
    next_calls: int
    outcome: Outcome
    changes: tuple[Change, ...]
    error: str | None = None
    source: TextSource | None = None
    """Where its function begins; None: it is not Python code."""
    work: tuple[Work, ...] = ()
    """In the order in which it was done; between two of them the listener waited for the rest of the chain."""


@dataclass(frozen=True, slots=True)
class AssemblyTrace:
    """One assembly as it happened."""

    scope: str
    """Label of the scope, or `global`."""
    started: float
    """Seconds since the epoch."""
    duration_ns: int
    stages: tuple[Stage, ...]
    listeners: tuple[ListenerSpan, ...]
    """Those that were reached, in call order."""
    error: str | None
    not_reached: tuple[ListenerSpan, ...] = ()
    """Listeners behind the one that ended the waterfall, in call order: they never ran."""
