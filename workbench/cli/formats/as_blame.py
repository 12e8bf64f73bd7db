"""Origins of a text as lines for a person."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from workbench.cli.origins import InTool, InVariable, LeftOut, Occurrence, Origin, Piece
from workbench.config.difference.texts import ChangedLine, changed_lines, changed_pieces
from workbench.prompt import EntryView, ListenerSpan, Position, Preview, TextSource
from workbench.prompt.listener_words import ListenerChange
from workbench.visible import visible_line

SHOWN_PLACES = 20
"""Occurrences with the same origin that are listed one by one."""
SHOWN_LINES = 6
"""Changed lines of one listener, and listeners that never ran."""
_WIDEST = 80


def blame_lines(found: Iterable[Origin], text: str) -> Iterator[str]:
    """One paragraph per origin of the text. Everything in the lines is fit for a terminal."""
    first = True
    for _, group in groupby(found, _same_origin):
        if not first:
            yield ""
        first = False
        yield from _paragraph(list(group), text)


def _same_origin(origin: Origin) -> object:
    """Occurrences of which all pieces come from the same places make one paragraph."""
    if not isinstance(origin, Occurrence):
        return id(origin)
    return origin.within, tuple((piece.text, piece.span.name, piece.span.variable) for piece in origin.pieces)


def _paragraph(group: list[Origin], text: str) -> Iterator[str]:
    origin = group[0]
    match origin:
        case Occurrence():
            yield _places([found for found in group if isinstance(found, Occurrence)])
            for piece in origin.pieces:
                yield from _piece(piece)
        case LeftOut():
            yield from _left_out(origin.entry)
        case ListenerChange():
            yield from _listener_change(origin, text)
        case InTool():
            yield from _in_tool(origin)
        case InVariable():
            yield from _in_variable(origin)


def _places(occurrences: list[Occurrence]) -> str:
    within = "system text" if occurrences[0].within == "system" else "runtime context"
    shown = ", ".join(f"{found.line}:{found.column}" for found in occurrences[:SHOWN_PLACES])
    more = len(occurrences) - SHOWN_PLACES
    return f"{within}, {shown}{f' and {more} more' if more > 0 else ''}"


def _piece(piece: Piece) -> Iterator[str]:
    span, entry = piece.span, piece.entry
    if span.part in ("separator", "header"):
        yield f"  {_quoted(piece.text)}  {span.part} of the rendering"
        return
    yield f"  {_quoted(piece.text)}"
    if span.variable is not None:
        yield f"    value of the variable {span.variable}, given by {span.owner}"
    elif span.listener:
        yield f"    written by a listener of {_name(span.owner.plugin)}"
    if entry is None:
        yield f"    {span.part} {_name(span.name)}, {_name(span.owner.plugin)}, layer {_name(span.layer)}"
    else:
        yield f"    {_entry(entry)}"
    if piece.source is not None:
        yield f"    {_place(piece.source)}"
    if entry is not None and entry.changed_by:
        yield f"    changed by {', '.join(_name(owner.plugin) for owner in entry.changed_by)}"


def _left_out(entry: EntryView) -> Iterator[str]:
    if entry.failure is not None:
        reason = "cannot be rendered"
    elif entry.state != "effective":
        reason = f"{entry.state}: {_name(entry.remark)}" if entry.remark else entry.state
    elif entry.changed_by:
        reason = "does not say it any more"
    else:
        reason = "not rendered"
    yield f"not in the prompt: {entry.kind} {_name(entry.name)} ({reason})"
    yield f"    {_entry(entry)}"
    if entry.source is not None:
        yield f"    {_place(entry.source)}"
    if entry.changed_by:
        yield f"    changed by {', '.join(_name(owner.plugin) for owner in entry.changed_by)}"


def _listener_change(found: ListenerChange, text: str) -> Iterator[str]:
    change, listener = found.change, found.listener
    deed = "put in" if found.wrote else "taken out"
    what = f"{change.kind} {_name(change.name)} {change.action}"
    yield f"{deed} by a listener of {_name(listener.owner.plugin)}: {what} {change.phase}"
    yield f"    {_listener(listener)}"
    if change.remark:
        yield f"    {_name(change.remark)}"
    if change.kind != "tool":
        yield from _changed_lines(change.before or "", change.after or "", text)


def _changed_lines(before: str, after: str, text: str) -> Iterator[str]:
    """The lines that went and came where the text is, or where the first change is."""
    stretches: list[list[ChangedLine]] = [[]]
    for line in changed_lines(changed_pieces(before, after)):
        if line.kind != "same":
            stretches[-1].append(line)
        elif stretches[-1]:
            stretches.append([])
    first_line = text.split("\n")[0]
    there = [stretch for stretch in stretches if any(first_line in _text_of(line) for line in stretch)]
    lines = (there or stretches)[0]
    for line in lines[:SHOWN_LINES]:
        yield f"    {'−' if line.kind == 'removed' else '+'} {_cut(_text_of(line))}"
    if len(lines) > SHOWN_LINES:
        yield f"      and {len(lines) - SHOWN_LINES:,} more lines"


def _text_of(line: ChangedLine) -> str:
    return "".join(piece.text for piece in line.pieces)


def not_reached_notes(preview: Preview) -> Iterator[str]:
    """Listeners that never ran: what they would have written is in no assembly. Not made visible yet."""
    trace = preview.trace
    if not trace.not_reached:
        return
    names = [f"{each.label} of {each.owner.plugin}" for each in trace.not_reached]
    more = f" and {len(names) - SHOWN_LINES} more" if len(names) > SHOWN_LINES else ""
    ran = [listener for listener in trace.listeners if listener.outcome != "skipped"]
    why = f": {ran[-1].label} of {ran[-1].owner.plugin} did not pass on ({ran[-1].outcome})" if ran else ""
    yield f"{', '.join(names[:SHOWN_LINES])}{more} never ran{why}"


def _listener(listener: ListenerSpan) -> str:
    scope = f", scope {_name(listener.scope)}" if listener.scope else ""
    place = f", {_name(listener.source.file)}:{listener.source.line}" if listener.source is not None else ""
    return f"{_name(listener.label)}{scope}{place}"


def _in_tool(found: InTool) -> Iterator[str]:
    tool = found.tool
    removed = "" if tool.state == "effective" else f" ({tool.state})"
    yield f"tool {_name(tool.name)}{removed}, {found.part}"
    yield f"    {_name(tool.owner.plugin)}, layer {_name(tool.layer)}"
    if tool.added_by is not None:
        yield f"    added by a listener of {_name(tool.added_by.plugin)}"
    if tool.changed_by:
        yield f"    changed by {', '.join(_name(owner.plugin) for owner in tool.changed_by)}"
    if tool.source is not None:
        yield f"    {_place(tool.source)}"


def _in_variable(found: InVariable) -> Iterator[str]:
    variable = found.variable
    shadowed = "" if variable.state == "effective" else f" ({variable.state})"
    used = ", ".join(map(_name, variable.used_in)) or "nothing"
    yield f"variable {_name(variable.name)}{shadowed}, used in {used}"
    yield f"    {_name(variable.owner.plugin)}, layer {_name(variable.layer)}"
    if variable.set_by is not None:
        yield f"    set by a listener of {_name(variable.set_by.plugin)}"
    if variable.source is not None:
        yield f"    {_place(variable.source)}"


def _entry(entry: EntryView) -> str:
    order = "" if entry.order is None else f", order {str(entry.order).removesuffix('.0')}"
    key = f" ({entry.order_key})" if entry.order_key else ""
    flags = "".join(f", {flag}" for flag in ("complete", "literal") if getattr(entry, flag))
    owner = f"{_name(entry.owner.plugin)}, layer {_name(entry.layer)}"
    return f"{entry.kind} {_name(entry.name)}, {owner}{order}{key}{flags}"


def _place(source: Position | TextSource) -> str:
    return f"{_name(source.file)}:{source.line}:{source.column}"


def _name(text: str) -> str:
    return visible_line(text)


def _quoted(text: str) -> str:
    return f"“{_cut(text)}”"


def _cut(text: str) -> str:
    shown = visible_line(text)
    return shown if len(shown) <= _WIDEST else f"{shown[: _WIDEST - 1]}…"
