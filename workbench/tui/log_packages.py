"""Packages of recorded sessions: records alone. Nothing of them can be started, stopped or asked.

Source: docs/tui.md 11.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from workbench.tui.packages_subject import NotDone, PackagesAccess
from workbench.tui.view.packages_data import PackageCard, PackageRow, RequestData, TrialData
from workbench.tui.view.packages_pages import PagesData

OVER = "a session log holds no package that could run"


class LogPackages(PackagesAccess):
    """What the logs of a tree tell; each track gives its own records when it was read."""

    waiting_count = 0
    is_past = True

    def __init__(self) -> None:
        self._by_track: dict[int, list[PackageCard]] = {}

    def take(self, track: int, cards: list[PackageCard]) -> bool:
        """What is known of a track now; True when that is something else."""
        is_other = self._by_track.get(track, []) != cards
        self._by_track[track] = cards
        return is_other

    def rows(self) -> list[PackageRow]:
        return [card.row for cards in list(self._by_track.values()) for card in reversed(cards)]

    def card(self, key: str) -> PackageCard | None:
        every = (card for cards in list(self._by_track.values()) for card in cards)
        return next((card for card in every if card.row.key == key), None)

    def requests(self) -> Sequence[RequestData]:
        return ()

    def answered(self, request_id: str) -> str:
        return ""

    def report(self, request_id: str) -> str | None:
        return None

    def last_request(self, package_id: str) -> str:
        return ""

    def answer(self, request_id: str, *, allows: bool, reason: str = "") -> bool:
        return False

    async def start(self, package_id: str, revision: int | None = None) -> str:
        _refuse()

    async def stop(self, package_id: str) -> None:
        _refuse()

    async def undefine(self, package_id: str) -> None:
        _refuse()

    async def what_if(self, package_id: str, revision: int) -> TrialData:
        _refuse()

    def trial(self, package_id: str, revision: int) -> TrialData | None:
        return None

    def deliver_again(self, package_id: str) -> bool:
        return False

    def pages(self) -> PagesData:
        return PagesData()

    def url_for_browser(self) -> str:
        return ""


def _refuse() -> NoReturn:
    raise NotDone(OVER)
