"""What the palette can jump to: everything that has a name in the prompt or the runtime, and the scopes.

The places are commands of every place, and so in the palette already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
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
    found = _all(tabs, scopes, here, entries, preview, fibers)
    return [jump._replace(item=replace(jump.item, id=f"jump:{position}")) for position, jump in enumerate(found)]


def _all(
    tabs: Sequence[Tab],
    scopes: Sequence[ScopeChoice],
    here: str,
    entries: Mapping[EntryKey, Entry],
    preview: Preview | None,
    fibers: Iterable[str],
) -> Iterator[Jump]:
    def item(title: str, note: str, group: str, about: str, key: str = "") -> Item:
        return Item("", title, note, key, group, about)

    for key, entry in entries.items():
        note = f"{key.kind} of {entry.owner.plugin}"
        yield Jump(item(key.name, note, "Jump to", "Show it in its place in the text."), "Prompt", key)
    titles = {tab.title for tab in tabs}
    if preview is not None and "Trace" in titles:
        about = "Show what it changed in this assembly."
        for listener in preview.trace.listeners:
            note = f"listener of {listener.owner.plugin}"
            yield Jump(
                item(listener.label, note, "Listeners", about),
                "Trace",
                ("listener", listener.owner.plugin, listener.label),
            )
    about = "List only what this owner has registered."
    for owner, count in Counter(entry.owner.plugin for entry in entries.values()).items():
        note = f"owner of {number(count)}"
        yield Jump(item(owner, note, "Owners", about), "Prompt", Filter(owner=owner))
    if "Registry" in titles:
        about = "Show its state and what it has registered."
        for name in dict.fromkeys(fibers):
            yield Jump(item(name, "plugin", "Plugins", about), "Registry", ("plugin", name))
    if len(scopes) > 1:
        about = "The prompt that this scope reads."
        for scope in scopes:
            note = f"scope {scope.note}".rstrip()
            yield Jump(item(scope.label, note, "Scopes", about), here, None, scope.label)
