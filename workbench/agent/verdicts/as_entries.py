"""Parts of a request as the entries of an assembly, so that whatever looks at entries can look at them.

Source: docs/sessions.md 13.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.agent.verdicts.parts import Part
from workbench.agent.verdicts.verdict import NO_OWNER
from workbench.prompt.views import EntryView, Owner, Span

UNKNOWN = Owner(NO_OWNER, 0)
"""Stands for an owner that was not recorded."""


def entries_of(sections: Iterable[Part], whole: str = "") -> list[EntryView]:
    """The sections, each at its place in the whole text where that is given."""
    entries, at = [], 0
    for part in sections:
        start = whole.find(part.text, at) if whole else at
        at = start + len(part.text)
        entries.append(entry_of("section", part.name, part.text, part.owner or UNKNOWN, _spans(part), start))
    return entries


def entry_of(kind: str, name: str, text: str, owner: Owner, spans: Sequence[Span], start: int | None) -> EntryView:
    """One of them."""
    writers = {span.owner.plugin: span.owner for span in spans if span.listener}
    return EntryView(
        kind="context" if kind == "context" else "section",
        name=name,
        order=None,
        order_key=None,
        owner=owner,
        layer="",
        state="effective",
        added_by=None,
        changed_by=tuple(writers.values()),
        remark="",
        text=text,
        registered_text=None,
        rendered=text,
        spans=tuple(spans),
        start=start,
        complete=False,
        literal=True,
        references=tuple(dict.fromkeys(span.variable for span in spans if span.variable is not None)),
        source=None,
        failure=None,
    )


def _spans(part: Part) -> list[Span]:
    if not part.spans:
        return [_span(0, len(part.text), part.name, None, part.owner or UNKNOWN, False)] if part.text else []
    spans, at = [], 0
    for each in part.spans:
        spans.append(_span(at, each.end, part.name, each.variable or None, each.owner, each.is_listener))
        at = each.end
    return spans


def _span(start: int, end: int, name: str, variable: str | None, owner: Owner, is_listener: bool) -> Span:
    return Span(start, end, "section", name, variable, owner, "", is_listener, None)
