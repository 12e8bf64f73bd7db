"""Edits: one that is in force and what it changed, and one that waits.

Source: docs/compositions.md 13.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from workbench.config.composition import Composition, ReadComposition
from workbench.config.wanted import EntryKey, Wanted, wanted_entries
from workbench.prompt import Position

SETTINGS = ("persona", "include_harness_identity", "include_runtime_context", "tool_order", "restrictions")


class EntryChange(NamedTuple):
    """What an edit did to one entry."""

    kind: str
    """`section`, `context`, `variable` or `tool`."""
    layer: str
    """`global`, or the label of its scope."""
    name: str
    action: Literal["added", "removed", "changed"]
    position: Position
    """Of its text; of a removed one: where it was."""


class AppliedEdit:
    """What the last edit that came into force has changed."""

    def __init__(
        self, before: Composition, after: Composition, loaded: tuple[str, ...], stopped: tuple[str, ...], kept: int
    ) -> None:
        self.loaded = loaded
        """Plugins that were loaded for it, by `use`."""
        self.stopped = stopped
        """Plugins that were stopped for it; those of `loaded` that ran before, too."""
        self.kept = kept
        """How many plugins it left alone."""
        self._before, self._after = before, after

    @cached_property
    def entries(self) -> tuple[EntryChange, ...]:
        """Entries whose content is another one, in the order of the file, removed ones last."""
        before, after = wanted_entries(self._before), wanted_entries(self._after)
        changes = [
            _change(key, "changed" if key in before else "added", entry)
            for key, entry in after.items()
            if key not in before or before[key].content != entry.content
        ]
        changes += [_change(key, "removed", entry) for key, entry in before.items() if key not in after]
        return tuple(changes)

    @property
    def settings(self) -> tuple[str, ...]:
        """Keys of the composition that say something else now."""
        before, after = self._before.entries, self._after.entries
        return tuple(key for key in SETTINGS if _value(before, key) != _value(after, key))


@dataclass(frozen=True, slots=True)
class PendingEdit:
    """An edit that can be used and is not in force."""

    read: ReadComposition

    @property
    def composition(self) -> Composition:
        """What the files say now."""
        return self.read.composition


def _change(key: EntryKey, action: Literal["added", "removed", "changed"], entry: Wanted) -> EntryChange:
    source = entry.source
    return EntryChange(
        key.kind, key.layer or "global", key.name, action, Position(source.file, source.line, source.column)
    )


def _value(entries: object, key: str) -> object:
    """Without the places at which it stands."""
    value = getattr(entries, key)
    if key == "persona":
        return value.value if value else ""
    if key == "restrictions":
        return [(entry.scope, entry.allow, entry.deny) for entry in value]
    return value
