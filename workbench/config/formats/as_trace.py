"""The record of one assembly as lines: its stages, its listeners, and what each of them changed."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.prompt import AssemblyTrace, Change, ListenerSpan
from workbench.visible import visible_line

_SIGNS = {"added": "+", "removed": "−", "changed": "~", "moved": "»", "replaced": "~"}


def trace_lines(trace: AssemblyTrace) -> Iterator[str]:
    """Everything in the lines is fit for a terminal."""
    yield f"assembly for {visible_line(trace.scope)}, {_milliseconds(trace.duration_ns)}"
    for stage in trace.stages:
        note = f"  {visible_line(stage.note)}" if stage.note else ""
        yield f"  {stage.name:<18} {_milliseconds(stage.duration_ns):>11}{note}"
    yield f"{len(trace.listeners)} listener{'' if len(trace.listeners) == 1 else 's'}"
    for listener in trace.listeners:
        yield from _listener(listener)
    for listener in trace.not_reached:
        yield f"  {_name(listener)}, never ran{_place(listener)}"
    if trace.error:
        yield f"error: {visible_line(trace.error)}"


def _listener(listener: ListenerSpan) -> Iterator[str]:
    yield (
        f"  {_name(listener)}, {listener.outcome}, "
        f"next called {listener.next_calls}×, {_milliseconds(listener.own_ns)} of its own"
        f"{_sizes(listener)}{_place(listener)}"
    )
    for change in listener.changes:
        yield f"    {_change(change)}"
    if listener.error:
        yield f"    × {visible_line(listener.error)}"


def _name(listener: ListenerSpan) -> str:
    scope = f" in scope {visible_line(listener.scope)}" if listener.scope else ""
    return f"{visible_line(listener.owner.plugin)}: {visible_line(listener.label)}{scope}"


def _sizes(listener: ListenerSpan) -> str:
    """How long the text was before and after each piece of its work that changed that."""
    known = [
        f"{work.size_before:,} → {work.size_after:,}"
        for work in listener.work
        if work.size_before is not None and work.size_after is not None and work.size_before != work.size_after
    ]
    return f", {' and '.join(known)} characters" if known else ""


def _place(listener: ListenerSpan) -> str:
    return f" ({visible_line(listener.source.file)}:{listener.source.line})" if listener.source is not None else ""


def _change(change: Change) -> str:
    remark = f" ({visible_line(change.remark)})" if change.remark else ""
    sign = _SIGNS.get(change.action, "~")
    return f"{sign} {change.kind} {visible_line(change.name)} {change.action} {change.phase}{remark}"


def _milliseconds(nanoseconds: int) -> str:
    return f"{nanoseconds / 1e6:.3f} ms"
