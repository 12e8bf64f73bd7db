"""What is known about one row of the timeline, as rows that are drawn when they are seen.

Of a listener: what follows from how it treated `next`, what it changed word for word, and what never ran.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple, Protocol

from workbench.prompt.source import TextSource
from workbench.prompt.trace import Change, ListenerSpan
from workbench.prompt.views import EntryView, Owner, Preview, VariableView
from workbench.tui.view.difference import Form, TextDifference
from workbench.tui.view.entries import EntryKey, Kind, order_text
from workbench.tui.view.notes import note_rows
from workbench.tui.view.panel import wrapped
from workbench.tui.view.pieces import OWNER_ROLES, Line, Piece, Role, cut, outside, spread
from workbench.tui.view.sizes import counted, number
from workbench.tui.view.trace import (
    Marks,
    RowKey,
    TraceRow,
    failed_stage,
    is_order_ignored,
    label_of,
    registered,
    shadowed,
    sign_of_change,
)
from workbench.tui.view.trace_lines import milliseconds
from workbench.tui.view.trace_words import consequence, growth_lines, remedy, repeat_lines

WIDEST: Final = 96
"""Cells of running text."""
MOST_REPEATS: Final = 20

Compared = Callable[[Change], TextDifference]
LastRan = Callable[[ListenerSpan], str]


class Rows(Protocol):
    """Lines, made or still to be drawn."""

    def __len__(self) -> int: ...
    def __getitem__(self, row: int, /) -> Line: ...


class OneLine:
    """A line that is made when it is seen."""

    def __init__(self, make: Callable[[], Line]) -> None:
        self._make = make

    def __len__(self) -> int:
        return 1

    def __getitem__(self, row: int, /) -> Line:
        return self._make()


class Block(NamedTuple):
    """Rows that belong together."""

    lines: Rows
    change: Change | None = None
    target: EntryKey | None = None
    """The entry that the rows are about, as the place Prompt finds it."""
    is_difference: bool = False
    """The rows have a gutter that begins with a blank: they stand one cell further out than words."""


class Detail:
    """All rows. How many there are is known, each is drawn when asked for, and cut at the width."""

    def __init__(self, blocks: Sequence[Block], width: int = 0) -> None:
        self._width = width
        self._blocks = [block for block in blocks if len(block.lines)]
        self._ends: list[int] = []
        end = 0
        for block in self._blocks:
            end += len(block.lines)
            self._ends.append(end)

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, row: int) -> Line:
        block, start = self._at(row)
        return cut(block.lines[row - start], self._width + 1)  # the tint of a difference reaches further

    def block_at(self, row: int) -> Block | None:
        """What stands in that row; None behind the end."""
        return self._at(row)[0] if 0 <= row < len(self) else None

    def first_change(self) -> int | None:
        """The row in which the first change begins."""
        start = 0
        for block, end in zip(self._blocks, self._ends, strict=True):
            if block.change is not None:
                return start
            start = end
        return None

    def row_of(self, change: Change) -> int | None:
        """The row in which that change begins."""
        start = 0
        for block, end in zip(self._blocks, self._ends, strict=True):
            if block.change is change:
                return start
            start = end
        return None

    def _at(self, row: int) -> tuple[Block, int]:
        index = bisect_right(self._ends, row)
        if row < 0 or index == len(self._blocks):
            raise IndexError(row)
        return self._blocks[index], self._ends[index - 1] if index else 0


def detail(
    row: TraceRow,
    preview: Preview,
    marks: Marks,
    width: int,
    *,
    blanks: bool,
    compared: Compared,
    last_ran: LastRan = lambda _listener: "",
    start: int | None = None,
) -> Detail:
    """Of a stage or a listener, in `width` cells. `blanks`: there is room for empty lines between groups.

    `start`: lines of differences are not wrapped, and shown from that cell on.
    """
    if row.listener is not None:
        form = Form(width + 1, start=start)
        made = _listener(row.listener, preview, marks, width, blanks, compared, last_ran, form)
    else:
        made = _stage(row.key, preview, marks, width, blanks)
    return Detail(list(made), width)


def compare(change: Change) -> TextDifference:
    """Its texts before and after; a schema as indented JSON."""
    before, after = change.before or "", change.after or ""
    if change.kind == "tool":
        before, after = _indented(before), _indented(after)
    return TextDifference(before, after)


def _indented(text: str) -> str:
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2) if text else ""
    except ValueError:
        return text


# a listener


def _listener(
    listener: ListenerSpan,
    preview: Preview,
    marks: Marks,
    width: int,
    blanks: bool,
    compared: Compared,
    last_ran: LastRan,
    form: Form,
) -> Iterator[Block]:
    role = OWNER_ROLES.get(listener.owner.kind, "owner-plugin")
    title: Line = (
        *cut(outside(label_of(listener), "strong", bold=True), max(16, width // 3)),
        Piece("  listener of ", "soft"),
        *cut(outside(listener.owner.plugin, role), max(16, width // 3)),
        *_place(listener.source),
        *((Piece(", scope ", "soft"), *outside(listener.scope)) if listener.scope else ()),
    )
    yield Block([spread(title, _time(listener, short=width < 100), width)])
    yield Block(_words(consequence(listener, preview), width))
    advice = remedy(listener, preview)
    if advice and blanks:
        yield Block(_words((Piece(advice, "soft"),), width))
    if listener.outcome == "not reached":
        since = last_ran(listener)
        if since:
            yield Block([(Piece(since, "soft"),)])
    if listener.changes:
        yield from _heading("What it changed", _sizes(listener), width, blanks)
        for index, change in enumerate(listener.changes):
            if index and blanks:
                yield Block([()])
            yield from _change(change, preview, width, compared, form)
    repeats = marks.repeats_of(listener.owner)
    growth = marks.growth if marks.grows_by(listener.owner) else None
    if growth is not None:
        yield from _heading("What grows", (), width, blanks)
        yield Block([row for line in growth_lines(growth) for row in _words(line, width)])
    if repeats:
        yield from _heading("Said more than once", (), width, blanks)
        for repeat in repeats[:MOST_REPEATS]:
            yield Block([row for line in repeat_lines(repeat) for row in _words(line, width)])
    missed = preview.trace.not_reached
    if missed and listener.outcome in ("short-circuited", "not awaited", "raised"):
        yield from _heading("What never ran", (), width, blanks)
        for each in missed:
            yield Block([_missed(each, last_ran(each))])
    if advice and not blanks:  # first what it did, where there is little room
        yield Block(_words((Piece(advice, "soft"),), width))


def _time(listener: ListenerSpan, *, short: bool) -> Line:
    if not listener.work:
        return (Piece("no time", "soft"),)
    waited = listener.total_ns - listener.own_ns
    line: Line = (Piece(f"{milliseconds(listener.own_ns)} ms{'' if short else ' of its own'}", "text"),)
    if listener.next_calls:
        line = (*line, Piece(f", {milliseconds(waited)} waiting{'' if short else ' for the rest'}", "soft"))
    return line


def _sizes(listener: ListenerSpan) -> Line:
    """How long all texts were at both ends of each piece of its work."""
    parts = [
        f"{number(work.size_before)} → {number(work.size_after)}"
        for work in listener.work
        if work.size_before is not None and work.size_after is not None and work.size_before != work.size_after
    ]
    return (Piece(f"{', then '.join(parts)} characters", "soft"),) if parts else ()


def _change(change: Change, preview: Preview, width: int, compared: Compared, form: Form) -> Iterator[Block]:
    owner = _owner_of(change, preview)
    role: Role = OWNER_ROLES.get(owner.kind, "owner-plugin") if owner is not None else "listener"
    whose: Line = (
        (Piece(f"  {change.kind} of ", "soft"), *outside(owner.plugin, "soft")) if owner is not None else ()
    )
    if not whose:
        whose = (Piece(f"  {change.kind}", "soft"),)
    head: Line = (
        sign_of_change(change),
        Piece(" "),
        *outside(change.name, role, bold=True),
        *whose,
        Piece(f", {change.action} {change.phase}", "soft"),
    )
    target = EntryKey(_kind(change), change.name, "")
    yield Block(_words(head, width), change, target)
    if change.remark:
        is_warning = is_order_ignored(change)
        sign = (Piece("∅ ", "pending", bold=True),) if is_warning else (Piece("  "),)
        remark = outside(change.remark, "pending" if is_warning else "soft")
        yield Block(_words((*sign, *remark), width), change, target)
    if change.action != "moved" and (change.before or "") != (change.after or ""):
        yield Block(compared(change).layout(form), change, target, is_difference=True)
    elif change.action == "added":
        yield Block([(Piece("  an empty text", "soft"),)], change, target)


def _kind(change: Change) -> Kind:
    return change.kind


def _owner_of(change: Change, preview: Preview) -> Owner | None:
    """Whose entry it was; None: the listener's own."""
    if change.kind == "tool":
        return next((tool.owner for tool in preview.tools if tool.name == change.name and not tool.added_by), None)
    if change.kind == "variable":
        found = (each.owner for each in preview.variables if each.name == change.name and each.layer != "waterfall")
        return next(found, None)
    entries = preview.sections if change.kind == "section" else preview.contexts
    return next((entry.owner for entry in entries if entry.name == change.name and entry.added_by is None), None)


