"""A preview as a Markdown page, for a review or a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from workbench.config.formats.as_trace import trace_lines
from workbench.prompt import EntryView, Failure, Owner, Position, Preview, Span, TextSource

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")
_LINE_ENDS = re.compile(r"[\r\n\v\f\x85\u2028\u2029]+")


def preview_markdown(preview: Preview, *, file: str, scope: str, spans: bool = False, trace: bool = False) -> str:
    """The page, without a line end after its last line."""
    parts = [f"# {_plain(file)}, {_plain(scope)}"]
    if preview.failures:
        parts.append(_list("Failures", (_failure(failure) for failure in preview.failures)))
    if preview.system:
        parts.append(f"## System prompt\n\n{_fenced(preview.system)}")
    if preview.context:
        parts.append(f"## Runtime context\n\n{_fenced(preview.context)}")
    parts.append(_entries("Sections", preview.sections))
    if preview.contexts:
        parts.append(_entries("Contexts", preview.contexts))
    if preview.tools:
        parts.append(_tools(preview))
    if preview.variables:
        parts.append(_variables(preview))
    if spans and preview.system is not None:
        parts.append(_spans("Origins", preview.spans, preview.system))
    if spans and preview.context:
        parts.append(_spans("Origins of the runtime context", preview.context_spans, preview.context))
    if trace:
        parts.append(f"## Trace\n\n{_fenced(chr(10).join(trace_lines(preview.trace)))}")
    return "\n\n".join(parts)


def _entries(title: str, entries: Iterable[EntryView]) -> str:
    rows = (
        (entry.name, _number(entry.order), str(entry.owner), entry.layer, _state(entry), _place(entry.source))
        for entry in entries
    )
    return _table(title, ("name", "order", "owner", "layer", "state", "source"), rows)


def _state(entry: EntryView) -> str:
    flags = [flag for flag in ("complete", "literal") if getattr(entry, flag)]
    changed = [f"changed by {', '.join(map(str, entry.changed_by))}"] if entry.changed_by else []
    added = [f"added by {entry.added_by}"] if entry.added_by else []
    empty = ["empty"] if entry.state == "effective" and entry.rendered == "" else []
    remark = [entry.remark] if entry.remark else []
    return ", ".join([entry.state, *flags, *empty, *added, *changed, *remark])


def _tools(preview: Preview) -> str:
    rows = ((tool.name, str(tool.owner), tool.layer, tool.state, tool.description) for tool in preview.tools)
    return _table("Tools", ("name", "owner", "layer", "state", "description"), rows)


def _variables(preview: Preview) -> str:
    rows = (
        (
            variable.name,
            "(no value)" if variable.value is None else variable.value,
            _setter(variable.owner, variable.set_by),
            variable.layer,
            variable.state,
            ", ".join(variable.used_in),
        )
        for variable in preview.variables
    )
    return _table("Variables", ("name", "value", "owner", "layer", "state", "used in"), rows)


def _setter(owner: Owner, set_by: Owner | None) -> str:
    return f"{owner}, set by {set_by}" if set_by else str(owner)


def _spans(title: str, spans: Sequence[Span], text: str) -> str:
    rows = (
        (
            f"{span.start}–{span.end}",
            span.name or span.part,
            span.variable or "",
            f"{span.owner}{' (listener)' if span.listener else ''}",
            _place(span.source),
            text[span.start : span.end],
        )
        for span in spans
        if span.part != "separator"
    )
    return _table(title, ("characters", "entry", "variable", "owner", "source", "text"), rows)


def _failure(failure: Failure) -> str:
    place = f"{failure.position}: " if failure.position else ""
    return f"{place}{failure.message}"


def _table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"## {title}", "", _cells(head), _cells(["---"] * len(head))]
    lines += [_cells([_plain(cell) for cell in row]) for row in rows]
    return "\n".join(lines)


def _cells(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _list(title: str, items: Iterable[str]) -> str:
    return "\n".join([f"## {title}", "", *(f"- {_plain(item)}" for item in items)])


def _plain(text: str) -> str:
    """Outside text on one line that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\1", _LINE_ENDS.sub(" ", text))


def _fenced(text: str) -> str:
    """The text in a fence that is longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _number(order: float | None) -> str:
    return "" if order is None else str(order).removesuffix(".0")


def _place(source: Position | TextSource | None) -> str:
    return "" if source is None else f"{source.file}:{source.line}"
