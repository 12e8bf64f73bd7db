"""Recording one assembly: cheap snapshots while it runs, everything else when somebody asks.

Source: docs/prompt-assembly.md 9.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from workbench.core.events import Listener
from workbench.core.watched_waterfall import ListenerRecord, WatchedDispatch
from workbench.prompt.assembly import AssembleContext, NamedText, NamedTexts, PromptAssembly
from workbench.prompt.errors import PromptError
from workbench.prompt.tool_schema import ToolSchema, detach
from workbench.prompt.trace import Phase

if TYPE_CHECKING:
    from workbench.core import Runtime
    from workbench.prompt.contributions import Contribution, TextContribution
    from workbench.prompt.layers import Layer
    from workbench.prompt.plan import ScopePlans, TextPlan


_Item = tuple[NamedText, str, str, bool, "float | None", "TextContribution | None"]


class TextRow:
    """One section or context as it was at one moment."""

    __slots__ = ("contribution", "identity", "is_text", "literal", "name", "order", "text")

    def __init__(
        self,
        identity: object,
        name: str,
        text: str,
        literal: bool,
        order: float | None,
        contribution: TextContribution | None,
    ) -> None:
        self.identity = identity
        """Its registration, or the object that a listener added."""
        self.name = name if isinstance(name, str) else str(name)
        self.text = text if isinstance(text, str) else str(text)
        self.is_text = isinstance(text, str)
        """Whether it has a text: a listener may have set anything."""
        self.literal = literal
        self.order = order
        self.contribution = contribution


class TextState:
    """A list of sections or contexts as it was at one moment. Rows are made when somebody asks."""

    __slots__ = ("_indexes", "_items", "_plan", "_rows", "_size", "_texts")

    def __init__(self, texts: NamedTexts) -> None:
        self._plan: TextPlan | None = texts.plan if texts.items is None else None
        self._texts: list[str] = texts.texts
        self._rows: list[TextRow] | None = None
        self._size: int | None = None
        touched = texts.touched or {}
        items = texts.items if texts.items is not None else touched.values()
        self._indexes = () if texts.items is not None else tuple(touched)
        self._items = [
            (item, item.name, item.text, item.literal, item.order, item.contribution)
            for item in items
            if isinstance(item, NamedText)
        ]

    def rows(self) -> list[TextRow]:
        if self._rows is None:
            if self._plan is None:
                self._rows = [_row(*item) for item in self._items]
            else:
                self._rows = [
                    TextRow(entry, entry.name, text, entry.literal, entry.order, entry)
                    for entry, text in zip(self._plan.entries, self._texts, strict=True)
                ]
                places = {id(entry): index for index, entry in enumerate(self._plan.entries)}
                for item in self._items:
                    self._rows[places[id(item[5])]] = _row(*item)
        return self._rows

    def size(self, like: TextState | None = None) -> int:
        """Characters of all texts. `like` is an earlier moment: what has changed since is all that is looked at."""
        if self._size is None:
            pairs = None if like is None else like.changed_pairs(self)
            if like is not None and pairs is not None:
                self._size = like.size() + sum(len(after.text) - len(before.text) for before, after in pairs)
            elif self._plan is not None and not self._items:
                self._size = sum(map(len, self._texts))
            else:
                self._size = sum(len(row.text) for row in self.rows())
        return self._size

    def changed_pairs(self, later: TextState) -> list[tuple[TextRow, TextRow]] | None:
        """The rows that differ, as they were and as they are later; None: there may be others, or elsewhere."""
        if self._plan is not later._plan:
            return None
        if self._plan is None:
            old, new = self._items, later._items
            if len(old) != len(new) or any(one[0] is not other[0] for one, other in zip(old, new, strict=True)):
                return None
            pairs = {id(one[0]): (one, other) for one, other in zip(old, new, strict=True) if one != other}
            return [(_row(*one), _row(*other)) for one, other in pairs.values()]
        if self._texts is not later._texts:
            return None
        before, after = self._touched(), later._touched()
        return [
            (self._row_at(index, before.get(index)), self._row_at(index, after.get(index)))
            for index in sorted(before.keys() | after.keys())
            if before.get(index) != after.get(index)
        ]

    def _touched(self) -> dict[int, _Item]:
        return dict(zip(self._indexes, self._items, strict=True))

    def _row_at(self, index: int, item: _Item | None) -> TextRow:
        if item is not None:
            return _row(*item)
        assert self._plan is not None
        entry = self._plan.entries[index]
        return TextRow(entry, entry.name, self._texts[index], entry.literal, entry.order, entry)

    def is_same_as(self, other: TextState) -> bool:
        """Whether nothing can have changed between the two moments."""
        return self._plan is other._plan and self._texts is other._texts and self._items == other._items


def _row(
    item: NamedText,
    name: str,
    text: str,
    literal: bool,
    order: float | None,
    contribution: TextContribution | None,
) -> TextRow:
    return TextRow(contribution if contribution is not None else item, name, text, literal, order, contribution)


class AssemblyState:
    """An assembly as it was at one moment."""

    __slots__ = ("assembly", "contexts", "sections", "tools", "variables")

    def __init__(self, assembly: PromptAssembly) -> None:
        self.assembly = assembly
        self.sections = TextState(assembly.sections)
        self.contexts = TextState(assembly.contexts)
        self.variables = dict(assembly.variables)
        self.tools: tuple[ToolSchema, ...] = assembly.tool_schemas
        if assembly.tools_are_own:
            self.tools = usable_schemas(self.tools)

    def size(self, like: AssemblyState | None = None) -> int:
        """Characters of all sections and contexts."""
        if like is None:
            return self.sections.size() + self.contexts.size()
        return self.sections.size(like.sections) + self.contexts.size(like.contexts)


def usable_schemas(schemas: Sequence[object]) -> tuple[ToolSchema, ...]:
    """Copies of those schemas that are any: a listener may have put anything into the list."""
    found = []
    for schema in schemas:
        with suppress(PromptError):
            found.append(detach(schema))  # type: ignore[arg-type]
    return tuple(found)


class Stretch:
    """A listener's own work between two moments: no other listener ran meanwhile."""

    __slots__ = ("after", "before", "phase", "record")

    def __init__(self, record: ListenerRecord, before: AssemblyState, after: AssemblyState, phase: Phase) -> None:
        self.record = record
        self.before = before
        self.after = after
        self.phase = phase


