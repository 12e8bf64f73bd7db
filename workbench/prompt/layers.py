"""Layers: one table per kind, globally and per scope; the nearest entry wins a name.

Source: docs/prompt-assembly.md 3.2 and 4.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from workbench.prompt.contributions import (
    Contribution,
    SuppressorContribution,
    TextContribution,
    ToolsContribution,
    VariableContribution,
)

if TYPE_CHECKING:
    from workbench.core.scopes import ScopeKey

T = TypeVar("T", bound=Contribution)
_KEY: Any = attrgetter("key")
_MOST_PENDING = 32
"""Changes up to which an ordered table is patched; beyond, it is sorted anew."""


class Table(Generic[T]):
    """The entries of one kind in one layer, by name, in registration order."""

    __slots__ = ("entries", "version")

    def __init__(self) -> None:
        self.entries: dict[Any, T] = {}
        self.version = 0

    def add(self, key: Any, entry: T) -> None:
        self.entries[key] = entry
        self.version += 1

    def remove(self, key: Any) -> None:
        del self.entries[key]
        self.version += 1

    def __iter__(self) -> Iterator[T]:
        return iter(self.entries.values())


class OrderedTable(Table[TextContribution]):
    """Sections or contexts, which can also be had in order."""

    __slots__ = ("_keys", "_ordered", "_pending")

    def __init__(self) -> None:
        super().__init__()
        self._ordered: list[TextContribution] = []
        self._keys: list[tuple[float, bytes]] = []
        """The keys of `_ordered`, by which places are found."""
        self._pending: list[TextContribution] | None = []
        """Entries that came or went since `_ordered` was right; None when they are too many."""

    def add(self, key: Any, entry: TextContribution) -> None:
        self.entries[key] = entry
        self.version += 1
        self._note(entry)

    def remove(self, key: Any) -> None:
        self._note(self.entries.pop(key))
        self.version += 1

    def _note(self, entry: TextContribution) -> None:
        pending = self._pending
        if pending is not None:
            pending.append(entry)
            if len(pending) > _MOST_PENDING:
                self._pending = None

    def ordered(self) -> list[TextContribution]:
        """The entries by order, then by name in code-unit order. The list is replaced, never changed."""
        pending = self._pending
        if pending is None:
            self._ordered = sorted(self.entries.values(), key=_KEY)
            self._keys = [entry.key for entry in self._ordered]
        elif pending:
            self._ordered = self._ordered.copy()
            for entry in pending:
                self._patch(entry)
        self._pending = []
        return self._ordered

    def _patch(self, entry: TextContribution) -> None:
        """Put one entry in or take it out, as the table says."""
        ordered = self._ordered
        index = bisect_left(self._keys, entry.key)
        stands = index < len(ordered) and ordered[index] is entry
        belongs = self.entries.get(entry.name) is entry
        if belongs and not stands:
            ordered.insert(index, entry)
            self._keys.insert(index, entry.key)
        elif stands and not belongs:
            del ordered[index], self._keys[index]


class Layer:
    """What is registered globally, or in one scope."""

    __slots__ = ("contexts", "scope", "sections", "suppressors", "tools", "variables")

    def __init__(self, scope: ScopeKey | None) -> None:
        self.scope = scope
        self.sections = OrderedTable()
        self.contexts = OrderedTable()
        self.variables: Table[VariableContribution] = Table()
        self.tools: Table[ToolsContribution] = Table()
        self.suppressors: Table[SuppressorContribution] = Table()

    @property
    def is_empty(self) -> bool:
        return not (
            self.sections.entries
            or self.contexts.entries
            or self.variables.entries
            or self.tools.entries
            or self.suppressors.entries
        )


class Layers:
    """The global layer and those of scopes. A scope's layer exists only while it holds something."""

    def __init__(self) -> None:
        self.everywhere = Layer(None)
        self._by_scope: dict[int, Layer] = {}
        self.version = 0
        """Counts up with every change in any layer."""
        self.versions = dict.fromkeys(("sections", "contexts", "variables", "tools", "suppressors"), 0)
        """The same, by kind."""

    def of(self, scope: ScopeKey | None) -> Layer | None:
        """The layer of a scope, if it holds anything. Reading never creates one."""
        return self.everywhere if scope is None else self._by_scope.get(id(scope))

    def made_for(self, scope: ScopeKey | None) -> Layer:
        if scope is None:
            return self.everywhere
        layer = self._by_scope.get(id(scope))
        if layer is None:
            layer = self._by_scope[id(scope)] = Layer(scope)
        return layer

    def note_change(self, kind: str) -> None:
        self.version += 1
        self.versions[kind] += 1

    def drop_if_empty(self, layer: Layer) -> None:
        if layer.scope is not None and layer.is_empty and self._by_scope.get(id(layer.scope)) is layer:
            del self._by_scope[id(layer.scope)]

    def chain(self, scopes: tuple[ScopeKey, ...]) -> list[Layer]:
        """The global layer, then those of the chain from the farthest to the nearest."""
        found = [self.everywhere]
        for scope in reversed(scopes):
            layer = self._by_scope.get(id(scope))
            if layer is not None:
                found.append(layer)
        return found

    def __iter__(self) -> Iterator[Layer]:
        yield self.everywhere
        yield from self._by_scope.values()
