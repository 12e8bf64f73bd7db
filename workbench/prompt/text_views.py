"""Sections and contexts of one assembly as views: state, origins, rendered text with its spans.

Source: docs/prompt-assembly.md 6, 9 and 10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Literal

from workbench.core import scope_label
from workbench.prompt.changes import Rewrite
from workbench.prompt.contributions import TextContribution
from workbench.prompt.errors import RenderError
from workbench.prompt.failures import render_failure
from workbench.prompt.orders import CONTEXT_POSITIONS, SECTION_POSITIONS
from workbench.prompt.origins import Origin, registered, rewritten, unexplained, written_by
from workbench.prompt.owners import owner_of
from workbench.prompt.recording import Recorder, TextRow
from workbench.prompt.rendering import check_strings, interpolate
from workbench.prompt.source import Position, TextSource
from workbench.prompt.template import groups_of, references_of
from workbench.prompt.views import EntryState, EntryView, Owner, Span

TextKind = Literal["section", "context"]


@dataclass(frozen=True, slots=True)
class ValueOrigin:
    """Who gives a variable its value."""

    owner: Owner
    layer: str
    source: TextSource | None
    listener: bool = False


class TextViews:
    """Makes the views of all sections, or of all contexts, of one assembly."""

    def __init__(
        self,
        kind: TextKind,
        recorder: Recorder,
        rewrites: Sequence[Rewrite],
        variables: Mapping[str, str | None],
        values: Mapping[str, ValueOrigin],
    ) -> None:
        self._kind: TextKind = kind
        self._rewrites: dict[int, list[tuple[int, Rewrite]]] = {}
        """By the identity of what they changed; with their number in the order in which they were made."""
        for number, rewrite in enumerate(rewrites):
            if rewrite.change.kind == kind:
                self._rewrites.setdefault(id(rewrite.subject), []).append((number, rewrite))
        built = recorder.built
        state = None if built is None else built.sections if kind == "section" else built.contexts
        self._registered_texts = {id(row.identity): row.text for row in (state.rows() if state else ())}
        self._variables = variables
        self._values_are_text = all(value is None or isinstance(value, str) for value in variables.values())
        self._values = values
        positions = SECTION_POSITIONS if kind == "section" else CONTEXT_POSITIONS
        self._key_of_order: dict[float, str] = {each.order: key for key, each in reversed(positions.items())}

    def effective(self, rows: Sequence[TextRow]) -> Iterator[EntryView]:
        """The entries that the assembly ended with, each rendered when it is asked for."""
        return map(self._rendered, rows)

    def absent(self, rows: Sequence[TextRow], state: EntryState, remark: str) -> list[EntryView]:
        """Entries that were evaluated, but are not in force."""
        return [replace(self._view(row), state=state, remark=remark) for row in rows]

    def not_evaluated(
        self, entries: Sequence[TextContribution], state: EntryState, remarks: Sequence[str]
    ) -> list[EntryView]:
        """Registrations whose text nobody asked for."""
        views = []
        for entry, remark in zip(entries, remarks, strict=True):
            row = TextRow(entry, entry.name, entry.text, entry.literal, entry.order, entry)
            views.append(replace(self._view(row), state=state, remark=remark))
        return views

    def _rendered(self, row: TextRow) -> EntryView:
        origins = self._origins(row)
        view = self._view(row)
        if not (row.is_text and self._values_are_text):
            try:
                check_strings(
                    self._kind, row.name, row.text if row.is_text else None, view.literal, self._variables
                )
            except RenderError as error:
                return replace(view, failure=render_failure(error, row.text, view.owner, lambda _at: None))
        if row.literal is True:
            return replace(view, rendered=row.text, spans=tuple(self._literal_spans(view, row, origins, 0)))
        try:
            rendered = interpolate(self._kind, row.name, row.text, self._variables)
        except RenderError as error:
            failure = render_failure(
                error, row.text, view.owner, lambda at: self._place(view.source, row, origins, at)
            )
            return replace(view, failure=failure)
        spans: list[Span] = []
        position = start = 0
        for group in groups_of(row.text):
            if group.name is None:
                break
            spans += self._literal_spans(view, row, origins, start, position, group.offset)
            start += group.offset - position
            value = self._variables[group.name] or ""
            if value:
                spans.append(self._value_span(view, group.name, start, start + len(value)))
            start += len(value)
            position = group.end
        spans += self._literal_spans(view, row, origins, start, position, len(row.text))
        return replace(view, rendered=rendered, spans=tuple(spans))

    def lineage(self, row: TextRow) -> list[object]:
        """What stood in its place before, under the same name: itself, the entry that it replaced, and so on."""
        found = [row.identity]
        for identity in found:
            for _, rewrite in self._rewrites.get(id(identity), ()):
                if rewrite.replaced is not None and all(rewrite.replaced is not each for each in found):
                    found.append(rewrite.replaced)
        return found

    def _rewrites_of(self, row: TextRow) -> list[Rewrite]:
        """What listeners made of it, in the order in which they did."""
        lineage = self.lineage(row) if self._rewrites else ()
        numbered = [each for identity in lineage for each in self._rewrites.get(id(identity), ())]
        return [rewrite for _, rewrite in sorted(numbered, key=itemgetter(0))]

    def _contribution(self, row: TextRow) -> TextContribution | None:
        """The registration that it is, or that it replaced."""
        if row.contribution is not None or not self._rewrites:
            return row.contribution
        return next((each for each in self.lineage(row) if isinstance(each, TextContribution)), None)

    def _view(self, row: TextRow) -> EntryView:
        entry = self._contribution(row)
        rewrites = self._rewrites_of(row)
        changed_by = tuple(dict.fromkeys(each.owner for each in rewrites if each.change.action == "changed"))
        added_by = None
        if entry is None:
            added_by = next((each.owner for each in rewrites if each.change.action == "added"), None)
        owner = owner_of(entry) if entry is not None else added_by or Owner("(listener)", 0)
        order = entry.order if entry is not None else None
        remark = ""
        if entry is None and row.order is not None:
            remark = f"order {row.order} ignored: added in the waterfall"
        registered_text = self._registered_text(row)
        return EntryView(
            kind=self._kind,
            name=row.name,
            order=order,
            order_key=None if order is None else self._key_of_order.get(order),
            owner=owner,
            layer="waterfall" if entry is None else scope_label(entry.scope),
            state="effective",
            added_by=added_by,
            changed_by=changed_by,
            remark=remark,
            text=row.text,
            registered_text=None if registered_text == row.text else registered_text,
            rendered=None,
            spans=(),
            start=None,
            complete=entry is not None and entry.complete,
            literal=row.literal is True,
            references=() if row.literal is True else references_of(row.text),
            source=None if entry is None else entry.place(),
            failure=None,
        )

    def _registered_text(self, row: TextRow) -> str | None:
        """The text as its registration gave it in this assembly."""
        entry = self._contribution(row)
        return None if entry is None else self._registered_texts.get(id(entry))

    def _origins(self, row: TextRow) -> list[Origin]:
        """Who wrote each piece of its text, followed through the listeners that changed it."""
        text = self._registered_text(row)
        origins = [] if text is None else registered(text)
        for rewrite in self._rewrites_of(row):
            after = rewrite.change.after
            if after is None:
                continue  # taken out, to be put back later
            if text is None:
                origins = written_by(rewrite.owner, after)
            elif text != after:
                origins = rewritten(origins, text, after, rewrite.owner)
            text = after
        return origins if text == row.text else unexplained(row.text)

    def _literal_spans(
        self,
        view: EntryView,
        row: TextRow,
        origins: list[Origin],
        start: int,
        low: int = 0,
        high: int | None = None,
    ) -> list[Span]:
        high = len(row.text) if high is None else high
        spans = []
        for origin in origins:
            piece_low, piece_high = max(origin.start, low), min(origin.end, high)
            if piece_low >= piece_high:
                continue
            spans.append(
                Span(
                    start=start + piece_low - low,
                    end=start + piece_high - low,
                    part=self._kind,
                    name=row.name,
                    variable=None,
                    owner=origin.listener or view.owner,
                    layer=view.layer,
                    listener=origin.listener is not None,
                    source=self._place(view.source, row, [origin], piece_low),
                )
            )
        return spans

    def _value_span(self, view: EntryView, name: str, start: int, end: int) -> Span:
        value = self._values.get(name)
        return Span(
            start=start,
            end=end,
            part=self._kind,
            name=view.name,
            variable=name,
            owner=value.owner if value is not None else view.owner,
            layer=value.layer if value is not None else view.layer,
            listener=value is not None and value.listener,
            source=None if value is None or value.source is None else value.source.position("", 0),
        )

    def _place(
        self, source: TextSource | None, row: TextRow, origins: list[Origin], offset: int
    ) -> Position | None:
        """Where the character at `offset` of the raw text stands in a file."""
        if source is None:
            return None
        text = self._registered_text(row) or ""
        for origin in origins:
            if origin.start <= offset < origin.end and origin.registered_start >= 0:
                return source.position(text, origin.registered_start + offset - origin.start)
        return None
