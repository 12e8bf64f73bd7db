"""Traces made by hand, with times that do not change."""

from __future__ import annotations

from dataclasses import replace

import tests.support.previews as p
from workbench.prompt.source import TextSource
from workbench.prompt.trace import AssemblyTrace, Change, ListenerSpan, Outcome, Stage, Work
from workbench.prompt.views import Failure, Owner, Preview

MS = 1_000_000
HYGIENE = Owner("hygiene", 21)
NOTES = Owner("notes", 22)


def work(start_ms: float, end_ms: float, before: int = 900, after: int = 900) -> Work:
    """A piece of work; sizes in characters."""
    return Work(int(start_ms * MS), int(end_ms * MS), before, after)


def span(
    label: str,
    owner: Owner,
    outcome: Outcome = "passed",
    *pieces: Work,
    changes: tuple[Change, ...] = (),
    calls: int | None = None,
    error: str | None = None,
    scope: str = "",
    line: int = 31,
) -> ListenerSpan:
    """A listener that waited between its pieces of work."""
    own = sum(piece.end_ns - piece.start_ns for piece in pieces)
    total = pieces[-1].end_ns - pieces[0].start_ns if pieces else 0
    called = calls if calls is not None else int(outcome == "passed")
    source = TextSource(f"plugins/{owner.plugin}.py", line, 1, None)
    return ListenerSpan(owner, scope, label, own, total, called, outcome, changes, error, source, pieces)


CAPPED = Change("section", "tool:bash", "changed", p.SHELL.format(600), p.SHELL.format(120), "after next")
TRIMMED = span("trim_paths", HYGIENE, "passed", work(1.0, 1.2), work(2.9, 3.0), line=12)
CAP = span("cap_foreground", p.LIMITS, "short-circuited", work(1.2, 2.9, 900, 905), changes=(CAPPED,))
HOUSE = span("house_style", NOTES, "not reached", line=18)
STAGES = (
    Stage("collected", int(0.3 * MS)),
    Stage("ordered", int(0.7 * MS)),
    Stage("waterfall", 2 * MS),
    Stage("rendered", int(0.1 * MS)),
)
LOOKS = AssemblyTrace("main", 0.0, int(3.0 * MS), STAGES, (TRIMMED, CAP), None, (HOUSE,))
"""The one of the pictures: a listener that ends it, and one that never ran."""


def traced(trace: AssemblyTrace = LOOKS, preview: Preview = p.CODING_AGENT, **fields: object) -> Preview:
    """A preview with a trace."""
    return replace(preview, trace=replace(trace, scope=preview.trace.scope), **fields)  # type: ignore[arg-type]


def with_listeners(*listeners: ListenerSpan, missed: tuple[ListenerSpan, ...] = (), **fields: object) -> Preview:
    """A preview in which these ran."""
    return traced(replace(LOOKS, listeners=listeners, not_reached=missed), **fields)  # type: ignore[arg-type]


RAISED = traced(
    replace(
        LOOKS,
        stages=STAGES[:2],
        listeners=(TRIMMED, span("cap", p.LIMITS, "raised", work(1.2, 1.6), error="ValueError: no limit\nset one")),
        error="ValueError: no limit",
    ),
    system=None,
    context=None,
    failures=(Failure("assemble", "raised", "ValueError: no limit\nset one", "listener", "cap", p.LIMITS),),
)
"""An assembly that a listener has broken."""

HINT = Change(
    "section",
    "route:hint",
    "added",
    None,
    "Use the short route.",
    "before next",
    "its order 0 has no effect: sections are sorted before the waterfall",
)
"""As in FC-06."""
_BAD = p.HOSTILE_NAME
HOSTILE = with_listeners(
    span(
        _BAD,
        Owner(_BAD, 9),
        "passed",
        work(1, 2),
        work(2.2, 2.4),
        changes=(
            Change("section", _BAD, "changed", p.HOSTILE, p.HOSTILE + _BAD, "before next", "\x1b[5m"),
            Change("tool", _BAD, "changed", '{"a":"\x9b"}', "{not json\x07", "after next"),
            Change("variable", "日本語", "added", None, "👩‍👩‍👧" * 60, "after next"),
            Change("context", "long", "removed", "x" * 10_000, None, "after next"),
        ),
        scope="\x1b]0;owned\x07",
        error=p.HOSTILE,
    ),
    span("漢字" * 40, Owner("漢字" * 20, 10, "team"), "raised", work(2, 2.1), error=p.HOSTILE),
    missed=(span("", Owner("", 11), "not reached"),),
    preview=p.HOSTILE_PREVIEW,
)
