"""What was recorded of the listeners of one assembly, as views.

Source: docs/prompt-assembly.md 9 and docs/runtime.md 7.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from types import CodeType

from workbench.core import scope_label
from workbench.core.events import Listener
from workbench.core.watched_waterfall import ListenerRecord
from workbench.prompt.changes import Rewrite
from workbench.prompt.errors import in_words
from workbench.prompt.owners import owner_of_listener
from workbench.prompt.recording import AssemblyState, Recorder
from workbench.prompt.source import TextSource
from workbench.prompt.trace import ListenerSpan, Work


def listener_spans(recorder: Recorder, rewrites: Sequence[Rewrite]) -> tuple[ListenerSpan, ...]:
    """The listeners that were reached, in call order."""
    _measure(recorder)
    return tuple(_span(recorder, record, rewrites) for record in recorder.records)


def _measure(recorder: Recorder) -> None:
    """Each moment after the one before: only what has changed in between is looked at."""
    notes = sorted((note for notes in recorder.work.values() for note in notes), key=lambda note: note.start_ns)
    last = recorder.built
    for note in notes:
        for state in (note.before, note.after):
            if state is not None and state is not last:
                state.size(last)
                last = state


def listeners_not_reached(recorder: Recorder) -> tuple[ListenerSpan, ...]:
    """Those behind the last one that was reached, in call order."""
    reached = {id(record.listener) for record in recorder.records}
    return tuple(
        ListenerSpan(
            owner=owner_of_listener(listener),
            scope=_scope(listener),
            label=listener.label,
            own_ns=0,
            total_ns=0,
            next_calls=0,
            outcome="not reached",
            changes=(),
            source=place_of(listener),
        )
        for listener in recorder.listeners
        if id(listener) not in reached
    )


def place_of(listener: Listener) -> TextSource | None:
    """Where the function of a listener begins."""
    code = _code_of(listener.function)
    return None if code is None else TextSource(code.co_filename, code.co_firstlineno, 1, None)


def _span(recorder: Recorder, record: ListenerRecord, rewrites: Sequence[Rewrite]) -> ListenerSpan:
    listener = record.listener
    return ListenerSpan(
        owner=owner_of_listener(listener),
        scope=_scope(listener),
        label=record.label,
        own_ns=record.own_ns,
        total_ns=record.total_ns,
        next_calls=record.asked,
        outcome=record.outcome,
        changes=tuple(each.change for each in rewrites if each.record is record),
        error=None if record.error is None else in_words(record.error),
        source=place_of(listener),
        work=tuple(
            Work(
                note.start_ns - recorder.began_ns,
                max(note.start_ns, note.end_ns) - recorder.began_ns,
                _size(note.before),
                _size(note.after),
            )
            for note in recorder.work.get(id(record), ())
        ),
    )


def _size(state: AssemblyState | None) -> int | None:
    return None if state is None else state.size()


def _scope(listener: Listener) -> str:
    return "" if listener.scope is None else scope_label(listener.scope)


def _code_of(function: object) -> CodeType | None:
    """The code behind partial, bound and wrapped functions, and objects that can be called."""
    for _ in range(_MOST_WRAPPERS):
        inner = function.func if isinstance(function, partial) else _attribute(function, "__wrapped__")
        if inner is None:
            break
        function = inner
    code = _attribute(function, "__code__") or _attribute(_attribute(type(function), "__call__"), "__code__")
    return code if isinstance(code, CodeType) else None


def _attribute(thing: object, name: str) -> object:
    """None where there is none; a plugin's object may do anything when it is asked."""
    try:
        return getattr(thing, name, None)
    except Exception:
        return None


_MOST_WRAPPERS = 20
