"""A preview as JSON: everything that is known of one assembly, in a stable form.

Source: docs/cli.md 4. Keys are only ever added; `format` counts up when one changes its meaning.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.prompt import (
    AssemblyTrace,
    Change,
    EntryView,
    Failure,
    ListenerSpan,
    Owner,
    Position,
    Preview,
    Span,
    TextSource,
    ToolView,
    VariableView,
)
from workbench.tokens import Count, PromptCounts

FORMAT = 1


def preview_json(
    preview: Preview,
    *,
    file: str,
    scope: str,
    counts: PromptCounts,
    notes: Sequence[str] = (),
    trace: bool = False,
    saved: float | None = None,
) -> str:
    """The whole preview; with `trace`, the stages and listeners as well. Ends without a line end.

    `saved`: seconds since the epoch, for a text that is kept.
    """
    document: dict[str, Any] = {
        "format": FORMAT,
        "file": file,
        "scope": scope,
        **({} if saved is None else {"saved": saved}),
        "ok": not preview.failures,
        "system": preview.system,
        "context": preview.context,
        "spans": [_span(span) for span in preview.spans],
        "context_spans": [_span(span) for span in preview.context_spans],
        "tokens": _wholes(counts),
        "sections": [_entry(entry, counts.sections) for entry in preview.sections],
        "contexts": [_entry(entry, counts.contexts) for entry in preview.contexts],
        "tools": [_tool(tool, counts.tools) for tool in preview.tools],
        "variables": [_variable(variable) for variable in preview.variables],
        "failures": [_failure(failure) for failure in preview.failures],
        "notes": list(notes),
    }
    if trace:
        document["trace"] = _trace(preview.trace)
    return json.dumps(document, ensure_ascii=False, indent=2)


def _wholes(counts: PromptCounts) -> dict[str, Any]:
    return {
        "model": counts.model or None,
        "system": _count(counts.system),
        "context": _count(counts.context),
        "tools": _count(counts.all_tools),
        "request": _count(counts.request),
    }


def _count(count: Count | None) -> dict[str, Any] | None:
    return None if count is None else {"count": count.tokens, "label": count.label, "reason": count.reason}


def _count_of(entry: EntryView | ToolView, counts: Mapping[str, Count]) -> dict[str, Any] | None:
    """None for whatever is not sent."""
    return _count(counts.get(entry.name)) if entry.state == "effective" else None


def _owner(owner: Owner) -> dict[str, Any]:
    return {"plugin": owner.plugin, "fiber": owner.fiber, "kind": owner.kind}


def _maybe_owner(owner: Owner | None) -> dict[str, Any] | None:
    return None if owner is None else _owner(owner)


def _place(source: Position | TextSource | None) -> dict[str, Any] | None:
    if source is None:
        return None
    return {"file": source.file, "line": source.line, "column": source.column}


def _span(span: Span) -> dict[str, Any]:
    return {
        "start": span.start,
        "end": span.end,
        "part": span.part,
        "name": span.name,
        "variable": span.variable,
        "owner": _owner(span.owner),
        "layer": span.layer,
        "listener": span.listener,
        "source": _place(span.source),
    }


def _entry(entry: EntryView, counts: Mapping[str, Count]) -> dict[str, Any]:
    return {
        "name": entry.name,
        "state": entry.state,
        "remark": entry.remark,
        "order": entry.order,
        "order_key": entry.order_key,
        "owner": _owner(entry.owner),
        "layer": entry.layer,
        "added_by": _maybe_owner(entry.added_by),
        "changed_by": [_owner(owner) for owner in entry.changed_by],
        "complete": entry.complete,
        "literal": entry.literal,
        "text": entry.text,
        "registered_text": entry.registered_text,
        "rendered": entry.rendered,
        "tokens": _count_of(entry, counts),
        "start": entry.start,
        "spans": [_span(span) for span in entry.spans],
        "references": list(entry.references),
        "source": _place(entry.source),
        "failure": None if entry.failure is None else _failure(entry.failure),
    }


def _tool(tool: ToolView, counts: Mapping[str, Count]) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": json.loads(tool.parameters_json),
        "tokens": _count_of(tool, counts),
        "state": tool.state,
        "owner": _owner(tool.owner),
        "layer": tool.layer,
        "added_by": _maybe_owner(tool.added_by),
        "changed_by": [_owner(owner) for owner in tool.changed_by],
        "source": _place(tool.source),
    }


def _variable(variable: VariableView) -> dict[str, Any]:
    return {
        "name": variable.name,
        "value": variable.value,
        "state": variable.state,
        "owner": _owner(variable.owner),
        "layer": variable.layer,
        "set_by": _maybe_owner(variable.set_by),
        "used_in": list(variable.used_in),
        "source": _place(variable.source),
    }


def _failure(failure: Failure) -> dict[str, Any]:
    return {
        "stage": failure.stage,
        "code": failure.code,
        "message": failure.message,
        "part": failure.part,
        "name": failure.name,
        "owner": _maybe_owner(failure.owner),
        "group": failure.group,
        "offset": failure.offset,
        "length": failure.length,
        "line": failure.line,
        "column": failure.column,
        "source": _place(failure.position),
        "suggestion": failure.suggestion,
        "known": list(failure.known),
    }


def _trace(trace: AssemblyTrace) -> dict[str, Any]:
    return {
        "scope": trace.scope,
        "started": trace.started,
        "duration_ns": trace.duration_ns,
        "stages": [
            {"name": stage.name, "duration_ns": stage.duration_ns, "note": stage.note} for stage in trace.stages
        ],
        "listeners": [_listener(listener) for listener in trace.listeners],
        "not_reached": [_listener(listener) for listener in trace.not_reached],
        "error": trace.error,
    }


def _listener(listener: ListenerSpan) -> Mapping[str, Any]:
    return {
        "owner": _owner(listener.owner),
        "scope": listener.scope,
        "label": listener.label,
        "own_ns": listener.own_ns,
        "total_ns": listener.total_ns,
        "next_calls": listener.next_calls,
        "outcome": listener.outcome,
        "changes": [_change(change) for change in listener.changes],
        "error": listener.error,
        "source": _place(listener.source),
        "work": [
            {
                "start_ns": work.start_ns,
                "end_ns": work.end_ns,
                "size_before": work.size_before,
                "size_after": work.size_after,
            }
            for work in listener.work
        ],
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "kind": change.kind,
        "name": change.name,
        "action": change.action,
        "before": change.before,
        "after": change.after,
        "phase": change.phase,
        "remark": change.remark,
    }
