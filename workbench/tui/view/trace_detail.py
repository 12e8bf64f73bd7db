"""What is known about one row of the timeline, as rows that are drawn when they are seen.

Of a listener: what follows from how it treated `next`, what it changed word for word, and what never ran.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from workbench.prompt.trace import Change, ListenerSpan
from workbench.prompt.views import Owner, Preview
from workbench.tui.view.detail_rows import Block, Detail, heading, paragraph
from workbench.tui.view.details import SAVED
from workbench.tui.view.difference import Form, TextDifference
from workbench.tui.view.entries import EntryKey
from workbench.tui.view.file_place import with_place
from workbench.tui.view.pieces import OWNER_ROLES, Line, Piece, Role, cut, outside
from workbench.tui.view.sizes import number
from workbench.tui.view.trace import (
    Marks,
    TraceRow,
    is_order_ignored,
    label_of,
    sign_of_change,
)
from workbench.tui.view.trace_lines import milliseconds
from workbench.tui.view.trace_stages import stage_blocks
from workbench.tui.view.trace_words import (
    MOST_REPEATS,
    consequence,
    growth_lines,
    missed_lines,
    remedy,
    repeat_lines,
)

Compared = Callable[[Change], TextDifference]
LastRan = Callable[[ListenerSpan], str]


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
    follows: str = SAVED,
) -> Detail:
    """Of a stage or a listener, in `width` cells. `blanks`: there is room for empty lines between groups.

    `start`: lines of differences are not wrapped, and shown from that cell on. `follows`: how what is mended comes
    to the screen.
    """
    if row.listener is not None:
        form = Form(width + 1, start=start)
        made = _listener(row.listener, preview, marks, width, blanks, compared, last_ran, form)
    else:
        made = stage_blocks(row.key, preview, marks, width, blanks, follows)
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
    words: Line = (
        *cut(outside(label_of(listener), "strong", bold=True), max(16, width // 3)),
        Piece("  listener of ", "soft"),
        *cut(outside(listener.owner.plugin, role), max(16, width // 3)),
    )
    scope: Line = (Piece(", scope ", "soft"), *outside(listener.scope)) if listener.scope else ()
    time = _time(listener, short=width < 100)
    yield Block(with_place(words, listener.source, width, behind=scope, right=time))
    yield Block(paragraph(consequence(listener, preview), width))
    advice = remedy(listener, preview)
    if advice and blanks:
        yield Block(paragraph((Piece(advice, "soft"),), width))
    if listener.outcome == "not reached":
        since = last_ran(listener)
        if since:
            yield Block([(Piece(since, "soft"),)])
    if listener.changes:
        yield from heading("What it changed", _sizes(listener), width, blanks)
        for index, change in enumerate(listener.changes):
            if index and blanks:
                yield Block([()])
            yield from _change(change, preview, width, compared, form)
    repeats = marks.repeats_of(listener.owner)
    growth = marks.growth if marks.grows_by(listener.owner) else None
    if growth is not None:
        yield from heading("What grows", (), width, blanks)
        yield Block([row for line in growth_lines(growth) for row in paragraph(line, width)])
    if repeats:
        yield from heading("Said more than once", (), width, blanks)
        for repeat in repeats[:MOST_REPEATS]:
            yield Block([row for line in repeat_lines(repeat) for row in paragraph(line, width)])
    missed = preview.trace.not_reached
    if missed and listener.outcome in ("short-circuited", "not awaited", "raised"):
        yield from heading("What never ran", (), width, blanks)
        for each in missed:
            yield Block(missed_lines(each, last_ran(each), width))
    if advice and not blanks:  # first what it did, where there is little room
        yield Block(paragraph((Piece(advice, "soft"),), width))


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
    target = EntryKey(change.kind, change.name, "")
    yield Block(paragraph(head, width), change, target)
    if change.remark:
        is_warning = is_order_ignored(change)
        sign = (Piece("∅ ", "pending", bold=True),) if is_warning else (Piece("  "),)
        remark = outside(change.remark, "pending" if is_warning else "soft")
        yield Block(paragraph((*sign, *remark), width), change, target)
    if change.action != "moved" and (change.before or "") != (change.after or ""):
        yield Block(compared(change).layout(form), change, target, is_difference=True)
    elif change.action == "added":
        yield Block([(Piece("  an empty text", "soft"),)], change, target)


def _owner_of(change: Change, preview: Preview) -> Owner | None:
    """Whose entry it was; None: the listener's own."""
    if change.kind == "tool":
        return next((tool.owner for tool in preview.tools if tool.name == change.name and not tool.added_by), None)
    if change.kind == "variable":
        found = (each.owner for each in preview.variables if each.name == change.name and each.layer != "waterfall")
        return next(found, None)
    entries = preview.sections if change.kind == "section" else preview.contexts
    return next((entry.owner for entry in entries if entry.name == change.name and entry.added_by is None), None)