def _missed(listener: ListenerSpan, since: str) -> Line:
    role = OWNER_ROLES.get(listener.owner.kind, "owner-plugin")
    return (
        Piece("– ", "soft", bold=True),
        *outside(label_of(listener)),
        Piece("  listener of ", "soft"),
        *outside(listener.owner.plugin, role),
        *_place(listener.source),
        *((Piece(f"; {since}", "soft"),) if since else ()),
    )


def _place(source: TextSource | None) -> Line:
    """Its file, with the two folders around it."""
    if source is None:
        return ()
    parts = source.file.split("/")
    short = source.file if len(parts) <= 3 else "…/" + "/".join(parts[-2:])
    return outside(f", {short}:{source.line}", "soft")


# a stage


def _stage(key: RowKey, preview: Preview, marks: Marks, width: int, blanks: bool) -> Iterator[Block]:
    stage = key.stage
    time_ns = next((each.duration_ns for each in preview.trace.stages if each.name == stage), None)
    right: Line = (Piece(f"{milliseconds(time_ns)} ms", "text"),) if time_ns is not None else ()
    title: Line = (Piece(stage, "strong", bold=True), Piece(f"  {_ABOUT[stage]}", "soft"))
    yield Block([spread(title, right, width)])
    if failed_stage(preview) == stage:
        yield from _failures(preview, width, blanks)
        return
    if preview.trace.error is None or stage in {each.name for each in preview.trace.stages}:
        yield from _STAGES[stage](preview, marks, width, blanks)
    else:
        yield Block([(Piece("The assembly did not come so far.", "soft"),)])