class WorkNote:
    """When a listener was at work, and the assembly at both ends."""

    __slots__ = ("after", "before", "end_ns", "start_ns")

    def __init__(self, start_ns: int, before: AssemblyState | None) -> None:
        self.start_ns = start_ns
        """`time.perf_counter_ns()`, as `end_ns`, which is 0 while the listener is at work."""
        self.end_ns = 0
        self.before = before
        self.after: AssemblyState | None = None


class Recorder:
    """Notes the stages of one assembly, and what it looked like around each listener."""

    def __init__(self) -> None:
        self.started = time.time()
        self.began_ns = time.perf_counter_ns()
        self.stages: list[tuple[str, int]] = []
        """Name of a stage, and when it had ended."""
        self.layers: list[tuple[Layer, list[Contribution]]] = []
        self.plan_sections: list[TextContribution] = []
        self.plan_contexts: list[TextContribution] = []
        self.suppressed = False
        self.complete_restored = False
        self.given_tools: list[tuple[Contribution, tuple[ToolSchema, ...]]] = []
        self.built: AssemblyState | None = None
        self.records: Sequence[ListenerRecord] = ()
        """The listeners that were reached, in call order."""
        self.listeners: tuple[Listener, ...] = ()
        """All that would be called, in call order."""
        self.work: dict[int, list[WorkNote]] = {}
        """Per record, when it was at work."""
        self.stretches: list[Stretch] = []
        """What listeners did, in the order in which they did it."""
        self.listened: AssemblyState | None = None
        """After the waterfall, before a complete section is put back and contexts are suppressed."""
        self.ended_ns = 0
        self._current: AssemblyState | None = None
        """The moment at which one listener's work ends and another's begins."""
        self._since: dict[int, AssemblyState | None] = {}
        """Per record, since when the listener is at work; None while it waits for the rest of the chain."""

    # -- called by the service ---------------------------------------------------------------------------

    def planned(self, plans: ScopePlans, suppressed: bool) -> None:
        """What the registrations say; told once more when variable providers have run, which may add some."""
        self.layers = [(layer, [*layer.sections, *layer.contexts, *layer.variables]) for layer in plans.chain]
        self.plan_sections = plans.sections.entries
        self.plan_contexts = plans.contexts.entries
        self.suppressed = suppressed

    def collected(self, plans: ScopePlans, suppressed: bool) -> None:
        self.planned(plans, suppressed)
        self._note("collected")

    def given(self, tools: list[tuple[Contribution, tuple[ToolSchema, ...]]]) -> None:
        self.given_tools = tools

    def ordered(self, assembly: PromptAssembly) -> None:
        self.built = self._current = AssemblyState(assembly)
        self._note("ordered")

    async def waterfall(
        self, runtime: Runtime, name: str, assembly: PromptAssembly, context: AssembleContext, default: Any
    ) -> Any:
        result = await runtime.waterfall(name, (assembly, context), default, context.scope, self._dispatch)
        self._note("waterfall")
        return result

    def before_restoring(self, assembly: PromptAssembly) -> None:
        self.listened = AssemblyState(assembly)

    def finished(self, complete_restored: bool) -> None:
        self.complete_restored = complete_restored
        if complete_restored:
            self._note("complete restored")
        if self.suppressed:
            self._note("suppressed")
        self.ended_ns = time.perf_counter_ns()

    def _note(self, stage: str) -> None:
        self.stages.append((stage, time.perf_counter_ns()))

    # -- called by the dispatch --------------------------------------------------------------------------

    def _dispatch(self, *args: Any) -> RecordingDispatch:
        dispatch = RecordingDispatch(self, *args)
        self.records = dispatch.records
        self.listeners = dispatch.listeners
        return dispatch

    def entered(self, record: ListenerRecord) -> None:
        # Nothing runs between one listener's `next()` and the next listener's first line.
        self._since[id(record)] = self._current
        self.work[id(record)] = [WorkNote(time.perf_counter_ns(), self._current)]

    def asked(self, record: ListenerRecord, built: PromptAssembly) -> None:
        """The listener awaits the rest of the chain, which begins with the built assembly."""
        now = time.perf_counter_ns()
        state = AssemblyState(built)
        self._worked(record, now, state)
        since = self._since[id(record)] or self._current
        if since is not None and since.assembly is built:
            self.stretches.append(Stretch(record, since, state, "before next"))
        self._since[id(record)] = None
        self._current = state

    def answered(self, record: ListenerRecord) -> None:
        # What the listener behind has returned is what this one gets: the same moment.
        self._since[id(record)] = self._current
        self.work[id(record)].append(WorkNote(time.perf_counter_ns(), self._current))

    def returned(self, record: ListenerRecord, result: object) -> None:
        since = self._since[id(record)] or self._current
        self._current = AssemblyState(result) if isinstance(result, PromptAssembly) else None
        self._worked(record, record.started_ns + record.total_ns, self._current)
        if since is not None and self._current is not None:
            self.stretches.append(Stretch(record, since, self._current, "after next"))

    def raised(self, record: ListenerRecord, built: PromptAssembly) -> None:
        """The listener raised, or what it awaited did; a listener further out may go on with what is there."""
        state = AssemblyState(built)
        self._worked(record, record.started_ns + record.total_ns, state)
        since = self._since[id(record)]
        if since is not None and since.assembly is built:
            self.stretches.append(Stretch(record, since, state, "after next" if record.awaited else "before next"))
        self._current = state

    def _worked(self, record: ListenerRecord, end_ns: int, state: AssemblyState | None) -> None:
        """The end of the work that is open; a listener that awaits `next()` twice at once has none."""
        note = self.work[id(record)][-1]
        if not note.end_ns:
            note.end_ns, note.after = end_ns, state


class RecordingDispatch(WatchedDispatch):
    """A dispatch that takes a snapshot of the assembly around each listener."""

    __slots__ = ("_recorder", "listeners")

    def __init__(
        self,
        recorder: Recorder,
        runtime: Runtime,
        name: str,
        listeners: tuple[Listener, ...],
        args: tuple[Any, ...],
        default: Callable[..., Any] | None,
    ) -> None:
        super().__init__(runtime, name, listeners, args, default)
        self._recorder = recorder
        self.listeners = listeners

    def before(self, record: ListenerRecord) -> None:
        self._recorder.entered(record)

    def at_next(self, record: ListenerRecord) -> None:
        self._recorder.asked(record, self.args[0])

    def after_next(self, record: ListenerRecord, result: Any) -> None:
        self._recorder.answered(record)

    def after(self, record: ListenerRecord, result: Any) -> None:
        self._recorder.returned(record, result)

    def raise_at_boundary(self, listener: Listener, error: BaseException | None) -> None:
        if error is not None:
            record = next(each for each in reversed(self.records) if each.listener is listener)
            self._recorder.raised(record, self.args[0])
        super().raise_at_boundary(listener, error)
