"""The runtime that one case runs in: its layers, its registrations, its counters."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

from workbench.check.case_format.entries import (
    ChangeListenerEntry,
    ContextEntry,
    DisposeEntry,
    HarnessSourceEntry,
    ListenerEntry,
    RegisterEntry,
    ScopeTarget,
    SectionEntry,
    SuppressorEntry,
    Target,
    ToolsEntry,
    VariableEntry,
)
from workbench.check.case_format.values import (
    GLOBAL_LAYER,
    ContextOrder,
    FloatOrder,
    FromCalls,
    FromExtra,
    FromRaise,
    FromScope,
    SectionOrder,
)
from workbench.check.case_listener import CaseRaised, waterfall_listener
from workbench.check.differences import Difference
from workbench.check.error_text import message_of
from workbench.core import Context, Disposer, Scope, create_scope
from workbench.prompt import AssembleContext, PromptFacade, ToolProviderResult, add_harness_source


@dataclass(eq=False, frozen=True, slots=True)
class CaseScope:
    """The key of a scope that a case names. Keys are compared by identity."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(slots=True)
class CaseWorld:
    """Performs register entries against a live prompt service and remembers how to undo them."""

    root: Context
    keys: dict[str, object] = field(default_factory=dict)
    """Scope keys by name. A composition's own scopes are here from the start."""
    assembly_number: int = 0
    """Of the running or next assembly, from 1."""
    changes: int = 0
    unmet_refusals: list[Difference] = field(default_factory=list)
    """Entries with `fails` that were accepted, or refused with another message."""
    _scopes: dict[str, Scope] = field(default_factory=dict)
    _disposers: dict[int, Disposer] = field(default_factory=dict)
    _pending_undo: list[Awaitable[object]] = field(default_factory=list)

    def count_changes(self) -> None:
        """Count every change notification from now on."""

        def count() -> None:
            self.changes += 1

        self.root.on("system-prompt/change", count)

    def key(self, name: str | None) -> object | None:
        """The one key which that scope name denotes in this case; None for no scope."""
        if name is None:
            return None
        return self.keys.setdefault(name, CaseScope(name))

    def link(self, child: str, parent: str) -> None:
        """Make `parent` the enclosing scope of `child`."""
        self._scopes[child] = create_scope(self.root, self.key(child), parent=self.key(parent))

    def perform(self, entry: RegisterEntry, index: int) -> None:
        """Carry out the register entry with that index, under which its disposer is remembered."""
        disposer = self._attempt(entry, f"register[{index}]")
        if disposer is not None:
            self._disposers[index] = disposer

    def dispose(self, target: Target) -> None:
        """Call the disposer of an entry, or dispose a scope with all that it owns."""
        if isinstance(target, ScopeTarget):
            self.context(target.scope)
            undo = self._scopes[target.scope].dispose()
        else:
            undo = self._disposers[target]()
        self._pending_undo.append(undo)

    async def settle(self) -> None:
        """Wait until everything that was disposed is undone."""
        while self._pending_undo:
            await self._pending_undo.pop(0)

    def context(self, layer: str) -> Context:
        """The registration context of a layer; a scope is made when it is first named."""
        if layer == GLOBAL_LAYER:
            return self.root
        if layer not in self._scopes:
            self._scopes[layer] = create_scope(self.root, self.key(layer))
        return self._scopes[layer].ctx

    def _attempt(self, entry: RegisterEntry, at: str) -> Disposer | None:
        """Register; whether an entry with `fails` was refused as it announces is noted, not raised."""
        if entry.fails is None:
            return self._register(entry, at)
        try:
            self._register(entry, at)
        except Exception as error:
            message = message_of(error)
            self.unmet_refusals += [
                Difference(f"{at}.fails", f"a message with {fragment!r}", message)
                for fragment in entry.fails.mentions
                if fragment not in message
            ]
        else:
            self.unmet_refusals.append(Difference(f"{at}.fails", "the registration is refused", "it was accepted"))
        return None

    def _register(self, entry: RegisterEntry, at: str) -> Disposer | None:
        if isinstance(entry, DisposeEntry):
            self.dispose(entry.target)
            return None
        if isinstance(entry, ChangeListenerEntry):
            return self.root.on("system-prompt/change", _raising_observer(entry.raise_on, entry.message))
        if isinstance(entry, HarnessSourceEntry):
            return add_harness_source(self.root, entry.root)

        ctx = self.context(entry.layer)
        prompt: PromptFacade = ctx.system_prompt
        match entry:
            case SectionEntry():
                return prompt.section(
                    entry.name,
                    self._order(entry.order),
                    self._text(entry.text, absent=""),
                    complete=entry.complete,
                    literal=entry.literal,
                )
            case ContextEntry():
                order, text = self._order(entry.order), self._text(entry.text, absent="")
                return prompt.context(entry.name, order, text, literal=entry.literal)
            case VariableEntry():
                return prompt.variable(entry.name, self._variable(entry, at))
            case ToolsEntry():
                return prompt.tools(self._tools(entry, at))
            case SuppressorEntry():
                return prompt.suppress_runtime_context()
            case ListenerEntry():
                listener = waterfall_listener(entry, lambda: self.assembly_number)
                return ctx.on("system-prompt/assemble", listener, prepend=entry.prepend)
        assert_never(entry)

    def _order(self, order: Any) -> Any:
        prompt: PromptFacade = self.root.system_prompt
        match order:
            case FloatOrder():
                return float(order.float_)
            case SectionOrder():
                return prompt.get_section_order(order.section)
            case ContextOrder():
                return prompt.get_context_order(order.context)
        return order

    def _text(self, text: Any, absent: str | None) -> Any:
        """A static text as it is, anything else as a provider. `absent` is what a missing extra gives."""
        if isinstance(text, str):
            return text
        calls = 0

        def provide(context: AssembleContext) -> str | None:
            nonlocal calls
            calls += 1
            match text:
                case FromScope():
                    return self._scope_name(context.scope)
                case FromCalls():
                    return str(calls)
                case FromExtra():
                    value: str | None = context.extras.get(text.key, absent)
                    return value
                case FromRaise():
                    raise CaseRaised(text.message)
            return None

        return provide

    def _variable(self, entry: VariableEntry, at: str) -> Callable[[AssembleContext], str | None]:
        provided = self._text(entry.value, absent=None)
        first_call = self._first_call(entry.on_first_call, at)

        def provide(context: AssembleContext) -> str | None:
            first_call()
            value: str | None = provided(context) if callable(provided) else provided
            return value

        return provide

    def _tools(self, entry: ToolsEntry, at: str) -> Callable[[AssembleContext], ToolProviderResult]:
        schemas: list[Any] = [schema.model_dump() for schema in entry.schemas]
        first_call = self._first_call(entry.on_first_call, at)

        def provide(context: AssembleContext) -> ToolProviderResult:
            first_call()
            return ToolProviderResult(schemas, known_names=entry.known_names)

        return provide

    def _first_call(self, entries: Sequence[RegisterEntry], at: str) -> Callable[[], None]:
        """Performs the entries when it is called for the first time."""
        waiting = list(enumerate(entries))

        def perform_once() -> None:
            while waiting:
                index, entry = waiting.pop(0)
                self._attempt(entry, f"{at}.on_first_call[{index}]")

        return perform_once

    def _scope_name(self, key: object | None) -> str:
        names = (name for name, known in self.keys.items() if known is key)
        return "(none)" if key is None else next(names, "(unknown)")


def _raising_observer(raise_on: int, message: str) -> Callable[[], None]:
    notifications = 0

    def observe() -> None:
        nonlocal notifications
        notifications += 1
        if notifications == raise_on:
            raise CaseRaised(message)

    return observe
