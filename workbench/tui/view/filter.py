"""Which entries the list shows: those of one owner, of one layer, that changed, that are in error."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from workbench.prompt.views import EntryView
from workbench.tui.view.entries import Entry, EntryKey, PluginTrouble
from workbench.tui.view.picker import Item
from workbench.tui.view.pieces import Line, Piece, outside
from workbench.tui.view.sizes import number


@dataclass(frozen=True, slots=True)
class Filter:
    """What an entry must be to be listed; nothing that is asked for: all of them."""

    owner: str | None = None
    """Name of the plugin."""
    layer: str | None = None
    changed: bool = False
    """By the last edit or change, or by a listener."""
    error: bool = False
    """It cannot be rendered, or its plugin does not run."""
    is_typed: bool = False
    """Owner and layer are parts of names, without regard to case."""

    def __bool__(self) -> bool:
        return self != EVERYTHING

    @property
    def words(self) -> str:
        """As a person reads it: `owner:bash is:changed`."""
        words = []
        if self.owner is not None:
            words.append(f"owner:{self.owner}")
        if self.layer is not None:
            words.append(f"layer:{self.layer}")
        if self.changed:
            words.append("is:changed")
        if self.error:
            words.append("is:error")
        return " ".join(words)

    def lists(self, key: EntryKey, entry: Entry, changed: Collection[EntryKey]) -> bool:
        """Whether the entry stands in the list."""
        return (
            (self.owner is None or self._is(self.owner, entry.owner.plugin))
            and (self.layer is None or self._is(self.layer, key.layer))
            and (not self.changed or is_changed(key, entry, changed))
            and (not self.error or is_faulty(entry))
        )

    def _is(self, wanted: str, name: str) -> bool:
        return wanted in name.lower() if self.is_typed else wanted == name

    def taken(self, item_id: str) -> Filter:
        """This one with the choice of that item added; `all` takes everything off."""
        facet, _, value = item_id.partition(":")
        match facet:
            case "owner":
                return replace(self, owner=value)
            case "layer":
                return replace(self, layer=value)
            case "is":
                return replace(self, changed=True) if value == "changed" else replace(self, error=True)
        return EVERYTHING


EVERYTHING = Filter()
STATES = ("changed", "error")
HINT = "words in the text   owner:bash   layer:main   is:changed, error"


class Typed(NamedTuple):
    """What was typed into the find bar."""

    filter: Filter
    words: str
    """To be found in the text of the entries that the filter lets through."""


def typed(query: str) -> Typed:
    """`owner:bash is:changed the words`: fields, and the rest as it stands."""
    chosen, words = EVERYTHING, query
    while (field := _FIELD.match(words)) is not None:
        name, value = field["name"], field["value"].lower()
        if name == "is" and not any(state.startswith(value) for state in STATES):
            break
        words = words[field.end() :]
        if value and (name != "is" or value in STATES):  # else it is still being typed
            chosen = replace(chosen.taken(f"{name}:{value}"), is_typed=True)
    return Typed(chosen, words)


_FIELD = re.compile(r"\s*(?P<name>owner|layer|is):(?P<value>\S*)(?:\s+|$)")


def is_changed(key: EntryKey, entry: Entry, changed: Collection[EntryKey]) -> bool:
    """It reads differently than before, or a listener had its hand in it."""
    if key in changed:
        return True
    if isinstance(entry, PluginTrouble):
        return False
    if isinstance(entry, EntryView):
        return bool(entry.changed_by or entry.added_by or entry.state == "removed")
    return bool(getattr(entry, "changed_by", ()) or getattr(entry, "added_by", None))


def is_faulty(entry: Entry) -> bool:
    """It cannot be rendered, or its plugin does not run."""
    if isinstance(entry, PluginTrouble):
        return entry.state == "failed"
    return isinstance(entry, EntryView) and entry.failure is not None


def filter_items(entries: Mapping[EntryKey, Entry], changed: Collection[EntryKey], chosen: Filter) -> list[Item]:
    """What the list can be filtered by, with the number of entries."""
    items: list[Item] = []
    if chosen:
        items.append(
            Item("all", "show everything", f"now {chosen.words}", group="Filter", help="Take the filter off.")
        )
    marks = {
        "changed": sum(is_changed(key, entry, changed) for key, entry in entries.items()),
        "error": sum(map(is_faulty, entries.values())),
    }
    helps = {
        "changed": "Entries that changed just now, or that a listener changed.",
        "error": "Entries that cannot be rendered, and plugins that failed.",
    }
    for word, count in marks.items():
        items.append(Item(f"is:{word}", f"is:{word}", _count(count), group="State", help=helps[word]))
    owners = Counter(entry.owner.plugin for entry in entries.values())
    for owner, count in owners.items():
        items.append(
            Item(f"owner:{owner}", f"owner:{owner}", _count(count), group="Owner", help="Entries of this owner.")
        )
    layers = Counter(key.layer for key in entries if key.layer)
    for layer, count in layers.items():
        items.append(
            Item(f"layer:{layer}", f"layer:{layer}", _count(count), group="Layer", help="Entries of this layer.")
        )
    return items


def filter_fact(words: str, shown: int, of: int) -> Line:
    """The right end of the answer line while a filter is on."""
    return (
        Piece(f"{number(shown)} of {number(of)} listed: ", "soft"),
        *outside(words, "focus", bold=True),
    )


def _count(count: int) -> str:
    return f"{number(count)} {'entry' if count == 1 else 'entries'}"


def owners_of(entries: Iterable[Entry]) -> list[str]:
    """Names of all owners, in the order in which they come."""
    return list(dict.fromkeys(entry.owner.plugin for entry in entries))
