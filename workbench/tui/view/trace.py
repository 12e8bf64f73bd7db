"""The stages of one assembly as rows, the listeners nested under the waterfall, with bars on one axis of time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

from workbench.prompt.growth import Growth
from workbench.prompt.repeats import Repeat
from workbench.prompt.trace import Change, ListenerSpan
from workbench.prompt.views import EntryView, Owner, Preview, VariableView
from workbench.tui.view.pieces import Line, Piece, Role
from workbench.tui.view.sizes import CHARACTERS, Sizes, counted

STAGES: Final = (
    "collected",
    "shadowed",
    "ordered",
    "waterfall",
    "complete restored",
    "suppressed",
    "rendered",
)


class RowKey(NamedTuple):
    """What makes a row the same one in another assembly."""

    stage: str
    """Empty for a listener."""
    owner: str = ""
    label: str = ""
    nth: int = 0
    """Of listeners that are equal in the two fields above."""


class Bar(NamedTuple):
    """A stretch of the axis, in nanoseconds since the assembly began."""

    start: int
    end: int
    is_waiting: bool = False
    """It waits for the rest of the chain there."""


class TraceRow(NamedTuple):
    """One line of the timeline."""

    key: RowKey
    name: str
    owner: Owner | None = None
    listener: ListenerSpan | None = None
    is_last_listener: bool = False
    time_ns: int | None = None
    """Of a listener its own, without the rest of the chain; None: there is none to tell."""
    sign: str = ""
    outcome: str = ""
    role: Role = "soft"
    """Of sign and outcome."""
    change: Line = ()
    bars: tuple[Bar, ...] = ()


@dataclass(frozen=True)
class Marks:
    """What was found in one assembly beside its record."""

    repeats: tuple[Repeat, ...] = ()
    growth: Growth | None = None
    found: frozenset[RowKey] = field(default_factory=frozenset)
    """Listeners whose changes have the words that are looked for."""

    def repeats_of(self, owner: Owner) -> list[Repeat]:
        """Those in which that owner has a hand."""
        return self._repeats_by_owner.get(owner, [])

    @cached_property
    def _repeats_by_owner(self) -> dict[Owner, list[Repeat]]:
        by_owner: dict[Owner, list[Repeat]] = {}
        for repeat in self.repeats:
            for owner in {place.owner for place in repeat.places}:
                by_owner.setdefault(owner, []).append(repeat)
        return by_owner

    def grows_by(self, owner: Owner) -> bool:
        """A listener of that owner has a part in the growth."""
        if self.growth is None:
            return False
        return any(each.is_listener and each.owner == owner for each in self.growth.growers)


def axis_ns(preview: Preview) -> int:
    """From the beginning of the assembly to the end of its rendering."""
    trace = preview.trace
    rendered = sum(stage.duration_ns for stage in trace.stages if stage.name == "rendered")
    return max(1, trace.duration_ns + rendered)


def failed_stage(preview: Preview) -> str | None:
    """The stage that the assembly did not come out of; None: it did not fail, though its text may be broken."""
    trace = preview.trace
    if trace.error is None:
        return None
    if any(failure.code == "result" for failure in preview.failures):
        return "waterfall"  # noticed behind it
    ended = {stage.name for stage in trace.stages}
    return next((stage for stage in ("collected", "ordered", "waterfall") if stage not in ended), "rendered")


def rows(preview: Preview, marks: Marks, sizes: Sizes = CHARACTERS) -> list[TraceRow]:
    """All lines of the timeline. The keys are told apart."""
    trace = preview.trace
    failed = failed_stage(preview)
    times: dict[str, int] = {stage.name: stage.duration_ns for stage in trace.stages}
    lines: list[TraceRow] = []
    at = 0
    is_over = False
    for stage in STAGES:
        if is_over:
            lines.append(TraceRow(RowKey(stage), stage, sign="–", outcome="never ran"))
            continue
        time_ns = times.get(stage)
        start = trace.duration_ns if stage == "rendered" else at
        if stage == failed and time_ns is None:
            time_ns = max(0, trace.duration_ns - at)
        if stage == failed:
            row = TraceRow(RowKey(stage), stage, sign="×", outcome="failed here", role="failed")
            is_over = True
        else:
            row = _stage_row(stage, preview, marks, sizes)
        if time_ns is not None:
            at = start + time_ns
            row = row._replace(time_ns=time_ns, bars=(Bar(start, at),))
        lines.append(row)
        if stage == "waterfall":
            lines += _listener_rows(preview, marks)
    return lines


def _stage_row(stage: str, preview: Preview, marks: Marks, sizes: Sizes) -> TraceRow:
    made = _STAGE_ROWS[stage](preview, marks, sizes)
    return made._replace(key=RowKey(stage), name=stage)


_PLAIN = TraceRow(RowKey(""), "")


def _collected(preview: Preview, _marks: Marks, _sizes: Sizes) -> TraceRow:
    entries = registered(preview)
    layers = dict.fromkeys(layer for _, _, layer in entries)
    return _PLAIN._replace(
        outcome=_entries(len(entries)), change=(Piece(f"from {counted(len(layers), 'layer')}", "soft"),)
    )


def registered(preview: Preview) -> list[tuple[str, Owner, str]]:
    """Kind, owner and layer of everything that was registered, without what listeners added."""
    found: list[tuple[str, Owner, str]] = []
    for entry in (*preview.sections, *preview.contexts):
        if entry.added_by is None:
            found.append((entry.kind, entry.owner, entry.layer))
    found += [("tool", tool.owner, tool.layer) for tool in preview.tools if tool.added_by is None]
    found += [("variable", each.owner, each.layer) for each in preview.variables if each.layer != "waterfall"]
    return found


def shadowed(preview: Preview) -> list[EntryView | VariableView]:
    """What a nearer layer hides."""
    everything: tuple[EntryView | VariableView, ...] = (*preview.sections, *preview.contexts, *preview.variables)
    return [each for each in everything if each.state == "shadowed"]


def _shadowed(preview: Preview, _marks: Marks, _sizes: Sizes) -> TraceRow:
    hidden = len(shadowed(preview))
    return _PLAIN._replace(sign="∅" if hidden else "", outcome=_entries(hidden) if hidden else "none")


def _ordered(preview: Preview, _marks: Marks, _sizes: Sizes) -> TraceRow:
    placed = sum(1 for each in preview.sections if each.added_by is None and each.state != "shadowed")
    tools = sum(1 for tool in preview.tools if tool.added_by is None)
    return _PLAIN._replace(
        outcome=counted(placed, "section"), change=(Piece(counted(tools, "tool") if tools else "no tools", "soft"),)
    )


def _waterfall(preview: Preview, marks: Marks, _sizes: Sizes) -> TraceRow:
    trace = preview.trace
    ran = sum(1 for listener in trace.listeners if listener.outcome != "skipped")
    missed = len(trace.not_reached)
    total = len(trace.listeners) + missed
    if not total:
        return _PLAIN._replace(outcome="empty", change=(Piece("no listener ran", "soft"),))
    changes = [change for listener in trace.listeners for change in listener.changes]
    line: Line = (Piece(counted(len(changes), "change") if changes else "nothing", "text" if changes else "soft"),)
    if marks.growth is not None:
        line = (*line, Piece(", grows", "pending"))
    return _PLAIN._replace(
        sign="×" if missed else "",
        outcome=f"{ran} of {total} ran",
        role="failed" if missed else "soft",
        change=line,
    )


def _complete_restored(preview: Preview, _marks: Marks, _sizes: Sizes) -> TraceRow:
    if not any(stage.name == "complete restored" for stage in preview.trace.stages):
        return _PLAIN._replace(outcome="none")
    displaced = sum(1 for section in preview.sections if section.state == "displaced")
    return _PLAIN._replace(sign="∅", outcome="1 section alone", change=(Piece(f"{displaced:,} displaced", "soft"),))


def _suppressed(preview: Preview, _marks: Marks, _sizes: Sizes) -> TraceRow:
    hidden = sum(1 for context in preview.contexts if context.state == "suppressed")
    return _PLAIN._replace(sign="∅" if hidden else "", outcome=counted(hidden, "context") if hidden else "none")


def _rendered(preview: Preview, marks: Marks, sizes: Sizes) -> TraceRow:
    if preview.failures:
        count = counted(len(preview.failures), "problem")
        return _PLAIN._replace(sign="×", outcome="failed", role="failed", change=(Piece(count, "failed"),))
    size = sizes.request(preview)
    line: Line = ()
    if marks.repeats:
        line = (Piece("~ ", "changed", bold=True), Piece("repeats itself"))
    return _PLAIN._replace(outcome="nothing" if size is None else str(size), change=line)


_STAGE_ROWS: Final = {
    "collected": _collected,
    "shadowed": _shadowed,
    "ordered": _ordered,
    "waterfall": _waterfall,
    "complete restored": _complete_restored,
    "suppressed": _suppressed,
    "rendered": _rendered,
}


def _entries(count: int) -> str:
    return f"{count:,} {'entry' if count == 1 else 'entries'}"


# listeners


def listeners_of(preview: Preview) -> list[tuple[RowKey, ListenerSpan]]:
    """All listeners of the waterfall in call order, those that were not reached too."""
    seen: set[RowKey] = set()
    found = []
    for listener in (*preview.trace.listeners, *preview.trace.not_reached):
        key = RowKey("", listener.owner.plugin, listener.label)
        while key in seen:
            key = key._replace(nth=key.nth + 1)
        seen.add(key)
        found.append((key, listener))
    return found


def label_of(listener: ListenerSpan) -> str:
    """Its name; a function may have none."""
    return listener.label or "(no name)"


def _listener_rows(preview: Preview, marks: Marks) -> Iterator[TraceRow]:
    all_of_them = listeners_of(preview)
    for index, (key, listener) in enumerate(all_of_them):
        sign, outcome, role = outcome_of(listener)
        yield TraceRow(
            key,
            label_of(listener),
            listener.owner,
            listener,
            is_last_listener=index == len(all_of_them) - 1,
            time_ns=listener.own_ns if listener.work else None,
            sign=sign,
            outcome=outcome,
            role=role,
            change=_change(listener, marks, key),
            bars=tuple(_bars(listener)),
        )


def outcome_of(listener: ListenerSpan) -> tuple[str, str, Role]:
    """Sign and words for how it treated `next`."""
    match listener.outcome:
        case "passed":
            if listener.next_calls > 1:
                return "✓", f"called next {listener.next_calls}×", "pending"
            return "✓", "called next", "soft"
        case "short-circuited":
            return "×", "ended it here", "failed"
        case "not awaited":
            return "×", "next not awaited", "failed"
        case "raised":
            return "×", "raised", "failed"
        case "skipped":
            return "–", "gone meanwhile", "soft"
        case "not reached":
            return "–", "never ran", "soft"


def is_order_ignored(change: Change) -> bool:
    """It set an order after everything had been sorted (FC-06)."""
    return "has no effect" in change.remark


_SIGNS: Final[dict[str, tuple[str, Role]]] = {
    "added": ("+", "added"),
    "removed": ("−", "removed"),
    "changed": ("~", "changed"),
    "moved": ("»", "listener"),
}


def sign_of_change(change: Change) -> Piece:
    """Its sign in its colour."""
    sign, role = _SIGNS[change.action]
    return Piece(sign, role, bold=True)


def _change(listener: ListenerSpan, marks: Marks, key: RowKey) -> Line:
    changes = listener.changes
    if not changes:
        return (Piece("nothing", "soft"),)
    actions = {change.action for change in changes}
    kinds = {change.kind for change in changes}
    names = {(change.kind, change.name) for change in changes}
    sign = sign_of_change(changes[0]) if len(actions) == 1 else Piece("~", "changed", bold=True)
    words = counted(len(names), next(iter(kinds))) if len(kinds) == 1 else counted(len(changes), "change")
    line: Line = (sign, Piece(f" {words}"))
    remarks = []
    if any(is_order_ignored(change) for change in changes):
        remarks.append("order ignored")
    if marks.grows_by(listener.owner):
        remarks.append("grows")
    elif marks.repeats_of(listener.owner):
        remarks.append("repeats")
    if "order ignored" in remarks and len(kinds) == 1:
        line = (sign, Piece(f" {len(names):,}"))
    if remarks:
        line = (*line, Piece(", "), Piece(", ".join(remarks), "pending"))
    if key in marks.found:
        line = (*line, Piece("  found", "focus", bold=True))
    return line


def _bars(listener: ListenerSpan) -> Iterator[Bar]:
    last: int | None = None
    for work in listener.work:
        if last is not None:
            yield Bar(last, work.start_ns, is_waiting=True)
        yield Bar(work.start_ns, work.end_ns)
        last = work.end_ns
