"""Previews: one assembly without sending, and everything a person asks about it.

Source: docs/prompt-assembly.md 1.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar

from workbench.core import scope_label
from workbench.prompt.assembly import AssembleContext, PromptAssembly
from workbench.prompt.changes import Rewrite, rewrites_of
from workbench.prompt.contributions import Contribution, TextContribution, ToolsContribution
from workbench.prompt.errors import in_words
from workbench.prompt.facade import PromptFacade
from workbench.prompt.failures import assemble_failure, request_failures
from workbench.prompt.listener_spans import listener_spans, listeners_not_reached
from workbench.prompt.owners import owner_of, owner_of_fiber
from workbench.prompt.recording import Recorder, TextRow, TextState, usable_schemas
from workbench.prompt.rendering import RUNTIME_CONTEXT_PREAMBLE
from workbench.prompt.section_layout import SEPARATOR
from workbench.prompt.service import PromptService
from workbench.prompt.text_views import TextKind, TextViews, ValueOrigin
from workbench.prompt.tool_schema import ToolSchema
from workbench.prompt.trace import AssemblyTrace, ListenerSpan, Stage
from workbench.prompt.views import EntryView, Failure, Owner, PartKind, Preview, Span, ToolView, VariableView

Rewrites = list[Rewrite]
T = TypeVar("T")
Steps: TypeAlias = Generator[None, None, T]
"""Work that can be left for a moment between two entries."""
TURN_NS = 8_000_000
"""How long the loop is held at one time."""


async def preview(prompt: PromptFacade | PromptService, context: AssembleContext | None = None) -> Preview:
    """Assemble as a step would, and say where everything came from.

    Never raises for what is wrong with the prompt: that is in `failures`, and as much as there is of the
    rest. Cancelling it cancels the assembly.
    """
    service = prompt.service if isinstance(prompt, PromptFacade) else prompt
    context = context or AssembleContext()
    recorder = Recorder()
    assembly: PromptAssembly | None = None
    failures: list[Failure] = []
    error: Exception | None = None
    try:
        assembly = await service.assemble(context, recorder)
    except Exception as raised:
        error = raised
        failures.append(assemble_failure(raised, recorder))
    return await _in_turns(_Maker(service, context, recorder, assembly, failures, error))


async def assemble_seen(
    prompt: PromptFacade | PromptService, context: AssembleContext
) -> tuple[PromptAssembly, Preview]:
    """Assemble for a request that is sent, and say where everything came from. Raises what `assemble` raises."""
    service = prompt.service if isinstance(prompt, PromptFacade) else prompt
    recorder = Recorder()
    assembly = await service.assemble(context, recorder)
    return assembly, _at_once(_Maker(service, context, recorder, assembly, [], None))


async def _in_turns(maker: _Maker) -> Preview:
    """Makes the preview, and lets everything else on the loop run whenever it has taken `TURN_NS`.

    What happens meanwhile changes nothing of it: it is made from what was recorded.
    """
    steps = maker.steps()
    began = time.perf_counter_ns()
    while True:
        try:
            next(steps)
        except StopIteration as made:
            done: Preview = made.value
            return done
        now = time.perf_counter_ns()
        if now - began > TURN_NS:
            await asyncio.sleep(0)
            began = time.perf_counter_ns()
            maker.away_ns += began - now


def _at_once(maker: _Maker) -> Preview:
    steps = maker.steps()
    while True:
        try:
            next(steps)
        except StopIteration as made:
            done: Preview = made.value
            return done


class _Maker:
    """Makes one preview from what was recorded."""

    def __init__(
        self,
        service: PromptService,
        context: AssembleContext,
        recorder: Recorder,
        assembly: PromptAssembly | None,
        failures: list[Failure],
        error: Exception | None,
    ) -> None:
        self._service = service
        self._context = context
        self._recorder = recorder
        self._assembly = assembly
        self._failures = failures
        self._error = error
        self._harness = owner_of_fiber(service.fiber)
        self.away_ns = 0
        """How long others had the loop meanwhile."""

    def steps(self) -> Steps[Preview]:
        recorder = self._recorder
        rewrites = rewrites_of(recorder.stretches)
        listeners = listener_spans(recorder, rewrites)
        variables = self._variable_values()
        values = self._value_origins(rewrites)
        began = time.perf_counter_ns()
        sections = yield from self._texts("section", rewrites, variables, values)
        contexts = yield from self._texts("context", rewrites, variables, values)
        system, spans, sections = yield from self._joined("section", sections, "")
        snapshot, context_spans, contexts = yield from self._joined("context", contexts, RUNTIME_CONTEXT_PREAMBLE)
        self._failures += [view.failure for view in (*sections, *contexts) if view.failure is not None]
        if self._assembly is not None:
            self._failures += request_failures(self._assembly, self._failures)
        failed = {failure.part for failure in self._failures}
        if "section" in failed:
            system, spans = None, ()
        if "context" in failed:
            snapshot, context_spans = None, ()
        rendered_ns = time.perf_counter_ns() - began - self.away_ns
        return Preview(
            trace=self._trace(listeners, rendered_ns),
            assembly=self._assembly,
            system=system,
            spans=spans,
            context=snapshot,
            context_spans=context_spans,
            sections=tuple(sections),
            contexts=tuple(contexts),
            tools=tuple(self._tools(rewrites)),
            variables=tuple(self._variables(rewrites, values, sections, contexts)),
            failures=tuple(self._failures),
        )

    # -- sections and contexts ---------------------------------------------------------------------------

    def _texts(
        self, kind: TextKind, rewrites: Rewrites, variables: dict[str, str | None], values: dict[str, ValueOrigin]
    ) -> Steps[list[EntryView]]:
        recorder = self._recorder
        views = TextViews(kind, recorder, rewrites, variables, values)
        planned = recorder.plan_sections if kind == "section" else recorder.plan_contexts
        shadowed, remarks = self._shadowed(kind, planned)
        hidden = views.not_evaluated(shadowed, "shadowed", remarks)
        if self._assembly is None:
            if recorder.built is not None:
                state = recorder.built.sections if kind == "section" else recorder.built.contexts
                return [*views.absent(state.rows(), "effective", ""), *hidden]
            reason = ["" for _ in planned]
            return [*views.not_evaluated(planned, "effective", reason), *hidden]
        if kind == "context" and recorder.suppressed:
            reason = ["runtime context is suppressed here" for _ in planned]
            return [*views.not_evaluated(planned, "suppressed", reason), *hidden]
        rows = TextState(self._assembly.sections if kind == "section" else self._assembly.contexts).rows()
        restored = kind == "section" and recorder.complete_restored
        # Whatever listeners did to a restored text, it is the one that was evaluated.
        shown = TextViews(kind, recorder, [], variables, values) if restored else views
        found: list[EntryView] = []
        for view in shown.effective(rows):
            found.append(view)
            yield
        kept = {id(identity) for row in rows for identity in views.lineage(row)}
        if kind == "section" and recorder.complete_restored and recorder.listened is not None:
            name = rows[0].name if rows else ""
            displaced = [row for row in recorder.listened.sections.rows() if id(row.identity) not in kept]
            found += views.absent(displaced, "displaced", f"displaced by {name}, which is complete")
            kept |= {id(identity) for row in displaced for identity in views.lineage(row)}
        return [*found, *self._removed(views, kind, kept, rewrites), *hidden]

    def _removed(self, views: TextViews, kind: TextKind, kept: set[int], rewrites: Rewrites) -> list[EntryView]:
        built = self._recorder.built
        if built is None:
            return []
        state = built.sections if kind == "section" else built.contexts
        found: list[EntryView] = []
        for row in state.rows():
            if id(row.identity) in kept:
                continue
            remover = _remover(kind, row, rewrites)
            found += views.absent([row], "removed", f"removed by {remover}" if remover else "removed")
        return found

    def _shadowed(
        self, kind: TextKind, planned: Sequence[TextContribution]
    ) -> tuple[list[TextContribution], list[str]]:
        winners = {entry.name: entry for entry in planned}
        shadowed: list[TextContribution] = []
        remarks: list[str] = []
        for _layer, entries in self._recorder.layers:
            for entry in entries:
                if not isinstance(entry, TextContribution) or entry.kind != kind:
                    continue
                winner = winners.get(entry.name)
                if winner is not None and winner is not entry:
                    shadowed.append(entry)
                    remarks.append(f"shadowed by {scope_label(winner.scope)}")
        return shadowed, remarks

    def _joined(
        self, part: PartKind, views: list[EntryView], header: str
    ) -> Steps[tuple[str | None, tuple[Span, ...], list[EntryView]]]:
        """The whole text with its spans, and the views with their place in it."""
        effective = [view for view in views if view.state == "effective"]
        if self._assembly is None or any(view.failure is not None for view in effective):
            return None, (), views
        texts: list[str] = []
        spans: list[Span] = []
        placed: list[EntryView] = []
        length = 0

        def add(text: str, kind: PartKind) -> None:
            nonlocal length
            texts.append(text)
            spans.append(Span(length, length + len(text), kind, "", None, self._harness, "global", False, None))
            length += len(text)

        if header and any(view.rendered for view in effective):
            add(header, "header")
        for view in views:
            yield
            if view.state != "effective" or not view.rendered:
                placed.append(view)
                continue
            if texts:
                add(SEPARATOR, "separator")
            placed.append(replace(view, start=length))
            spans += [span.shifted(length) for span in view.spans]
            texts.append(view.rendered)
            length += len(view.rendered)
        return "".join(texts), tuple(spans), placed

    # -- variables and tools -----------------------------------------------------------------------------

    def _variable_values(self) -> dict[str, str | None]:
        return {} if self._assembly is None else self._assembly.variables

    def _value_origins(self, rewrites: Rewrites) -> dict[str, ValueOrigin]:
        origins: dict[str, ValueOrigin] = {}
        for _layer, entries in self._recorder.layers:
            for entry in entries:
                if entry.kind == "variable":
                    origins[entry.name] = ValueOrigin(owner_of(entry), scope_label(entry.scope), entry.place())
        for each in rewrites:
            if each.change.kind == "variable" and each.change.after is not None:
                origins[each.change.name] = ValueOrigin(each.owner, "waterfall", None, listener=True)
        return origins

    def _variables(
        self,
        rewrites: Rewrites,
        values: dict[str, ValueOrigin],
        sections: Sequence[EntryView],
        contexts: Sequence[EntryView],
    ) -> list[VariableView]:
        effective = [view for view in (*sections, *contexts) if view.state == "effective"]
        setters = {each.change.name: each.owner for each in rewrites if each.change.kind == "variable"}
        registered: dict[str, Contribution] = {}
        shadowed: list[Contribution] = []
        for _layer, entries in self._recorder.layers:
            for entry in entries:
                if entry.kind == "variable":
                    if entry.name in registered:
                        shadowed.append(registered[entry.name])
                    registered[entry.name] = entry
        named: dict[str, str | None] = dict.fromkeys(registered)
        named.update(self._variable_values())
        views = []
        for name, value in named.items():
            entry_of = registered.get(name)
            origin = values.get(name)
            owner = owner_of(entry_of) if entry_of is not None else origin.owner if origin else self._harness
            views.append(
                VariableView(
                    name=name,
                    value=value,
                    owner=owner,
                    layer="waterfall" if entry_of is None else scope_label(entry_of.scope),
                    state="effective",
                    set_by=setters.get(name),
                    used_in=tuple(view.name for view in effective if name in view.references),
                    source=None if entry_of is None else entry_of.place(),
                )
            )
        views += [
            VariableView(
                entry.name, None, owner_of(entry), scope_label(entry.scope), "shadowed", None, (), entry.place()
            )
            for entry in shadowed
        ]
        return views

    def _tools(self, rewrites: Rewrites) -> list[ToolView]:
        if self._assembly is None:
            return []
        changes = [each for each in rewrites if each.change.kind == "tool"]
        given: dict[str, list[tuple[Contribution, ToolSchema]]] = {}
        for provider, schemas in self._recorder.given_tools:
            for schema in schemas:
                given.setdefault(schema.name, []).append((self._tool_source(provider, schema.name), schema))
        views = []
        for schema in usable_schemas(self._assembly.tool_schemas):
            sources = given.get(schema.name)  # equal names keep the order in which they were collected
            views.append(_tool_view(schema, sources.pop(0)[0] if sources else None, changes, self._harness))
        for source, schema in (each for left in given.values() for each in left):
            views.append(replace(_tool_view(schema, source, changes, self._harness), state="removed"))
        return views

    def _tool_source(self, provider: Contribution, name: str) -> Contribution:
        """The registration of a tool: a registry of tools is asked for it."""
        source_of = provider.source_of if isinstance(provider, ToolsContribution) else None
        return (source_of and source_of(name, self._context.scope)) or provider

    # -- trace -------------------------------------------------------------------------------------------

    def _trace(self, listeners: tuple[ListenerSpan, ...], rendered_ns: int) -> AssemblyTrace:
        recorder = self._recorder
        stages: list[Stage] = []
        last = recorder.began_ns
        for name, ended in recorder.stages:
            stages.append(Stage(name, ended - last, self._note(name, len(listeners))))  # type: ignore[arg-type]
            last = ended
        if self._error is None:
            stages.append(Stage("rendered", rendered_ns))
        ended_ns = recorder.ended_ns or time.perf_counter_ns()
        return AssemblyTrace(
            scope=scope_label(self._context.scope),
            started=recorder.started,
            duration_ns=ended_ns - recorder.began_ns,
            stages=tuple(stages),
            listeners=listeners,
            error=None if self._error is None else in_words(self._error),
            not_reached=listeners_not_reached(recorder),
        )

    def _note(self, stage: str, listeners: int) -> str:
        recorder = self._recorder
        if stage == "collected":
            layers = ", ".join(scope_label(layer.scope) for layer, _ in recorder.layers)
            return f"{len(recorder.plan_sections)} sections, {len(recorder.plan_contexts)} contexts from {layers}"
        if stage == "ordered":
            return f"{sum(len(schemas) for _, schemas in recorder.given_tools)} tools"
        if stage == "waterfall":
            return f"{listeners} listeners"
        if stage == "suppressed":
            return f"{len(recorder.plan_contexts)} contexts hidden"
        return ""


def _tool_view(schema: ToolSchema, source: Contribution | None, changes: Rewrites, unknown: Owner) -> ToolView:
    mine = [each for each in changes if each.change.name == schema.name]
    added_by = next((each.owner for each in mine if each.change.action == "added"), None)
    return ToolView(
        name=schema.name,
        description=schema.description,
        parameters_json=json.dumps(json.loads(schema.parameters_json), ensure_ascii=False, indent=2),
        owner=owner_of(source) if source is not None else added_by or unknown,
        layer="waterfall" if source is None else scope_label(source.scope),
        state="effective",
        added_by=added_by if source is None else None,
        changed_by=tuple(dict.fromkeys(each.owner for each in mine if each.change.action == "changed")),
        source=None if source is None else source.place(),
    )


def _remover(kind: TextKind, row: TextRow, rewrites: Rewrites) -> Owner | None:
    return next(
        (
            each.owner
            for each in reversed(rewrites)
            if each.change.kind == kind and each.change.action == "removed" and each.subject is row.identity
        ),
        None,
    )
