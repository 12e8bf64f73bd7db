"""Recording one assembly: cheap snapshots while it runs, everything else when somebody asks.

Source: docs/prompt-assembly.md 9.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from workbench.core.events import Listener
from workbench.core.waterfall import ListenerRecord, WatchedDispatch
from workbench.prompt.assembly import AssembleContext, NamedText, NamedTexts, PromptAssembly
from workbench.prompt.tool_schema import ToolSchema

if TYPE_CHECKING:
    from workbench.core import Runtime
    from workbench.prompt.contributions import Contribution, TextContribution
    from workbench.prompt.layers import Layer
    from workbench.prompt.plan import ScopePlans, TextPlan


class TextRow:
    """One section or context as it was at one moment."""

    __slots__ = ("contribution", "identity", "literal", "name", "order", "text")

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
        self.name = name
        self.text = text
        self.literal = literal
        self.order = order
        self.contribution = contribution


class TextState:
    """A list of sections or contexts as it was at one moment. Rows are made when somebody asks."""

    __slots__ = ("_items", "_plan", "_rows", "_texts")

    def __init__(self, texts: NamedTexts) -> None:
        self._plan: TextPlan | None = texts.plan
        self._texts: list[str] = texts.texts
        self._rows: list[TextRow] | None = None
        items = texts.items if texts.items is not None else (texts.touched or {}).values()
        self._items = [(item, item.name, item.text, item.literal, item.order, item.contribution) for item in items]
        if texts.items is not None:
            self._plan = None

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

    __slots__ = ("contexts", "sections", "tools", "variables")

    def __init__(self, assembly: PromptAssembly) -> None:
        self.sections = TextState(assembly.sections)
        self.contexts = TextState(assembly.contexts)
        self.variables = assembly.variables.copy()
        self.tools: tuple[ToolSchema, ...] = assembly.tool_schemas
        if assembly.tools_are_own:
            self.tools = tuple([schema.detached() for schema in self.tools])


class ListenerNotes:
    """The moments around one listener."""

    __slots__ = ("after", "after_next", "at_next", "before", "record")

    def __init__(self, record: ListenerRecord, before: AssemblyState) -> None:
        self.record = record
        self.before = before
        self.at_next: AssemblyState | None = None
        self.after_next: AssemblyState | None = None
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
        self.listeners: list[ListenerNotes] = []
        self.listened: AssemblyState | None = None
        """After the waterfall, before a complete section is put back and contexts are suppressed."""
        self.ended_ns = 0
        self._current: AssemblyState | None = None

    # -- called by the service ---------------------------------------------------------------------------

    def collected(self, plans: ScopePlans, suppressed: bool) -> None:
        self.layers = [(layer, [*layer.sections, *layer.contexts, *layer.variables]) for layer in plans.chain]
        self.plan_sections = plans.sections.entries
        self.plan_contexts = plans.contexts.entries
        self.suppressed = suppressed
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
        return RecordingDispatch(self, *args)

    def entered(self, record: ListenerRecord, assembly: Any) -> ListenerNotes:
        # Nothing runs between one listener's `next()` and the next listener's first line.
        state = self._current if self._current is not None else AssemblyState(assembly)
        notes = ListenerNotes(record, state)
        self.listeners.append(notes)
        return notes

    def state_of(self, assembly: Any) -> AssemblyState | None:
        self._current = AssemblyState(assembly) if isinstance(assembly, PromptAssembly) else None
        return self._current

    def same_state(self) -> AssemblyState | None:
        return self._current


class RecordingDispatch(WatchedDispatch):
    """A dispatch that takes a snapshot of the assembly around each listener."""

    __slots__ = ("_notes", "_recorder")

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
        self._notes: dict[int, ListenerNotes] = {}

    def before(self, record: ListenerRecord) -> None:
        self._notes[id(record)] = self._recorder.entered(record, self.args[0])

    def at_next(self, record: ListenerRecord) -> None:
        self._notes[id(record)].at_next = self._recorder.state_of(self.args[0])

    def after_next(self, record: ListenerRecord, result: Any) -> None:
        # What the listener behind has returned is what this one gets: the same moment.
        state = self._recorder.same_state()
        self._notes[id(record)].after_next = state

    def after(self, record: ListenerRecord, result: Any) -> None:
        self._notes[id(record)].after = self._recorder.state_of(result)
