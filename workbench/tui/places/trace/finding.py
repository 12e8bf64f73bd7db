"""Finding in Trace who has written words: a hit is a change of a listener."""

from __future__ import annotations

from textual import on

from workbench.tui.places.trace.showing import ShowingTrace
from workbench.tui.widgets.find_bar import FindBar


class FindingWho(ShowingTrace):
    """The bar below, and the way from hit to hit."""

    def action_find(self) -> None:
        self.key_hints.display = False
        self.find_bar.open(self.model.query)
        self._show_count()

    @on(FindBar.Typed)
    def _find_typed(self, event: FindBar.Typed) -> None:
        self._find(event.query)

    @on(FindBar.Stepped)
    def _find_stepped(self, event: FindBar.Stepped) -> None:
        self._go_to_hit(event.steps)

    @on(FindBar.Closed)
    def _find_closed(self, event: FindBar.Closed) -> None:
        self.key_hints.display = True
        if not event.keep:
            self._find("")
        self.timeline.focus()

    def action_next_match(self) -> None:
        self._go_to_hit(1)

    def action_previous_match(self) -> None:
        self._go_to_hit(-1)

    def _find(self, query: str) -> None:
        self.model.find(query)
        hit = self.model.current_hit
        if hit is not None:
            self.model.chosen = hit[0]
        self._show_all()
        self._show_count()

    def _go_to_hit(self, steps: int) -> None:
        hit = self.model.step(steps)
        if hit is not None:
            self.model.chosen = hit[0]
            self._show_all()
            self._show_count()

    def _show_count(self) -> None:
        self.find_bar.show_count(self.model.hit, len(self.model.hits), self.model.query)

    def action_back(self) -> None:
        if self.model.query and not self.detail_pane.has_focus:
            self._find("")
        super().action_back()
