"""Plans: what an assembly for one scope has to do, made from registrations and kept until they change.

Source: docs/prompt-assembly.md 4 and 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from workbench.prompt.contributions import TextContribution, TextProvider, ToolsContribution, VariableContribution
from workbench.prompt.layers import Layer, Layers, OrderedTable, Table
from workbench.prompt.tool_schema import OrderedTools, ToolSchema

if TYPE_CHECKING:
    from workbench.core.scopes import ScopeKey, ScopeLinks
    from workbench.prompt.section_layout import SectionLayout

Stamp = list[tuple[object, int]]


class TextPlan:
    """The effective sections (or contexts) of one scope, in order."""

    __slots__ = (
        "complete",
        "entries",
        "last_changed",
        "last_text",
        "last_texts",
        "last_variables",
        "layout",
        "open",
        "providers",
        "texts",
    )

    def __init__(self, entries: list[TextContribution]) -> None:
        self.entries = entries
        self.texts = [entry.text for entry in entries]
        """Static texts; an entry with a provider has an empty one here."""
        self.providers: list[tuple[int, TextProvider]] = [
            (index, entry.provider) for index, entry in enumerate(entries) if entry.provider is not None
        ]
        self.open = [index for index, entry in enumerate(entries) if entry.is_open]
        """Entries whose text may hold references."""
        self.complete = [entry for entry in entries if entry.complete]
        self.layout: SectionLayout | None = None
        """Made when a plan is rendered for the second time."""
        self.last_changed: frozenset[int] | None = None
        """Entries that listeners had touched at the last render."""
        self.last_texts: list[str] | None = None
        self.last_variables: dict[str, str | None] | None = None
        self.last_text = ""


class VariablePlan:
    """The variable providers of one scope, in call order."""

    __slots__ = ("calls", "entries", "homes")

    def __init__(self, tables: list[Table[VariableContribution]]) -> None:
        self.entries = entries = [entry for table in tables for entry in table]
        self.homes = [table for table in tables for _ in table]
        """The table that each entry stands in."""
        self.calls = [(entry.name, entry.provider, entry) for entry in entries]


class ToolPlan:
    """The tool-schema providers of one scope, and the list that they gave last, in order."""

    __slots__ = ("calls", "entries", "last_known", "last_ordered", "last_parts")

    def __init__(self, entries: list[ToolsContribution]) -> None:
        self.entries = entries
        self.calls = [(entry, entry.provider) for entry in entries]
        self.last_parts: list[tuple[ToolSchema, ...]] | None = None
        self.last_known: list[Sequence[str] | None] | None = None
        self.last_ordered = OrderedTools(())


class ScopePlans:
    """The plans of one scope. Each part is made anew only when something of its kind has changed."""

    def __init__(self, layers: Layers, links: ScopeLinks, scope: ScopeKey | None) -> None:
        self._layers = layers
        self._links = links
        self.scope = scope
        """Held, so that the identity of the key stays taken as long as there are plans for it."""
        self._layers_version = -1
        self._links_version = -1
        self._versions: dict[str, int] = {}
        self._stamps: dict[str, Stamp] = {}
        self.scopes: tuple[ScopeKey, ...] = ()
        self.chain: list[Layer] = []
        self.sections = TextPlan([])
        self.contexts = TextPlan([])
        self.variables = VariablePlan([])
        self.tools = ToolPlan([])
        self.suppressed = False

    def refresh(self) -> None:
        """Resolve the chain and bring every part up to date with the registrations."""
        links = self._links
        if self._links_version != links.version:
            self._links_version = links.version
            self.scopes = links.chain(self.scope)
            self._versions = {}
        elif self._layers_version == self._layers.version:
            return
        self._renew_parts()

    def refresh_in_chain(self) -> None:
        """As `refresh`, in the chain that was resolved before, wherever scopes have been moved since."""
        if self._layers_version != self._layers.version:
            self._renew_parts()

    def _renew_parts(self) -> None:
        layers = self._layers
        self._layers_version = layers.version
        chain = self.chain = layers.chain(self.scopes)
        seen, self._versions = self._versions, layers.versions.copy()
        for kind, version in layers.versions.items():
            if seen.get(kind) != version:
                self._renew(kind, chain)

    def _renew(self, kind: str, chain: list[Layer]) -> None:
        """Make one part anew, unless what has changed lies in other scopes."""
        tables: list[Any] = [getattr(layer, kind) for layer in chain]
        stamp = [(table, table.version) for table in tables]
        if self._stamps.get(kind) == stamp:
            return
        self._stamps[kind] = stamp
        if kind == "sections":
            self.sections = TextPlan(_effective(tables))
        elif kind == "contexts":
            self.contexts = TextPlan(_effective(tables))
        elif kind == "variables":
            self.variables = VariablePlan(tables)
        elif kind == "tools":
            self.tools = ToolPlan([entry for table in tables for entry in table])
        else:
            self.suppressed = any(table.entries for table in tables)


def _effective(tables: list[OrderedTable]) -> list[TextContribution]:
    """The entries in force, in order: the nearest layer wins a name, before anything is ordered."""
    if len(tables) == 1:
        return tables[0].ordered()
    nearest: dict[str, TextContribution] = dict(tables[0].entries)
    for table in tables[1:]:
        nearest.update(table.entries)
    return sorted(nearest.values(), key=_key)


def _key(entry: TextContribution) -> tuple[float, bytes]:
    return entry.key
