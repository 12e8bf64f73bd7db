"""Showing packages: the list, and beside it what is chosen. Looking executes nothing."""

from __future__ import annotations

from functools import partial

from textual.getters import query_one
from textual.worker import Worker

from workbench.prompt.views import Preview
from workbench.tui.packages_subject import PackagesAccess
from workbench.tui.places.base import Place
from workbench.tui.places.packages.effect import effect_of, stop_cost, with_conversation
from workbench.tui.session_feed import messages_sent
from workbench.tui.view import packages_words
from workbench.tui.view.frame import Bar, outer_margin
from workbench.tui.view.packages_answer import TalkKeys, none_parts, off_parts
from workbench.tui.view.packages_data import MOVING, PackageCard, PackageRow, RevisionData, StopCost
from workbench.tui.view.packages_detail import (
    Keys,
    buttons_of,
    detail_parts,
    title_lines,
)
from workbench.tui.view.packages_list import list_rows, ordered
from workbench.tui.view.packages_pages import NO_PAGES, PageKeys, overview
from workbench.tui.view.packages_sources import revision_parts, source_parts
from workbench.tui.view.pieces import Line, Piece
from workbench.tui.view.registry_document import Coloured, Part, Words
from workbench.tui.view.team_answers import answer_bar
from workbench.tui.viewing.viewing import Viewing
from workbench.tui.widgets.packages_list import PackageButtons, PackageList, PackagePage, PackageTitle
from workbench.tui.workers import start_worker

SAMPLE = "packages"
MOST_HELD = 100
"""Packages that are named below a page."""


