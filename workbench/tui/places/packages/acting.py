"""What a person can do with packages. Each act is a worker: a slow stop keeps nobody from looking around."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from textual.worker import Worker

from workbench.tui.hands.browser import open_address
from workbench.tui.packages_colours import colours_of
from workbench.tui.packages_subject import NotDone
from workbench.tui.places.packages.showing import Showing
from workbench.tui.view.packages_data import PackageCard
from workbench.tui.view.packages_sheet import Ask
from workbench.tui.view.packages_words import EXECUTES
from workbench.tui.view.picker import Item
from workbench.tui.view.pieces import Line, Piece, outside
from workbench.tui.view.question import Choice, Question
from workbench.tui.view.sizes import counted
from workbench.tui.widgets.lines import Lines
from workbench.tui.workers import runs, start_worker
from workbench.visible import visible_line

ACTS = "packages act"
UNTIL_NEWS = ("", "the page")
"""What was said is of no package."""


class Acting(Showing):
    """The commands of the place."""

    _trial: Worker[None] | None = None
    """The what-if that was begun here last, of `_trial_of`."""
    _trial_of = ""
    _said_of: tuple[str, str] | None = None
    """The package that an act was told of, and its state then."""

    # controls

    async def action_stop(self) -> None:
        card = self._card_with("stop", "It does not run.")
        if card is None:
            return
        if not card.dependents:
            self._stop(card)
            return
        waits = "waits" if len(card.dependents) == 1 else "wait"
        facts: tuple[Line, ...] = ((*outside(", ".join(card.dependents), "strong"), Piece(f" {waits} again.")),)
        title: Line = (
            Piece("Stop ", "strong", True),
            *outside(card.id, "strong", bold=True),
            Piece("?", "strong", True),
        )
        await self._ask(title, facts, ("y", "yes, stop it"), partial(self._stop, card))

    def _stop(self, card: PackageCard) -> None:
        access = self.access
        if access is not None:
            self._act("stop", card.id, lambda: access.stop(card.id), lambda _: self._proof(card.id))

    def _proof(self, package_id: str) -> Line:
        card = self.access.card(package_id) if self.access is not None else None
        stopped: Line = (*outside(package_id, "strong", bold=True), Piece(" stopped", "strong", True))
        if card is None or card.residue is None:
            return (Piece("✓ ", "running"), *stopped, Piece("."))
        if card.residue.left:
            return (Piece("× ", "failed", bold=True), *stopped, Piece(", but something is left of it."))
        return (Piece("✓ ", "running"), *stopped, Piece(", nothing left."))

    async def action_undefine(self) -> None:
        card = self._card_with("undefine", "There is nothing to undefine.")
        if card is None:
            return
        facts: list[Line] = [(Piece("All its revisions are forgotten, and its id is invalid from then on."),)]
        if card.run:
            facts.append((Piece("It is stopped first.", "soft"),))
        title: Line = (
            Piece("Undefine ", "strong", True),
            *outside(card.id, "strong", bold=True),
            Piece("?", "strong", True),
        )
        await self._ask(title, tuple(facts), ("y", "yes, forget it"), partial(self._undefine, card.id))

    def _undefine(self, package_id: str) -> None:
        access = self.access
        if access is not None:
            done: Line = (Piece("✓ ", "running"), *outside(package_id, "strong", bold=True), Piece(" undefined."))
            self._act("undefine", package_id, lambda: access.undefine(package_id), lambda _: done)

    def action_start(self) -> None:
        card = self.card
        if card is not None and card.row.request:
            self.say("It waits for your answer already.", ())
            return
        card = self._card_with("start", "There is nothing to start.")
        if card is not None:
            self._open_start(card, card.newest.number)

    async def action_older(self) -> None:
        card = self._card_with("start older", "It has one revision only.")
        if card is None:
            return
        from workbench.tui.widgets.picker import pick

        items = [
            Item(str(each.number), f"r{each.number}  {each.name}", each.purpose.partition("\n")[0])
            for each in reversed(card.revisions)
        ]
        await pick(self.app, items, "revision", lambda number: self._open_start(card, int(number)))

    def _open_start(self, card: PackageCard, number: int) -> None:
        """The question comes first, with a what-if to be had before it is answered."""
        access, revision = self.access, card.numbered(number)
        if access is None or revision is None:
            return
        from workbench.tui.widgets.packages_sheet import PackageSheet

        can_try = revision.code is not None and not card.run
        ask = Ask(card.id, revision, card.row.session, trial=access.trial(card.id, number), can_try=can_try)
        self.app.push_screen(PackageSheet(access, ask, self._start, self.house.copy))

    def _start(self, ask: Ask) -> None:
        access = self.access
        if access is not None:

            def told(words: str) -> Line:
                return (Piece("✓ ", "running"), *outside(words, "strong", bold=True), Piece("."))

            self._act("start", ask.package, lambda: access.start(ask.package, ask.revision.number), told)

    async def action_what_if(self) -> None:
        card = self._card_with("what-if", "Nothing of it can be tried while it runs, or without a host half.")
        if card is None:
            return
        name = outside(card.id, "strong", bold=True)
        title: Line = (Piece("Try ", "strong", True), *name, Piece(f" r{card.revision.number}?", "strong", True))
        facts: tuple[Line, ...] = (
            (Piece("◆ ", "pending", bold=True), Piece(EXECUTES)),
            (Piece("Nothing else is assembled or started meanwhile. It decides nothing.", "soft"),),
        )
        await self._ask(title, facts, ("t", "try it"), partial(self._what_if, card))

    def _what_if(self, card: PackageCard) -> None:
        access = self.access
        if access is not None:
            tried: Line = (
                Piece("✓ ", "running"),
                *outside(card.id, "strong", bold=True),
                Piece(" tried and undone."),
            )
            number = card.revision.number
            self._trial = self._act("what-if of", card.id, lambda: access.what_if(card.id, number), lambda _: tried)
            self._trial_of = card.id

    @property
    def is_trying(self) -> bool:
        """A what-if that was begun here is under way."""
        return runs(self._trial)

    def _end_trial(self) -> bool:
        """Ends the what-if that was begun here, which undoes it; False: there is none."""
        trial = self._trial
        if trial is None or not self.is_trying:
            return False
        if not trial.is_cancelled:
            trial.cancel()
            self.said = (
                Piece("◐ ", "pending"),
                *outside(f"what-if of {self._trial_of} ends, and is undone"),
                Piece(" …"),
            )
            self.refresh_frame()
        return True

    # pages

    def action_deliver(self) -> None:
        card = self._card_with("deliver again", "It has no browser half that runs.")
        if card is None or self.access is None:
            return
        pages = self.access.pages()
        if not pages.pages:
            self.say("No page is open.", ())
            return
        self.access.deliver_again(card.id)
        self.say(
            f"Announced to {counted(len(pages.pages), 'open page')}; one that holds it already stays as it is."
        )

    def action_pages(self) -> None:
        if self.shows == "pages":
            self.action_leave()
        elif self.access is not None and not self.access.is_past:
            self._show_about_pages()

    def _show_about_pages(self) -> None:
        self.shows = "pages"
        self.page.focus()  # on a small screen it stands behind the list
        self.show_page()

    def action_open_page(self) -> None:
        if self._address() and self.access is not None:
            url = self.access.url_for_browser()
            start_worker(self, partial(self._open_page, url), group="packages browser")

    async def _open_page(self, url: str) -> None:
        if await asyncio.to_thread(open_address, url):
            self.said = (Piece("✓ ", "running"), Piece("Your browser was asked to open the page."))
        else:
            self.said = (Piece("– ", "soft"), Piece("No browser can be started here. Open the address below."))
            self._show_about_pages()
        self._said_of = UNTIL_NEWS
        self.refresh_frame()

    def action_copy_address(self) -> None:
        url = self._address()
        if url:
            self.house.copy(url, self.say)

    def _address(self) -> str:
        """Of the page; where none is served, what to do is shown instead."""
        access = self.access
        url = access.pages().url if access is not None else ""
        if not url and access is not None and not access.is_past:
            self._show_about_pages()
            self.say("No page is served here.", ())
        return url

    # looking

    def action_sources(self) -> None:
        card = self.card
        if card is None:
            return
        self.shows = "" if self.shows == "sources" else "sources"
        if self.shows and any(
            each is not None and each not in self.colours for each in (card.revision.code, card.revision.client)
        ):
            start_worker(self, partial(self._colour, card), group="packages colours")
        self.show_page()

    async def _colour(self, card: PackageCard) -> None:
        self.colours = await colours_of(card.revision, self.colours)
        self.show_page()

    def action_difference(self) -> None:
        card = self.card
        if card is None or self.pair(card) is None:
            self.say("It has one revision only.", ())
            return
        self.shows = "" if self.shows == "difference" else "difference"
        self.show_page()

    def action_copy(self) -> None:
        text = self.text_to_copy()
        if text is None:
            self.say("There is no text to copy here.", ())
        else:
            self.house.copy(text, self.say)

    def text_to_copy(self) -> str | None:
        """What is picked out, else the sources that are shown, the report of the last request, or the card."""
        card, access = self.card, self.access
        selected = self.selected_text
        if selected or card is None or access is None:
            return selected
        if self.shows == "sources":
            halves = [each for each in (card.revision.code, card.revision.client) if each is not None]
            return "\n".join(halves) or None
        report = access.report(access.last_request(card.id))
        text = report if report is not None else _card_text(card)
        return "\n".join(str(visible_line(line)) for line in text.split("\n"))

    def action_leave(self) -> None:
        if self._end_trial():
            return
        if self.shows:
            was_shown, self.shows = self.shows, ""
            self.show_page()
            if was_shown == "pages" and self.rows:
                self.focus_list()
        elif self.page.has_focus:
            self.focus_list()

    def action_other_pane(self) -> None:
        front: Lines = self.listing if self.page.has_focus else self.page
        if front is self.listing:
            self.focus_list()
        else:
            front.focus()

    def focus_list(self) -> None:
        """Back to the list."""
        self.query_one("#left").remove_class("-behind")
        self.listing.focus()

    # work

    def _card_with(self, control: str, else_say: str) -> PackageCard | None:
        if self.card is not None and control in self.card.controls:
            return self.card
        self.say(else_say, ())
        return None

    def _act(
        self, verb: str, package_id: str, work: Callable[[], Awaitable[Any]], told: Callable[[Any], Line]
    ) -> Worker[None]:
        self.said = (Piece("◐ ", "pending"), *outside(f"{verb} {package_id}"), Piece(" …"))
        self._said_of = None
        self.refresh_frame()
        return start_worker(self, partial(self._done, verb, package_id, work, told), group=ACTS)

    def forget_said(self) -> None:
        """What was said of a package is over once that is in another state; of the page, with any news."""
        if self._said_of is not None and self._state_of(self._said_of[0]) != self._said_of:
            self.said, self._said_of = (), None

    def _state_of(self, package_id: str) -> tuple[str, str]:
        """Empty for one that is not there any more."""
        states = (row.state for row in self.rows if row.id == package_id and row.group != "Records")
        return package_id, next(states, "")

    async def _done(
        self, verb: str, package_id: str, work: Callable[[], Awaitable[Any]], told: Callable[[Any], Line]
    ) -> None:
        words = f"{verb} {package_id}"
        try:
            result = await work()
        except asyncio.CancelledError:
            self.said = (Piece("– ", "soft"), *outside(words), Piece(" ended before it was over, and undone."))
            self.read_again()
            self.refresh_frame()
            raise
        except NotDone as refused:
            first = str(refused).partition("\n")[0]
            self.said = (Piece("× ", "failed", bold=True), *outside(f"{words}: {first}"))
        except Exception as error:
            self.said = (Piece("× ", "failed", bold=True), *outside(f"{words}: {type(error).__name__}: {error}"))
        else:
            self.said = told(result)
        self.read_again()
        self._said_of = self._state_of(package_id)
        self.refresh_frame()

    async def _ask(
        self, title: Line, facts: tuple[Line, ...], yes: tuple[str, str], agreed: Callable[[], None]
    ) -> None:
        from workbench.tui.widgets.confirm import Confirm

        def answered(value: bool | None) -> None:
            if value:
                agreed()

        choices = Choice(yes[0], yes[1], True), Choice("n", "no", False)
        await self.app.push_screen(Confirm(Question(title, facts, choices)), answered)


def _card_text(card: PackageCard) -> str:
    lines = [
        f"Package {card.id} r{card.row.revision} ({card.row.name})",
        f"owner: session {card.row.session}",
        f"purpose: {card.revision.purpose}",
        f"state: {card.state}{f', {card.run}' if card.run else ''}",
        *(f"registered: {each.kind} {each.name}" for each in card.registrations),
    ]
    if card.error is not None:
        lines.append(f"last error: {card.error.reason} {card.error.stage}: {card.error.message}")
    if card.residue is not None:
        left = ", ".join(f"{kind} {name}" for kind, name in card.residue.left)
        lines.append(f"residue of the last stop: {left or 'nothing left'}")
    return "\n".join(lines)
