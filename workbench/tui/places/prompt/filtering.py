"""Filtering the list of the place Prompt."""

from __future__ import annotations

from abc import abstractmethod

from textual.getters import query_one

from workbench.tui.places.base import Place
from workbench.tui.places.prompt.model import PromptModel
from workbench.tui.view.entries import EntryKey
from workbench.tui.view.filter import Filter, filter_items
from workbench.tui.widgets.entry_list import EntryList
from workbench.visible import visible_line


class FilterActions(Place):
    """Commands about what the list shows; the text always shows everything."""

    model: PromptModel
    entry_list = query_one("#list", EntryList)

    @abstractmethod
    def _show_list(self) -> None:
        raise NotImplementedError

    @abstractmethod
    def _choose(self, key: EntryKey, *, tell_list: bool = False) -> None:
        raise NotImplementedError

    async def action_filter(self) -> None:
        from workbench.tui.widgets.picker import pick

        model = self.model
        items = filter_items(model.entries, model.changed, model.filter)
        await pick(self.app, items, "owner:, layer:, is:", lambda item: self.take_filter(model.filter.taken(item)))

    def take_filter(self, chosen: Filter) -> None:
        """Lists only those entries, and goes to the first of them."""
        model = self.model
        model.filter = chosen
        self.show_listed()
        if chosen and not model.listed:
            self.say(f"No entry is {visible_line(chosen.words)}.", ())

    def show_listed(self) -> None:
        """The list by what it is filtered by now; what is chosen is in it."""
        self._show_list()
        key = self.entry_list.chosen
        if key is not None and key != self.model.chosen:
            self._choose(key)
        self.refresh_frame()
