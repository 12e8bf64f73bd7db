"""The place Packages: what waits for the person, what runs and what does not, beside all that is known of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widget import Widget

from workbench.tui.places.base import tab_of
from workbench.tui.places.packages.acting import Acting
from workbench.tui.view import answer as answers
from workbench.tui.view import packages_words
from workbench.tui.view.packages_answer import off_answer, packages_answer, past_answer
from workbench.tui.view.picker import Item
from workbench.tui.viewing.situation import interruption
from workbench.tui.viewing.viewing import Topic
from workbench.tui.widgets.lines import bindings_of
from workbench.tui.widgets.packages_list import PackageButtons, PackageList, PackagePage, PackageTitle


class PackagesPlace(Acting):
    """What was added while it runs, and by whom?"""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("packages")
    CSS_PATH = Path(__file__).parent / "style.tcss"
    AUTO_FOCUS = "#packages"
    tab = tab_of("Packages")
    where = "packages"

    def panes(self) -> Iterable[Widget]:
        yield Vertical(PackageList(id="packages"), id="left")
        yield Vertical(PackageTitle(), PackageButtons(), PackagePage(id="page"), id="right")

    def on_mount(self) -> None:
        self.set_interval(1.0, self.count_up, name="ages")
        self.show_front()

    @property
    def is_busy(self) -> bool:
        """An act or a colouring is under way."""
        return any(not worker.is_finished for worker in self.workers if worker.node is self)

    # what is looked at

    def look_again(self, topic: Topic) -> None:
        if topic in ("subject", "preview", "sizes", "changed"):
            if topic == "subject":
                self.said = ()
            self.read_again()

    def packages_changed(self) -> None:
        self.read_again()
        self.forget_said()

    def catch_up(self) -> None:
        super().catch_up()
        if self.is_mounted and self.children:
            self.read_again()
            self.forget_said()
            self.refresh_frame()

    def answer(self, *, short: bool) -> answers.Answer:
        viewing = self.viewing
        if viewing.subject is None:
            return interruption(viewing) or answers.opening(viewing.opening or "…")
        if self.access is None:
            return off_answer()
        access = self.access
        if access.is_past:
            return past_answer(self.rows, self.said, short=short)
        return packages_answer(self.rows, self.said, access.pages(), packages_words.monotonic(), short=short)

    @property
    def now(self) -> frozenset[str]:
        card, access = self.card, self.access
        is_paged = access is not None and bool(access.pages().url)
        if card is None:
            return frozenset({"paged"} if is_paged else ())
        known = {
            "chosen": True,
            "paged": is_paged,
            "stoppable": "stop" in card.controls,
            "startable": "start" in card.controls,
            "triable": "what-if" in card.controls,
            "older": "start older" in card.controls,
            "undefinable": "undefine" in card.controls,
            "deliverable": "deliver again" in card.controls,
            "revised": len(card.revisions) > 1,
            "trying": self.is_trying,
        }
        return frozenset(fact for fact, is_so in known.items() if is_so)

    # coming from elsewhere

    def jumps(self) -> list[Item]:
        return [
            Item(f"package:{row.key}", f"{row.id} {row.name}", row.state, group="Packages") for row in self.rows
        ]

    def jump(self, item_id: str) -> None:
        self.show_target(item_id.partition(":")[2])

    def spot(self) -> object:
        return self.chosen or None

    def show_target(self, target: object) -> None:
        """The key of a package."""
        if isinstance(target, str):
            self.chosen, self.shows, self.said = target, "", ()
            self.read_again()
            self.refresh_frame()

    def text_to_save(self) -> tuple[str, str] | None:
        text = self.text_to_copy()
        return None if text is None or self.card is None else (text, f"{self.card.id}.txt")

    # messages of the panes

    @on(PackageList.Chosen)
    def _chosen(self, event: PackageList.Chosen) -> None:
        self.said = ()
        self.choose(event.package)
        self.refresh_frame()

    @on(PackageList.Opened)
    def _to_page(self) -> None:
        self.page.focus()

    @on(PackageList.AnswerPressed)
    async def _answer_pressed(self) -> None:
        await self.run_command("app.answer")

    @on(PackagePage.Left)
    def _to_list(self) -> None:
        self.focus_list()

    def on_descendant_focus(self) -> None:
        self.show_front()

    def show_all(self) -> None:
        had_none = self.has_class("-nothing") or self.focused is None
        super().show_all()
        self.show_front()
        if had_none and self.rows and self.is_mounted:
            self.set_focus(self.listing)  # there was nothing to choose from before

    def show_front(self) -> None:
        """One pane stands in front where there is no room for two."""
        if not self.is_mounted or not self.children:
            return
        left = self.query_one("#left")
        reads = self.page.has_focus or not self.rows
        left.set_class(reads, "-behind")
        self.query_one("#right").set_class(not reads, "-behind")

    def on_resize(self) -> None:
        if self.is_mounted:
            self.call_after_refresh(self.show_all)
        self.refresh_frame()
