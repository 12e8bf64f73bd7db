"""A request of a log as a preview, so that it can be looked at and compared like any other prompt.

What a log cannot know is left out: listeners, layers, order, raw texts. Source: docs/sessions.md 14.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from workbench.agent.log.header import RequestHeader
from workbench.agent.verdicts.as_entries import UNKNOWN, entries_of, entry_of
from workbench.agent.verdicts.parts import Part
from workbench.prompt.trace import AssemblyTrace
from workbench.prompt.views import EntryView, Owner, PartKind, Preview, Span, ToolView, VariableView
from workbench.values.frozen import FrozenDict

HEADER = Owner("request header", 0, "harness")


def preview_of(
    header: RequestHeader, messages: Sequence[FrozenDict], parts: Sequence[Part], scope: str, time: int | None
) -> Preview:
    """System text, tools and the runtime context in force, of one request. `time`: when it was sent, in ms."""
    system = header.system or ""
    sections = entries_of([part for part in parts if part.kind == "section"], system)
    owners = {part.name: part.owner for part in parts if part.kind == "tool"}
    context, contexts = _context(messages)
    return Preview(
        trace=AssemblyTrace(scope, (time or 0) / 1000, 0, (), (), None),
        assembly=None,
        system=system,
        spans=tuple(_spans(sections, system)),
        context=context,
        context_spans=tuple(_spans(contexts, context)),
        sections=tuple(sections),
        contexts=tuple(contexts),
        tools=tuple(_tool(tool, owners.get(str(tool.get("name")))) for tool in header.tools),
        variables=tuple(
            VariableView(name, value, HEADER, "", "effective", None, (), None)
            for name, value in (("model", header.config.model), ("provider", header.config.provider))
            if value is not None
        ),
        failures=(),
    )


def _tool(tool: FrozenDict, owner: Owner | None) -> ToolView:
    description = tool.get("description")
    return ToolView(
        name=str(tool.get("name")),
        description=description if isinstance(description, str) else "",
        parameters_json=json.dumps(tool.get("parameters", {}), ensure_ascii=False, indent=2),
        owner=owner or UNKNOWN,
        layer="",
        state="effective",
        added_by=None,
        changed_by=(),
        source=None,
    )


def _context(messages: Sequence[FrozenDict]) -> tuple[str, list[EntryView]]:
    """The newest snapshot of the runtime context, and the contexts that it names."""
    for message in reversed(messages):
        source = message.get("source")
        if not isinstance(source, Mapping) or source.get("form") != "snapshot":
            continue
        text = "\n\n".join(
            block["text"]
            for block in message.get("content") or ()
            if isinstance(block, Mapping) and isinstance(block.get("text"), str)
        )
        owner = Owner(str(source.get("plugin") or ""), 0, "harness")
        entries, at = [], 0
        for each in source.get("sections") or ():
            name, said = (each.get("name"), each.get("text")) if isinstance(each, Mapping) else (None, None)
            if not isinstance(name, str) or not isinstance(said, str):
                continue
            start = text.find(said, at)
            if start < 0:
                continue
            span = Span(0, len(said), "context", name, None, owner, "", False, None)
            entries.append(entry_of("context", name, said, owner, [span] if said else [], start))
            at = start + len(said)
        return text, entries
    return "", []


def _spans(entries: Sequence[EntryView], whole: str) -> list[Span]:
    """Of the whole text, in order and without gaps."""
    spans: list[Span] = []
    at = 0
    for entry in entries:
        start = entry.start if entry.start is not None else at
        if start > at:
            spans.append(_between(at, start, "separator" if spans else "header"))
        spans += [span.shifted(start) for span in entry.spans]
        at = start + len(entry.text)
    if at < len(whole):
        spans.append(_between(at, len(whole), "separator"))
    return spans


def _between(start: int, end: int, part: PartKind) -> Span:
    return Span(start, end, part, "", None, HEADER, "", False, None)