_ABOUT: Final = {
    "collected": "layers merged, variables asked",
    "shadowed": "hidden by a nearer layer of the same name",
    "ordered": "tools and texts asked, then sorted by order and name",
    "waterfall": "listeners around each other, the first one outermost",
    "complete restored": "a complete section takes the prompt over, whatever listeners did",
    "suppressed": "runtime context that is not shown here",
    "rendered": "values put in, sections joined",
}


def _failures(preview: Preview, width: int, blanks: bool) -> Iterator[Block]:
    for failure in preview.failures:
        if blanks:
            yield Block([()])
        lines = note_rows(failure, min(width, WIDEST), None, failure.group)
        kind = failure.part if failure.part in ("section", "context", "variable") else None
        target = EntryKey(kind, failure.name, "") if kind in ("section", "context", "variable") else None  # type: ignore[arg-type]
        yield Block(lines, None, target)


def _collected(preview: Preview, _marks: Marks, width: int, blanks: bool) -> Iterator[Block]:
    by_owner: dict[Owner, Counter[str]] = {}
    for kind, owner, _layer in registered(preview):
        by_owner.setdefault(owner, Counter())[kind] += 1
    if not by_owner:
        yield Block([(Piece("Nothing is registered here.", "soft"),)])
        return
    yield from _heading("Who gave what", (), width, blanks)
    for owner, kinds in by_owner.items():
        role = OWNER_ROLES.get(owner.kind, "owner-plugin")
        what = ", ".join(counted(count, kind) for kind, count in kinds.items())
        yield Block([(*spread(outside(owner.plugin, role), (), min(32, width // 2)), Piece(f"  {what}", "soft"))])


def _shadowed(preview: Preview, _marks: Marks, width: int, _blanks: bool) -> Iterator[Block]:
    hidden = shadowed(preview)
    if not hidden:
        yield Block([(Piece("No name stands in two layers of this scope.", "soft"),)])
    for each in hidden:
        yield _entry_block(each, "∅", "soft", _hidden_by(each), width)


def _hidden_by(each: EntryView | VariableView) -> str:
    remark = each.remark if isinstance(each, EntryView) and each.remark else "shadowed"
    return f"layer {each.layer}, {remark}"


def _entry_block(each: EntryView | VariableView, sign: str, role: Role, words: str, width: int) -> Block:
    kind: Kind = each.kind if isinstance(each, EntryView) else "variable"
    owner = OWNER_ROLES.get(each.owner.kind, "owner-plugin")
    line: Line = (
        Piece(f"{sign} ", role, bold=True),
        *outside(each.name, owner),
        Piece(f"  {kind} of ", "soft"),
        *outside(each.owner.plugin, "soft"),
        *outside(f", {words}", "soft"),
    )
    return Block(_words(line, width), None, EntryKey(kind, each.name, each.layer))


def _ordered(preview: Preview, _marks: Marks, width: int, blanks: bool) -> Iterator[Block]:
    """Registered sections by order, and apart from them those that listeners added."""
    for title, entries in (("Sections by order", preview.sections), ("Runtime context by order", preview.contexts)):
        placed = [entry for entry in entries if entry.added_by is None and entry.state != "shadowed"]
        if placed:
            yield from _heading(title, (), width, blanks)
        for entry in sorted(placed, key=lambda entry: (entry.order or 0, entry.name)):
            line = OneLine(partial(_order_line, entry))
            yield Block(line, None, EntryKey(entry.kind, entry.name, entry.layer))
        added = [entry for entry in entries if entry.added_by is not None]
        if added:
            yield from _heading("Added later, in the waterfall", (), width, blanks)
        for entry in added:
            words = f"added by a listener{', ' + entry.remark if entry.remark else ''}"
            yield _entry_block(entry, "+", "added", words, width)


def _order_line(entry: EntryView) -> Line:
    key = f"  {entry.order_key}" if entry.order_key else ""
    state = "" if entry.state == "effective" else f"  ∅ {entry.state}"
    return (
        Piece(f"{order_text(entry.order):>7}  ", "faint"),
        *outside(entry.name, OWNER_ROLES.get(entry.owner.kind, "owner-plugin")),
        *outside(f"  {entry.owner.plugin}{key}{state}", "soft"),
    )


def _waterfall(preview: Preview, marks: Marks, width: int, blanks: bool) -> Iterator[Block]:
    trace = preview.trace
    if not trace.listeners and not trace.not_reached:
        yield Block([(Piece("No listener ran: the waterfall is empty.", "strong", bold=True),)])
        about = (
            "Here you would see each listener of system-prompt/assemble, how long it took, how it treated next, "
            "and what it changed. A plugin registers one with ctx.on; the sample waterfall has five: "
            "workbench open waterfall"
        )
        yield Block(_words((Piece(about, "soft"),), min(width, 76)))
        return
    for listener in trace.listeners:
        if listener.changes:
            for change in listener.changes:
                line: Line = (
                    sign_of_change(change),
                    Piece(" "),
                    *outside(change.name),
                    Piece(f"  {change.kind} {change.action} {change.phase} by ", "soft"),
                    *outside(listener.label, "listener"),
                )
                yield Block(_words(line, width), change, EntryKey(_kind(change), change.name, ""))
    for each in trace.not_reached:
        yield Block([_missed(each, "never ran")])
    yield from _said(marks, width, blanks)


def _said(marks: Marks, width: int, blanks: bool) -> Iterator[Block]:
    """Growth, and text that stands twice."""
    if marks.growth is not None:
        yield from _heading("What grows", (), width, blanks)
        yield Block([row for line in growth_lines(marks.growth) for row in _words(line, width)])
    if marks.repeats:
        yield from _heading("Said more than once", (), width, blanks)
        for repeat in marks.repeats[:MOST_REPEATS]:
            place = repeat.places[0]
            rows = [row for line in repeat_lines(repeat) for row in _words(line, width)]
            yield Block(rows, None, EntryKey(place.kind, place.name, ""))
        if len(marks.repeats) > MOST_REPEATS:
            yield Block([(Piece(f"and {number(len(marks.repeats) - MOST_REPEATS)} more", "soft"),)])


def _complete_restored(preview: Preview, _marks: Marks, width: int, _blanks: bool) -> Iterator[Block]:
    if not any(stage.name == "complete restored" for stage in preview.trace.stages):
        yield Block([(Piece("No section is complete here: all of them are joined.", "soft"),)])
        return
    for section in preview.sections:
        if section.state == "effective":
            yield _entry_block(section, "✓", "running", "complete: as it was before the waterfall", width)
        elif section.state == "displaced":
            yield _entry_block(section, "∅", "soft", section.remark or "displaced", width)


def _suppressed(preview: Preview, _marks: Marks, width: int, _blanks: bool) -> Iterator[Block]:
    hidden = [context for context in preview.contexts if context.state == "suppressed"]
    if not hidden:
        yield Block([(Piece("Nothing suppresses the runtime context here.", "soft"),)])
    for context in hidden:
        yield _entry_block(context, "∅", "soft", context.remark or "suppressed", width)


def _rendered(preview: Preview, marks: Marks, width: int, blanks: bool) -> Iterator[Block]:
    if preview.failures:
        yield from _failures(preview, width, blanks)
        return
    for word, text in (("system text", preview.system), ("runtime context", preview.context)):
        if text:
            yield Block([(Piece(f"{word:<17}", "soft"), Piece(f"{number(len(text))} characters"))])
    empty = [
        entry
        for entry in (*preview.sections, *preview.contexts)
        if entry.state == "effective" and entry.rendered == ""
    ]
    for entry in empty:
        yield _entry_block(entry, "–", "soft", "empty, and so left out", width)
    yield from _said(marks, width, blanks)


_STAGES: Final = {
    "collected": _collected,
    "shadowed": _shadowed,
    "ordered": _ordered,
    "waterfall": _waterfall,
    "complete restored": _complete_restored,
    "suppressed": _suppressed,
    "rendered": _rendered,
}


def _heading(title: str, right: Line, width: int, blanks: bool) -> Iterator[Block]:
    if blanks:
        yield Block([()])
    yield Block([spread((Piece(title, "soft", bold=True),), right, width)])


def _words(line: Line, width: int) -> list[Line]:
    return list(wrapped(line, max(8, min(width, WIDEST))))
