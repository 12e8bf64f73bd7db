"""Which entries differ between two previews of one scope."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.prompt.views import EntryView, ToolView, VariableView
from workbench.tui.view.entries import Entry, EntryKey


def changed_keys(before: Mapping[EntryKey, Entry], after: Mapping[EntryKey, Entry]) -> frozenset[EntryKey]:
    """Entries of `after` that are new or read differently than in `before`."""
    return frozenset(key for key, entry in after.items() if not _reads_as(before.get(key), entry))


def _reads_as(before: Entry | None, after: Entry) -> bool:
    """The same reaches the model; positions and owners may have moved."""
    if before is after:
        return True
    if before is None or before.state != after.state:
        return False
    if isinstance(after, EntryView):
        return isinstance(before, EntryView) and _text(before) == _text(after)
    if isinstance(after, ToolView):
        return (
            isinstance(before, ToolView)
            and before.description == after.description
            and before.parameters_json == after.parameters_json
        )
    if isinstance(after, VariableView):
        return isinstance(before, VariableView) and before.value == after.value
    return True  # a plugin has no text of its own


def _text(entry: EntryView) -> str:
    return entry.text if entry.rendered is None else entry.rendered
