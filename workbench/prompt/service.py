"""The prompt service: the registry of contributions, and the one way a prompt is assembled.

Source: docs/prompt-assembly.md 2, 3, 6 and 9.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import is_
from threading import get_ident
from typing import TYPE_CHECKING, Any, NoReturn

from workbench.core import Context, Effect, Event, scope_label
from workbench.core.errors import plugin_raised
from workbench.prompt.assembly import AssembleContext, NamedText, NamedTexts, PromptAssembly
from workbench.prompt.contributions import Contribution, VariableContribution
from workbench.prompt.detaching import detach_all
from workbench.prompt.errors import PromptError, RegistrationError, blame
from workbench.prompt.facade import PromptFacade
from workbench.prompt.layers import Layer, Layers, Table
from workbench.prompt.plan import ScopePlans, TextPlan, ToolPlan
from workbench.prompt.tool_order import ordered_tools
from workbench.prompt.tool_schema import OrderedTools, ToolProviderResult, ToolSchema

if TYPE_CHECKING:
    from workbench.core.scopes import ScopeKey
    from workbench.prompt.recording import Recorder

ASSEMBLE = Event("system-prompt/assemble", "waterfall", (PromptAssembly, AssembleContext))
CHANGE = Event("system-prompt/change", "emit")
_ASSEMBLE_NAME = ASSEMBLE.name
_CHANGE_NAME = CHANGE.name


class PromptService:
    """The registry. Plugins reach it through `ctx.system_prompt`, which registers in their name."""

    def __init__(self, ctx: Context, tool_order: Sequence[str] | None = None) -> None:
        self.runtime = ctx.runtime
        self.fiber = ctx.fiber
        self.tool_order = tool_order
        self._has_listeners = ctx.runtime.events.has_listeners
        self.layers = Layers()
        self._plans: dict[int, ScopePlans] = {}
        self._everywhere = ScopePlans(self.layers, self.runtime.scopes, None)

    def for_context(self, ctx: Context) -> PromptFacade:
        return PromptFacade(self, ctx)

    # -- registration ----------------------------------------------------------------------------------

    def add(self, ctx: Context, kind: str, key: Any, entry: Contribution, label: str) -> Effect:
        """Put an entry into the table `kind` of the context's layer, as an effect of its fiber.

        An observer of the change that raises undoes the registration; its exception reaches the caller.
        """

        def body() -> Callable[[], None]:
            layers = self.layers
            layer = layers.made_for(entry.scope)
            table: Table[Any] = getattr(layer, kind)
            if key in table.entries:
                raise _duplicate(entry)
            table.add(key, entry)
            layers.note_change(kind)
            try:
                self._changed()
            except BaseException:
                self._remove(layer, kind, key, entry)
                raise
            return partial(self._remove, layer, kind, key, entry)

        return ctx.effect(body, label)

    def _remove(self, layer: Layer, kind: str, key: Any, entry: Contribution) -> None:
        table: Table[Any] = getattr(layer, kind)
        if table.entries.get(key) is not entry:
            return
        table.remove(key)
        if not table.entries:
            if kind == "variables":
                # What replaces the last variable of a layer joins the next assembly, not a running one.
                layer.variables = Table()
            self.layers.drop_if_empty(layer)
        self.layers.note_change(kind)
        if self.runtime.has_listeners(_CHANGE_NAME):
            # As in any undo: an observer that raises is only logged.
            self.runtime.events.emit(_CHANGE_NAME, (), None, contain=True)

    def _changed(self) -> None:
        if self._has_listeners(_CHANGE_NAME):
            self.runtime.emit(_CHANGE_NAME, (), None)

    # -- assembly --------------------------------------------------------------------------------------

    def plans(self, scope: ScopeKey | None) -> ScopePlans:
        """The plans of a scope, up to date."""
        if scope is None:
            plans = self._everywhere
        else:
            plans = self._plans.get(id(scope))  # type: ignore[assignment]
            if plans is None or plans.scope is not scope:
                plans = self._plans_for(scope)
        plans.refresh()
        return plans

    def _plans_for(self, scope: ScopeKey) -> ScopePlans:
        """Make plans for a scope; those of scopes that hold nothing any more are dropped."""
        if len(self._plans) >= 64:
            chains = {id(layer.scope) for layer in self.layers}
            for key in [key for key in self._plans if key not in chains]:
                del self._plans[key]
        plans = self._plans[id(scope)] = ScopePlans(self.layers, self.runtime.scopes, scope)
        return plans

    async def assemble(
        self, context: AssembleContext | None = None, recorder: Recorder | None = None
    ) -> PromptAssembly:
        """Assemble the prompt for a context: docs/prompt-assembly.md 6, step by step.

        Raises what providers and listeners raise, and `PromptError`. With a recorder, each stage and
        listener is noted; without, nothing is.
        """
        runtime = self.runtime
        if get_ident() != runtime.thread_id:
            raise runtime.wrong_thread("assemble")
        hold = runtime.hold
        if hold.owner is not None:
            await hold.pass_by()
        this = object()
        hold.inside[this] = None
        try:
            return await self._assembled(context, recorder)
        finally:
            hold.leave(this)

    async def _assembled(self, context: AssembleContext | None, recorder: Recorder | None) -> PromptAssembly:
        runtime = self.runtime
        if context is None:
            context = AssembleContext()
        plans = self.plans(context.scope)
        suppressed = plans.suppressed
        if recorder is not None:
            recorder.planned(plans, suppressed)
        variables = self._variables(context, plans)
        plans.refresh_in_chain()
        sections_plan, contexts_plan, tools_plan = plans.sections, plans.contexts, plans.tools
        if recorder is not None:
            recorder.collected(plans, suppressed)
        given, known = self._given_tools(tools_plan, context)
        if recorder is not None:
            recorder.given(list(zip(tools_plan.entries, given, strict=True)))
        if len(sections_plan.complete) > 1:
            raise _several_complete(sections_plan)
        texts = self._texts(sections_plan, context) if sections_plan.providers else sections_plan.texts
        complete = _complete_copy(sections_plan, texts) if sections_plan.complete else None
        if suppressed:
            contexts = NamedTexts.of(())
        else:
            contexts = NamedTexts(
                contexts_plan,
                self._texts(contexts_plan, context) if contexts_plan.providers else contexts_plan.texts,
            )
        tools = self._ordered(tools_plan, given, known)
        assembly = PromptAssembly.built(NamedTexts(sections_plan, texts), contexts, tools, variables)
        if recorder is not None:
            recorder.ordered(assembly)
            assembly = await recorder.waterfall(runtime, _ASSEMBLE_NAME, assembly, context, _built)
        elif self._has_listeners(_ASSEMBLE_NAME):
            assembly = await runtime.waterfall(_ASSEMBLE_NAME, (assembly, context), _built, context.scope)
        if type(assembly) is not PromptAssembly and not isinstance(assembly, PromptAssembly):
            raise PromptError(
                "result",
                f"{ASSEMBLE.name} gave a {type(assembly).__name__}: a listener must return an assembly, "
                "such as `return await next()`",
            )
        if recorder is not None:
            recorder.before_restoring(assembly)
        if complete is not None:
            assembly.sections = NamedTexts.of([complete])
        if suppressed:
            assembly.contexts = NamedTexts.of(())
        if recorder is not None:
            recorder.finished(complete is not None)
        return assembly

    def _variables(self, context: AssembleContext, plans: ScopePlans) -> dict[str, str | None]:
        """Call every variable provider, shadowed ones too; the nearest gives the value."""
        layers = self.layers
        plan = plans.variables
        version = layers.version
        values: dict[str, str | None] = {}
        for name, provider, entry in plan.calls:
            try:
                value = values[name] = provider(context)
                if value is not None and type(value) is not str:
                    _check_value(name, value)
            except BaseException as error:
                _raise_blamed(error, entry)
            if layers.version != version:
                return self._variables_live(context, plans, values, plan.entries.index(entry))
        return values

    def _variables_live(
        self, context: AssembleContext, plans: ScopePlans, values: dict[str, str | None], last: int
    ) -> dict[str, str | None]:
        """Go on after the plan's entry `last` has changed the registry: unfinished layers are read live."""
        called = {id(entry): entry for entry in plans.variables.entries[: last + 1]}
        for table in self._unfinished_tables(plans, last):
            while entry := next((each for each in table if id(each) not in called), None):
                called[id(entry)] = entry  # held, so that its identity stays taken
                try:
                    value = values[entry.name] = entry.provider(context)
                    if value is not None:
                        _check_value(entry.name, value)
                except BaseException as error:
                    _raise_blamed(error, entry)
        return values

    def _unfinished_tables(self, plans: ScopePlans, last: int) -> Iterator[Table[VariableContribution]]:
        """The table of the plan's entry `last`, then those of nearer layers as they are when their turn comes."""
        plan = plans.variables
        yield plan.homes[last]
        present = plan.entries[last].scope
        chain: list[ScopeKey | None] = [None, *reversed(plans.scopes)]
        while chain.pop(0) is not present:
            pass
        for scope in chain:
            layer = self.layers.of(scope)
            if layer is not None:
                yield layer.variables

    def _given_tools(
        self, plan: ToolPlan, context: AssembleContext
    ) -> tuple[list[tuple[ToolSchema, ...]], list[Sequence[str] | None]]:
        given: list[tuple[ToolSchema, ...]] = []
        known: list[Sequence[str] | None] = []
        for entry, provider in plan.calls:
            try:
                result = provider(context)
                if type(result) is not ToolProviderResult:
                    raise PromptError(
                        "tools", f"a tool-schema provider gave a {type(result).__name__}, not a ToolProviderResult"
                    )
                given.append(detach_all(entry, result.schemas))
                known.append(result.known_names)
            except BaseException as error:
                _raise_blamed(error, entry)
        return given, known

    def _ordered(
        self, plan: ToolPlan, given: list[tuple[ToolSchema, ...]], known: list[Sequence[str] | None]
    ) -> OrderedTools:
        if plan.last_parts is None or not all(map(is_, given, plan.last_parts)) or known != plan.last_known:
            plan.last_parts = None
            plan.last_ordered = OrderedTools(ordered_tools(given, known, self.tool_order))
            plan.last_parts = given
            plan.last_known = [None if names is None else list(names) for names in known]
        return plan.last_ordered

    def _texts(self, plan: TextPlan, context: AssembleContext) -> list[str]:
        """Evaluate the texts in order. Static ones are those of the plan."""
        texts = plan.texts.copy()
        index = 0
        try:
            for index, provider in plan.providers:
                text = texts[index] = provider(context)
                if type(text) is not str:
                    _check_text_result(plan, index, text)
        except BaseException as error:
            _raise_blamed(error, plan.entries[index])
        return texts

    # -- views -----------------------------------------------------------------------------------------

    def describe(self) -> Any:
        """What is registered, for snapshots of the runtime."""
        return [
            {
                "scope": scope_label(layer.scope),
                **{
                    kind: [[entry.name, entry.owner_name] for entry in getattr(layer, kind)]
                    for kind in ("sections", "contexts", "variables", "tools", "suppressors")
                },
            }
            for layer in self.layers
        ]


