"""Who wrote, changed or removed a text: a search through one preview. Pure data, no printing."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from workbench.prompt import EntryView, Position, Preview, Span, ToolView, VariableView
from workbench.prompt.listener_words import ListenerChange, listener_changes, said, values_of
from workbench.prompt.places import place_in_span

TextName = Literal["system", "context"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a found text with one origin."""

    text: str
    span: Span
    entry: EntryView | None
    """The section or context that it stands in; None between them."""
    source: Position | None
    """Place of its first character, where it came from a file or from code."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A place in the rendered prompt where the text stands."""

    within: TextName
    line: int
    column: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A section or context that says the text, and is not in the prompt or does not say it any more."""

    entry: EntryView


@dataclass(frozen=True, slots=True)
class InTool:
    """A tool whose name, description or parameters say the text."""

    tool: ToolView
    part: Literal["name", "description", "parameters"]


@dataclass(frozen=True, slots=True)
class InVariable:
    """A variable whose value says the text."""

    variable: VariableView


Origin = Occurrence | LeftOut | ListenerChange | InTool | InVariable


def origins(preview: Preview, text: str) -> Iterator[Origin]:
    """Everything in one assembly that says `text`, exactly as written, the rendered prompt first."""
    yield from _occurrences("system", preview.system, preview.spans, preview.sections, text)
    yield from _occurrences("context", preview.context, preview.context_spans, preview.contexts, text)
    yield from listener_changes(preview, lambda words: text in words)
    values = values_of(preview)
    for entry in (*preview.sections, *preview.contexts):
        if _is_left_out(preview, entry, text, values):
            yield LeftOut(entry)
    for tool in preview.tools:
        yield from _in_tool(tool, text)
    for variable in preview.variables:
        if variable.value is not None and text in variable.value:
            yield InVariable(variable)


def _occurrences(
    within: TextName,
    rendered: str | None,
    spans: tuple[Span, ...],
    entries: tuple[EntryView, ...],
    text: str,
) -> Iterator[Occurrence]:
    if not rendered:
        return
    in_force = {entry.name: entry for entry in reversed(entries) if entry.state == "effective"}
    starts, ends = [span.start for span in spans], [span.end for span in spans]
    line, counted_to = 1, 0
    start = rendered.find(text)
    while start >= 0:
        end = start + len(text)
        touched = spans[bisect_right(ends, start) : bisect_left(starts, end)]
        pieces = tuple(_piece(rendered, span, in_force.get(span.name), start, end) for span in touched)
        line += rendered.count("\n", counted_to, start)
        counted_to = start
        yield Occurrence(within, line, start - rendered.rfind("\n", 0, start), pieces)
        start = rendered.find(text, end)


def _piece(rendered: str, span: Span, entry: EntryView | None, start: int, end: int) -> Piece:
    """The part of the span between `start` and `end`."""
    start, end = max(start, span.start), min(end, span.end)
    source = place_in_span(span, rendered[span.start : start], entry.source if entry else None)
    return Piece(rendered[start:end], span, entry, source)


def _is_left_out(preview: Preview, entry: EntryView, text: str, values: Mapping[str, str]) -> bool:
    if not any(
        said(each, lambda words: text in words, values) for each in (entry.text, entry.registered_text or "")
    ):
        return False
    whole = preview.system if entry.kind == "section" else preview.context
    if whole is None:
        return True
    return entry.state != "effective" or text not in (entry.rendered or "")


def _in_tool(tool: ToolView, text: str) -> Iterator[InTool]:
    if text in tool.name:
        yield InTool(tool, "name")
    if text in tool.description:
        yield InTool(tool, "description")
    if text in tool.parameters_json or _as_json(text) in tool.parameters_json:
        yield InTool(tool, "parameters")


def _as_json(text: str) -> str:
    """The text as it stands inside a JSON string."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def nearly(preview: Preview, text: str) -> str | None:
    """The text as the prompt has it, when only case or white space differ."""
    words = [re.escape(word) for word in text.split()]
    if not words or not preview.system:
        return None
    match = re.search(r"\s+".join(words), preview.system, re.IGNORECASE)
    return match[0] if match else None
