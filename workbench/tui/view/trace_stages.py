"""What is known about one stage of an assembly: what came in, what was hidden, sorted, changed and rendered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Final

from workbench.prompt.views import EntryView, Owner, Preview, VariableView
from workbench.tui.view.detail_rows import WIDEST, Block, OneLine, heading, paragraph
from workbench.tui.view.details import SAVED, advice
from workbench.tui.view.entries import EntryKey, Kind, order_text
from workbench.tui.view.notes import note_rows
from workbench.tui.view.pieces import OWNER_ROLES, Line, Piece, Role, outside, spread
from workbench.tui.view.sizes import counted, number
from workbench.tui.view.trace import (
    Marks,
    RowKey,
    failed_stage,
    registered,
    shadowed,
    sign_of_change,
)
from workbench.tui.view.trace_lines import milliseconds
from workbench.tui.view.trace_words import MOST_REPEATS, growth_lines, missed_lines, repeat_lines


def stage_blocks(
    key: RowKey, preview: Preview, marks: Marks, width: int, blanks: bool, follows: str = SAVED
) -> Iterator[Block]:
    """The rows of a stage. `follows`: how what is mended comes to the screen."""
    stage = key.stage
    time_ns = next((each.duration_ns for each in preview.trace.stages if each.name == stage), None)
    right: Line = (Piece(f"{milliseconds(time_ns)} ms", "text"),) if time_ns is not None else ()
    title: Line = (Piece(stage, "strong", bold=True), Piece(f"  {_ABOUT[stage]}", "soft"))
    yield Block([spread(title, right, width)])
    if failed_stage(preview) == stage or (stage == "rendered" and preview.failures and preview.trace.error is None):
        yield from _failures(preview, width, blanks, follows)
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


def _failures(preview: Preview, width: int, blanks: bool, follows: str) -> Iterator[Block]:
    for failure in preview.failures:
        if blanks:
            yield Block([()])
        lines = note_rows(failure, min(width, WIDEST), None, failure.group)
        kind = failure.part if failure.part in ("section", "context", "variable") else None
        target = EntryKey(kind, failure.name, "") if kind in ("section", "context", "variable") else None  # type: ignore[arg-type]
        yield Block(lines, None, target)
    if preview.failures:
        yield from heading("What to do", (), width, blanks)
        lines = list(advice(preview.failures[0], preview, follows))
        yield Block([row for line in lines for row in paragraph(line, width)])


def _collected(preview: Preview, _marks: Marks, width: int, blanks: bool) -> Iterator[Block]:
    by_owner: dict[Owner, Counter[str]] = {}
    for kind, owner, _layer in registered(preview):
        by_owner.setdefault(owner, Counter())[kind] += 1
    if not by_owner:
        yield Block([(Piece("Nothing is registered here.", "soft"),)])
        return
    yield from heading("Who gave what", (), width, blanks)
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
    return Block(paragraph(line, width), None, EntryKey(kind, each.name, each.layer))


def _ordered(preview: Preview, _marks: Marks, width: int, blanks: bool) -> Iterator[Block]:
    """Registered sections by order, and apart from them those that listeners added."""
    for title, entries in (("Sections by order", preview.sections), ("Runtime context by order", preview.contexts)):
        placed = [entry for entry in entries if entry.added_by is None and entry.state != "shadowed"]
        if placed:
            yield from heading(title, (), width, blanks)
        for entry in sorted(placed, key=lambda entry: (entry.order or 0, entry.name)):
            line = OneLine(partial(_order_line, entry))
            yield Block(line, None, EntryKey(entry.kind, entry.name, entry.layer))
        added = [entry for entry in entries if entry.added_by is not None]
        if added:
            yield from heading("Added later, in the waterfall", (), width, blanks)
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
        yield Block(paragraph((Piece(about, "soft"),), min(width, 76)))
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
                yield Block(paragraph(line, width), change, EntryKey(change.kind, change.name, ""))
    for each in trace.not_reached:
        yield Block(missed_lines(each, "never ran", width))
    yield from _said(marks, width, blanks)


def _said(marks: Marks, width: int, blanks: bool) -> Iterator[Block]:
    """Growth, and text that stands twice."""
    if marks.growth is not None:
        yield from heading("What grows", (), width, blanks)
        yield Block([row for line in growth_lines(marks.growth) for row in paragraph(line, width)])
    if marks.repeats:
        yield from heading("Said more than once", (), width, blanks)
        for repeat in marks.repeats[:MOST_REPEATS]:
            place = repeat.places[0]
            rows = [row for line in repeat_lines(repeat) for row in paragraph(line, width)]
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