def _built(assembly: PromptAssembly, _context: AssembleContext) -> PromptAssembly:
    """Behind the last listener: the assembly as it was built."""
    return assembly


def _complete_copy(plan: TextPlan, texts: list[str]) -> NamedText:
    """A private copy of the complete section: nothing that a listener does reaches it."""
    entry = plan.complete[0]
    index = plan.entries.index(entry)
    copy = NamedText(entry.name, texts[index], entry.literal, entry.order)
    copy.contribution = entry
    return copy


def _several_complete(plan: TextPlan) -> PromptError:
    names = ", ".join(repr(entry.name) for entry in plan.complete)
    return PromptError(
        "complete", f"several complete sections are in force ({names}); only one can take the prompt over"
    )


def _duplicate(entry: Contribution) -> RegistrationError:
    where = "" if entry.scope is None else f" in scope {scope_label(entry.scope)!r}"
    return RegistrationError(
        "duplicate",
        f"{entry.kind} {entry.name!r} is already registered{where}; the first registration stays: "
        "choose another name, or register in a scope to shadow it",
    )


def _check_value(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise PromptError("value", f"variable {name!r} got a {type(value).__name__}: give a string, or None")


def _check_text_result(plan: TextPlan, index: int, text: object) -> None:
    if not isinstance(text, str):
        entry = plan.entries[index]
        raise PromptError(
            "text", f"the text provider of {entry.kind} {entry.name!r} gave a {type(text).__name__}, not a string"
        )


def _raise_blamed(error: BaseException, entry: Contribution) -> NoReturn:
    """Raise it again, noting whose it is; a bare `BaseException` becomes an ordinary error."""
    if isinstance(error, Exception):
        blame(error, entry)
        raise error
    ordinary = plugin_raised(entry.owner_name, f"provider of {entry.kind} {entry.name}".rstrip(), error)
    blame(ordinary, entry)
    raise ordinary from error
