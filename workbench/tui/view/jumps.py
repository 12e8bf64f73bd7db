"""What the palette can jump to: everything that has a name in the prompt, the places, and the scopes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from workbench.prompt.views import Preview
from workbench.tui.subject import ScopeChoice
from workbench.tui.view.entries import Entry, EntryKey
from workbench.tui.view.filter import Filter
from workbench.tui.view.frame import Tab
from workbench.tui.view.picker import Item
from workbench.tui.view.sizes import number


class Jump(NamedTuple):
    """Where an item of the palette leads."""

    item: Item
    title: str
    """Of the place."""
    target: object = None
    """As that place knows it."""
    scope: str | None = None
    """The scope to be looked at; None: as it is."""


def jumps(
    tabs: Sequence[Tab],
    scopes: Sequence[ScopeChoice],
    here: str,
    entries: Mapping[EntryKey, Entry],
    preview: Preview | None,
    fibers: Iterable[str] = (),
) -> list[Jump]:
    """All of them. `here` is the title of the present place, `fibers` are the plugins that are loaded."""
    found: list[Jump] = []

    def add(jump: Jump) -> None:
        found.append(jump._replace(item=_numbered(jump.item, len(found))))

    for jump in _all(tabs, scopes, here, entries, preview, fibers):
        add(jump)
    return found


def _numbered(item: Item, index: int) -> Item:
    return Item(f"jump:{index}", item.title, item.note, item.key, item.group, item.help)


def _all(
    tabs: Sequence[Tab],
    scopes: Sequence[ScopeChoice],
    here: str,
    entries: Mapping[EntryKey, Entry],
    preview: Preview | None,
    fibers: Iterable[str],
) -> Iterator[Jump]:
    for key, entry in entries.items():
        note = f"{key.kind} of {entry.owner.plugin}"
        yield Jump(Item("", key.name, note, group="Jump to", help="Show it in its place in the text."), "Prompt", key)
    titles = {tab.title for tab in tabs}
    if preview is not None and "Trace" in titles:
        for index, listener in enumerate(preview.trace.listeners):
            note = f"listener of {listener.owner.plugin}"
            about = "Show what it changed in this assembly."
            yield Jump(Item("", listener.label, note, group="Listeners", help=about), "Trace", ListenerTarget(index))
    owners: dict[str, int] = {}
    for entry in entries.values():
        owners[entry.owner.plugin] = owners.get(entry.owner.plugin, 0) + 1
    for owner, count in owners.items():
        note = f"owner of {number(count)}"
        about = "List only what this owner has registered."
        yield Jump(Item("", owner, note, group="Owners", help=about), "Prompt", Filter(owner=owner))
    if "Registry" in titles:
        for name in dict.fromkeys(fibers):
            about = "Show its state and what it has registered."
            yield Jump(Item("", name, "plugin", group="Plugins", help=about), "Registry", PluginTarget(name))
    if len(scopes) > 1:
        for scope in scopes:
            about = "The prompt that this scope reads."
            yield Jump(Item("", scope.label, f"scope {scope.note}".rstrip(), group="Scopes", help=about), here, None, scope.label)
    for tab in tabs:
        if tab.title != here:
            yield Jump(Item("", tab.title, "place", tab.key, "Places", tab.question), tab.title)


class ListenerTarget(NamedTuple):
    """The listener with that index in the trace of the present preview."""

    index: int


class PluginTarget(NamedTuple):
    """The plugin with that name."""

    name: str
