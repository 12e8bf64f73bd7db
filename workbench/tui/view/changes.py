"""Which entries differ between two previews of one scope."""

from __future__ import annotations

from workbench.prompt.views import EntryView, Preview, ToolView
from workbench.tui.view.entries import Entry, EntryKey, keyed


def changed_keys(before: Preview, after: Preview) -> frozenset[EntryKey]:
    """Entries of `after` that are new or read differently than in `before`."""
    old = {key: _reads(entry) for key, entry in keyed(before)}
    return frozenset(key for key, entry in keyed(after) if old.get(key) != _reads(entry))


def _reads(entry: Entry) -> object:
    """What of an entry reaches a reader; positions and owners may move without changing it."""
    if isinstance(entry, EntryView):
        return entry.state, entry.text if entry.rendered is None else entry.rendered
    if isinstance(entry, ToolView):
        return entry.state, entry.description, entry.parameters_json
    return entry.state, entry.value
