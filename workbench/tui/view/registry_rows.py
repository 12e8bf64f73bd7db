"""The rows of the tree of what is registered: by layer, by plugin or by kind, with folds and counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

from workbench.config.registry.facts import GLOBAL, KINDS, Kind, LayerFact, PluginFact, Registration, Registry

Grouping: TypeAlias = Literal["layer", "plugin", "kind"]
GROUPINGS: Final[tuple[Grouping, ...]] = ("layer", "plugin", "kind")
RowKey: TypeAlias = tuple[object, ...]
"""What makes a row the same one after a change: a `RegistryKey`, or the path of a group."""

LONG: Final = 200
"""Entries of a kind from which it is folded at first, whatever it is."""
FOLDED_FROM: Final = 3
"""Entries from which a kind is folded at first that is not read line by line."""
_READ: Final = frozenset({"section", "context", "listener"})
"""Kinds whose entries are shown at first."""
_READ_SMALL: Final = frozenset({"section"})
"""The same where there is little room."""


class Row(NamedTuple):
    """One line of the tree."""

    key: RowKey
    depth: int
    registration: Registration | None = None
    plugin: PluginFact | None = None
    layer: LayerFact | None = None
    title: str = ""
    """Of a group that is neither a plugin nor a layer: `5 tools`."""
    kind: str = ""
    """Of the entries of such a group."""
    is_open: bool | None = None
    """None: nothing below it can be folded."""
    below: int = 0
    """Registrations below it."""
    owners: tuple[str, ...] = ()
    """Of a folded group: whose its entries are."""

    @property
    def is_blank(self) -> bool:
        """Only air."""
        return self.key[0] == "blank"


@dataclass(slots=True)
class Folds:
    """What a person has opened and closed; everything else is as it is at first."""

    by_key: dict[RowKey, bool] = field(default_factory=dict)
    all_open: bool = False
    """While a filter says what is shown."""

    def is_open(self, key: RowKey, at_first: bool) -> bool:
        """Whether what is below it is shown."""
        return True if self.all_open else self.by_key.get(key, at_first)

    def is_chosen(self, key: RowKey) -> bool:
        """The person has said so."""
        return key in self.by_key


@dataclass(frozen=True, slots=True)
class Shape:
    """How the tree is to be made."""

    grouping: Grouping = "layer"
    blanks: bool = False
    """An empty line between two groups."""
    is_small: bool = False
    """Little room: more is folded at first."""
    keeps: Callable[[Registration], bool] | None = None
    """The filter; None: everything."""
    keeps_plugin: Callable[[PluginFact], bool] | None = None


def rows(registry: Registry, folds: Folds, shape: Shape) -> list[Row]:
    """The lines of the tree."""
    made = _MAKERS[shape.grouping](_Builder(registry, folds, shape))
    lines: list[Row] = []
    for row in made:
        if shape.blanks and lines and row.depth == 0 and _opens_group(row, shape):
            lines.append(_BLANK)
        lines.append(row)
    return lines


def _opens_group(row: Row, shape: Shape) -> bool:
    return shape.grouping != "plugin" or row.is_open is not None


class _Builder:
    """What all three forms need."""

    def __init__(self, registry: Registry, folds: Folds, shape: Shape) -> None:
        self.registry = registry
        self.folds = folds
        self.shape = shape

    def kept(self, registrations: Iterable[Registration]) -> list[Registration]:
        keeps = self.shape.keeps
        return list(registrations) if keeps is None else [each for each in registrations if keeps(each)]

    def keeps_plugin(self, plugin: PluginFact) -> bool:
        keeps = self.shape.keeps_plugin
        return keeps is None or keeps(plugin)

    @property
    def is_filtered(self) -> bool:
        return self.shape.keeps is not None

    def by_kind(self, group: RowKey, registrations: list[Registration], depth: int) -> Iterator[Row]:
        """Entries of one group; long kinds behind a line of their own."""
        for kind, entries in _kinds(registrations):
            key: RowKey = (*group, kind)
            at_first = not self._is_long(kind, len(entries))
            is_open = self.folds.is_open(key, at_first)
            has_line = not is_open or not at_first or self.folds.is_chosen(key)
            if has_line and not (self.folds.all_open and len(entries) < FOLDED_FROM):
                yield Row(
                    key,
                    depth,
                    title=f"{len(entries):,} {kind if len(entries) == 1 else plural(kind)}",
                    kind=kind,
                    is_open=is_open,
                    below=len(entries),
                    owners=tuple(dict.fromkeys(each.owner.plugin for each in entries)),
                )
            if is_open:
                inner = depth + 1 if has_line else depth
                for each in entries:
                    yield Row(each.key, inner, each)

    def _is_long(self, kind: str, count: int) -> bool:
        if count > LONG:
            return True
        read = _READ_SMALL if self.shape.is_small else _READ
        return kind not in read and count >= FOLDED_FROM

    def not_active(self) -> Iterator[Row]:
        plugins = [each for each in self.registry.plugins if each.state != "active" and self.keeps_plugin(each)]
        if not plugins:
            return
        key: RowKey = ("group", "not active")
        is_open = self.folds.is_open(key, at_first=True)
        yield Row(key, 0, title="not active", kind="plugin", is_open=is_open, below=len(plugins))
        if is_open:
            for plugin in plugins:
                yield Row(("plugin", plugin.uid), 1, plugin=plugin)


def _by_layer(builder: _Builder) -> Iterator[Row]:
    for layer in builder.registry.layers:
        entries = builder.kept(builder.registry.in_layer(layer.label))
        if not entries and (layer.label != GLOBAL or builder.is_filtered):
            continue  # an empty layer exists for nobody
        key: RowKey = ("layer", layer.label)
        is_open = builder.folds.is_open(key, at_first=True)
        yield Row(key, 0, layer=layer, is_open=is_open, below=len(entries))
        if is_open:
            yield from builder.by_kind(key, entries, 1)
    yield from builder.not_active()


def _by_plugin(builder: _Builder) -> Iterator[Row]:
    registry = builder.registry
    shown = _with_ancestors(builder)

    def with_children(plugin: PluginFact, depth: int) -> Iterator[Row]:
        entries = builder.kept(registry.owned_by(plugin.uid)) if plugin.state != "stopped" else []
        children = [child for child in registry.children(plugin.uid) if child.uid in shown]
        key: RowKey = ("plugin", plugin.uid)
        has_more = bool(entries or children)
        is_open = builder.folds.is_open(key, at_first=True)
        yield Row(key, depth, plugin=plugin, is_open=is_open if has_more else None, below=len(entries))
        if is_open and has_more:
            yield from builder.by_kind(key, entries, depth + 1)
            for child in children:
                yield from with_children(child, depth + 1)

    for plugin in registry.children(None):
        if plugin.uid in shown:
            yield from with_children(plugin, 0)


def _with_ancestors(builder: _Builder) -> set[int]:
    """uids of plugins that are shown: those that are kept, that own something kept, and those around them."""
    registry = builder.registry
    if not builder.is_filtered:
        return {plugin.uid for plugin in registry.plugins}
    shown = {plugin.uid for plugin in registry.plugins if builder.keeps_plugin(plugin)}
    shown |= {each.owner.fiber for each in builder.kept(registry.registrations)}
    for uid in tuple(shown):
        plugin = registry.plugin(uid)
        while plugin is not None and plugin.parent is not None:
            shown.add(plugin.parent)
            plugin = registry.plugin(plugin.parent)
    return shown


def _by_kind(builder: _Builder) -> Iterator[Row]:
    for kind, entries in _kinds(sorted(builder.kept(builder.registry.registrations), key=_place)):
        key: RowKey = ("kind", kind)
        is_open = builder.folds.is_open(key, at_first=len(entries) <= LONG)
        yield Row(key, 0, title=plural(kind), kind=kind, is_open=is_open, below=len(entries))
        if not is_open:
            continue
        if kind == "listener":
            yield from _by_event(builder, key, entries)
        else:
            for each in entries:
                yield Row(each.key, 1, each)
    plugins = [each for each in builder.registry.plugins if builder.keeps_plugin(each)]
    if plugins:
        key = ("kind", "plugin")
        is_open = builder.folds.is_open(key, at_first=True)
        yield Row(key, 0, title="plugins", kind="plugin", is_open=is_open, below=len(plugins))
        if is_open:
            for plugin in plugins:
                yield Row(("plugin", plugin.uid), 1, plugin=plugin)


def _by_event(builder: _Builder, group: RowKey, listeners: list[Registration]) -> Iterator[Row]:
    """In call order, whatever layer a listener is in."""
    events: dict[str, list[Registration]] = {}
    for each in listeners:
        events.setdefault(each.key.of, []).append(each)
    for event, heard in events.items():
        key: RowKey = (*group, event)
        is_open = builder.folds.is_open(key, at_first=True)
        mode = f"  {heard[0].mode}" if heard[0].mode else ""
        yield Row(key, 1, title=f"{event}{mode}", kind="event", is_open=is_open, below=len(heard))
        if is_open:
            for each in sorted(heard, key=lambda one: one.position):
                yield Row(each.key, 2, each)


def _kinds(registrations: Iterable[Registration]) -> Iterator[tuple[Kind, list[Registration]]]:
    groups: dict[Kind, list[Registration]] = {}
    for each in registrations:
        groups.setdefault(each.key.kind, []).append(each)
    yield from groups.items()


_PLACES = {kind: place for place, kind in enumerate(KINDS)}


def _place(registration: Registration) -> tuple[int, float, str]:
    order = registration.order if registration.order is not None else 0.0
    return _PLACES[registration.key.kind], order, registration.key.name if registration.order is not None else ""


_PLURALS: Final[Mapping[str, str]] = {"code runtime": "code runtimes"}


def plural(kind: str) -> str:
    """`tools`."""
    return _PLURALS.get(kind, f"{kind}s")


_BLANK = Row(("blank",), 0)
_MAKERS: Final[Mapping[Grouping, Callable[[_Builder], Iterator[Row]]]] = {
    "layer": _by_layer,
    "plugin": _by_plugin,
    "kind": _by_kind,
}
