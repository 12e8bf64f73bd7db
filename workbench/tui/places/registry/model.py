"""The state of the place Registry: what was read last, how it is grouped and folded, and what is chosen."""

from __future__ import annotations

from workbench.config.registry.facts import PluginFact, Registration, Registry, RegistryKey
from workbench.prompt.views import Preview
from workbench.tui.view.entries import EntryKey
from workbench.tui.view.registry_filter import Filter, filter_for
from workbench.tui.view.registry_inspector import text_of
from workbench.tui.view.registry_rows import GROUPINGS, Folds, Grouping, Row, RowKey, Shape, rows

PROMPT_KINDS = frozenset({"section", "context", "tool", "variable"})
"""Kinds whose entries the place Prompt shows, too."""


class RegistryModel:
    """Read by the widgets of the place, changed by its commands."""

    def __init__(self) -> None:
        self.registry = Registry()
        self.grouping: Grouping = "layer"
        self.folds = Folds()
        self.query = ""
        self.chosen: RowKey | None = None
        self._filter: Filter | None = None
        self._shown: int | None = None

    def load(self, registry: Registry) -> bool:
        """Takes what was read; False when nothing of it is another."""
        is_other = registry != self.registry
        self.registry = registry
        self._shown = None
        return is_other

    def rows(self, *, blanks: bool, is_small: bool) -> list[Row]:
        """The lines of the tree."""
        chosen = self._filter
        shape = Shape(
            self.grouping,
            blanks,
            is_small,
            chosen.keeps if chosen is not None else None,
            chosen.keeps_plugin if chosen is not None else None,
        )
        return rows(self.registry, self.folds, shape)

    # what is chosen

    @property
    def registration(self) -> Registration | None:
        """The chosen registration."""
        return self.registry.find(self.chosen) if isinstance(self.chosen, RegistryKey) else None

    @property
    def plugin(self) -> PluginFact | None:
        """The chosen plugin, or the owner of the chosen registration."""
        registration = self.registration
        if registration is not None:
            return self.registry.plugin(registration.owner.fiber)
        key = self.chosen
        if key is not None and key[0] == "plugin" and isinstance(key[1], int) and len(key) == 2:
            return self.registry.plugin(key[1])
        return None

    def text_to_copy(self, preview: Preview | None) -> str | None:
        """The raw text of the chosen registration; of a plugin why it does not run."""
        registration = self.registration
        if registration is not None:
            if registration.kind == "tool":
                return registration.detail
            text = text_of(registration, preview)
            return registration.name if text is None and registration.kind not in PROMPT_KINDS else text
        return self.plugin.reason or self.plugin.name if self.plugin is not None else None

    # grouping, folds and filter

    def group_by(self, grouping: Grouping) -> None:
        """Shows the same in another form; what is chosen stays in view."""
        self.grouping = grouping
        if self.chosen is not None:
            self.reveal(self.chosen)

    @property
    def next_grouping(self) -> Grouping:
        return GROUPINGS[(GROUPINGS.index(self.grouping) + 1) % len(GROUPINGS)]

    def fold(self, row: Row, is_open: bool | None = None) -> None:
        """Opens or closes a group; None: whichever it is not."""
        self.folds.by_key[row.key] = not row.is_open if is_open is None else is_open

    def fold_all(self, shown: list[Row]) -> None:
        """Closes everything, or opens everything where nothing is open."""
        groups = [row for row in shown if row.is_open is not None]
        has_open = any(row.is_open for row in groups)
        for row in groups:
            self.folds.by_key[row.key] = not has_open

    def filter(self, query: str) -> None:
        """Shows only what has these words."""
        self.query = query
        self._filter = filter_for(query)
        self.folds.all_open = self._filter is not None
        self._shown = None

    @property
    def shown(self) -> int:
        """Registrations that the filter lets through."""
        if self._shown is None:
            chosen = self._filter
            found = self.registry.registrations
            self._shown = len(found) if chosen is None else sum(map(chosen.keeps, found))
        return self._shown

    # going to something

    def find(self, target: EntryKey) -> RegistryKey | None:
        """The registration that another place knows as `target`, or one of its name in another layer."""
        named = self.registry.named(target.kind, target.name)
        same = [each for each in named if each.layer == target.layer]
        found = same[min(target.nth, len(same) - 1)] if same else next(iter(named), None)
        return found.key if found is not None else None

    def plugin_named(self, name: str) -> PluginFact | None:
        """The plugin with that name, a running one first."""
        found = [plugin for plugin in self.registry.plugins if plugin.name == name]
        return next((plugin for plugin in found if plugin.state != "stopped"), next(iter(found), None))

    def reveal(self, key: RowKey) -> None:
        """Chooses it, and opens the groups that it is in."""
        self.chosen = key
        for group in self._groups_of(key):
            self.folds.by_key[group] = True

    def _groups_of(self, key: RowKey) -> list[RowKey]:
        """Those that are closed at first or by the person, from the outside in."""
        if not isinstance(key, RegistryKey):
            if key[0] != "plugin" or self.grouping != "plugin":
                return [("group", "not active"), ("kind", "plugin")] if key[0] == "plugin" else []
            plugin = self.registry.plugin(key[1]) if isinstance(key[1], int) else None
            return self._plugins_around(plugin.parent if plugin is not None else None)
        registration = self.registry.find(key)
        if registration is None:
            return []
        if self.grouping == "layer":
            path: list[RowKey] = [("layer", key.layer), ("layer", key.layer, key.kind)]
        elif self.grouping == "kind":
            path = [("kind", key.kind), ("kind", key.kind, key.of)]
        else:
            uid = registration.owner.fiber
            path = [*self._plugins_around(uid), ("plugin", uid, key.kind)]
        folded = {row.key for row in self.rows(blanks=False, is_small=True) if row.is_open is False}
        return [group for group in path if group in folded or group in self.folds.by_key]

    def _plugins_around(self, uid: int | None) -> list[RowKey]:
        path: list[RowKey] = []
        while uid is not None:
            path.insert(0, ("plugin", uid))
            plugin = self.registry.plugin(uid)
            uid = plugin.parent if plugin is not None else None
        return path