class Showing(Place):
    """Panes and state of the place."""

    listing = query_one("#packages", PackageList)
    title_line = query_one(PackageTitle)
    buttons = query_one(PackageButtons)
    page = query_one("#page", PackagePage)

    def __init__(self, viewing: Viewing) -> None:
        super().__init__(viewing)
        self.rows: list[PackageRow] = []
        self.chosen = ""
        """Key of a package: its id, or that of a record."""
        self.card: PackageCard | None = None
        self.shows = ""
        """What of the card: empty for all, `sources`, `difference`; or `pages`, which belong to no card."""
        self.colours: dict[str, tuple[Coloured, ...]] = {}
        self.said: Line = ()
        """What was done last, or why not."""
        self._cost: StopCost | None = None
        self._cost_of: tuple[Preview | None, str] = None, ""
        """What was counted last."""
        self._counting: Worker[None] | None = None
        """The count that is under way."""

    @property
    def access(self) -> PackagesAccess | None:
        """None: dynamic packages are off."""
        subject = self.viewing.subject
        return subject.packages if subject is not None else None

    def read_again(self) -> None:
        """Everything as it is now."""
        access = self.access
        self.rows = ordered(access.rows()) if access is not None else []
        self.show_all()

    def show_all(self) -> None:
        """Both panes."""
        if not self.is_mounted or not self.children:
            return
        self.set_class(not self.rows, "-nothing")
        self.listing.answer_key = self.house.key_of("app.answer") or "!"
        self.listing.show_rows(list_rows(self.rows, blanks=self.is_airy), self.chosen)
        card = self.listing.card
        self.choose("" if card is None else card.key)

    def choose(self, key: str) -> None:
        """Another card, or the same one anew."""
        if key != self.chosen:
            self.chosen, self.shows = key, ""
        self.read_card()

    def read_card(self) -> None:
        """The chosen card, as it is now."""
        access = self.access
        self.card = access.card(self.chosen) if access is not None and self.chosen else None
        self.show_page()

    def show_page(self) -> None:
        """Title, buttons and detail of the chosen card."""
        if not self.is_mounted or not self.children:
            return
        card, short = self.card, self.size.width < 100
        self.title_line.margin = self.buttons.margin = outer_margin(self.size.width)  # as the text below them
        if card is None:
            self._show_no_card()
            return
        if self.shows == "pages":
            self._show_pages()
            return
        self.title_line.show(*title_lines(card, packages_words.monotonic()))
        answers = buttons_of(card, short=short)
        self.buttons.show_bar(answer_bar(answers, self.house.commands_of("packages", "app")))
        self.buttons.set_class(not answers, "-absent")
        self.page.show((card.row.key, self.shows), self._parts(card))

    def _show_no_card(self) -> None:
        access = self.access
        if self.viewing.subject is None:
            parts: tuple[Part, ...] = ()
        elif access is None:
            parts = off_parts(SAMPLE, self.house.key_of("app.open"))
        else:
            parts = none_parts(access.pages(), self.page_keys, self._talk_keys(), is_past=access.is_past)
        self._show_words("Packages" if parts else "", "nothing", parts)

    def _show_pages(self) -> None:
        access = self.access
        if access is None:
            return
        live = [row.key for row in self.rows if row.has_browser_half and row.group == "Running"]
        cards = [card for key in live[:MOST_HELD] if (card := access.card(key)) is not None]
        self._show_words("Pages", "pages", overview(access.pages(), cards, self.page_keys))

    def _show_words(self, title: str, key: str, parts: tuple[Part, ...]) -> None:
        self.title_line.show((Piece(title, "strong", bold=True),) if title else ())
        self.buttons.show_bar(Bar((), ()))
        self.buttons.add_class("-absent")
        self.page.show(key, parts)

    def _talk_keys(self) -> TalkKeys | None:
        feed = self.viewing.subject.sessions if self.viewing.subject is not None else None
        if feed is None or feed.talk is None:
            return None
        return TalkKeys(self.house.key_of("app.session"), self.house.key_of("session.say"))

    @property
    def page_keys(self) -> PageKeys:
        """Those that have to do with pages, as this person has them."""
        key_of = self.house.key_of
        return PageKeys(key_of("packages.open_page"), key_of("packages.copy_address"), key_of("packages.deliver"))

    def _parts(self, card: PackageCard) -> tuple[Part, ...]:
        if self.shows == "sources":
            return source_parts(card.revision, self.colours) or (
                Words((Piece("It has no sources here.", "soft"),)),
            )
        pair = self.pair(card)
        if self.shows == "difference" and pair is not None:
            return revision_parts(*pair)
        house = self.house
        keys = Keys(
            house.key_of("app.answer"),
            house.key_of("packages.what_if"),
            house.key_of("packages.difference"),
            house.key_of("packages.older"),
            self.page_keys,
        )
        preview = self.viewing.preview
        if preview is not None and card.run:
            self._count_stop(preview, card.id)
        feed = self.viewing.subject.sessions if self.viewing.subject is not None else None
        cost = self._cost if self._has_counted(preview, card.id) else None
        if cost is not None and feed is not None:
            cost = with_conversation(cost, messages_sent(feed.tracks, self.viewing.scope))
        effect = effect_of(preview, self.viewing.sizes, card, feed, cost)
        pages = self.access.pages() if self.access is not None else NO_PAGES
        return detail_parts(card, effect, packages_words.monotonic(), keys, pages)

    def _count_stop(self, preview: Preview, package_id: str) -> None:
        """Once for each request and package; one count at a time, and the newest wanted one after it."""
        if self._has_counted(preview, package_id) or self._counting is not None:
            return
        self._counting = start_worker(self, partial(self._stop_counted, preview, package_id), group="packages cost")

    def _has_counted(self, preview: Preview | None, package_id: str) -> bool:
        counted, of_id = self._cost_of
        return counted is preview and of_id == package_id

    async def _stop_counted(self, preview: Preview, package_id: str) -> None:
        try:
            self._cost = await stop_cost(preview, package_id)
        finally:
            self._cost_of, self._counting = (preview, package_id), None
        self.show_page()

    @staticmethod
    def pair(card: PackageCard) -> tuple[RevisionData, RevisionData] | None:
        """The shown revision and the newest one; where it is the newest, the one before it and that."""
        if len(card.revisions) < 2:
            return None
        if card.row.revision != card.newest.number:
            return card.revision, card.newest
        return card.revisions[-2], card.revisions[-1]

    def count_up(self) -> None:
        """A second has gone."""
        if self.app.screen is not self or not self.rows:
            return
        self.listing.count_up()
        if any(row.state in MOVING for row in self.rows):
            self.read_again()  # who is still running, and for how long, is known only by asking
            self.refresh_frame()
            return
        card = self.card
        if card is None or self.shows == "pages":
            return
        if card.trial_runs:
            self.read_card()  # likewise what a what-if waits for
        else:
            self.title_line.show(*title_lines(card, packages_words.monotonic()))
