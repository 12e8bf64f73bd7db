"""What the place Packages asks of what is looked at: its packages, and what a person can do with them.

Source: docs/tui.md 11.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from workbench.tui.view.packages_data import PackageCard, PackageRow, RequestData, TrialData
from workbench.tui.view.packages_pages import PagesData


class NotDone(Exception):
    """What a person asked for was refused; `str()` says why. Outside text."""


class PackagesAccess(Protocol):
    """The packages of a subject, and what a person can do with them. Acts raise `NotDone`."""

    @property
    def waiting_count(self) -> int:
        """Requests that wait for a person: the badge."""
        ...

    @property
    def is_past(self) -> bool:
        """Nothing of them can run any more: there are records alone."""
        ...

    def rows(self) -> Sequence[PackageRow]:
        """All of them, live ones in the order of their ids, then records, the newest first."""
        ...

    def card(self, package_id: str) -> PackageCard | None:
        """Everything about the one with that key; None: there is none any more."""
        ...

    def requests(self) -> Sequence[RequestData]:
        """The queue, oldest first."""
        ...

    def answered(self, request_id: str) -> str:
        """How a request that is over has ended, in a few words; empty: nobody knows it."""
        ...

    def report(self, request_id: str) -> str | None:
        """The report of a request, also of one that is over; None: it is not known any more."""
        ...

    def last_request(self, package_id: str) -> str:
        """Id of the last request of a package; empty: there was none."""
        ...

    def answer(self, request_id: str, *, allows: bool, reason: str = "") -> bool:
        """False: it came too late, and changes nothing."""
        ...

    async def start(self, package_id: str, revision: int | None = None) -> str:
        """What became of it, in words."""
        ...

    async def stop(self, package_id: str) -> None:
        """Returns when nothing of it runs."""
        ...

    async def undefine(self, package_id: str) -> None:
        """Stops it if needed, and forgets it."""
        ...

    async def what_if(self, package_id: str, revision: int) -> TrialData:
        """Executes its host half, and undoes it."""
        ...

    def trial(self, package_id: str, revision: int) -> TrialData | None:
        """What the last what-if of that revision has shown."""
        ...

    def deliver_again(self, package_id: str) -> bool:
        """Announces the browser half to all pages that do not hold it."""
        ...

    def pages(self) -> PagesData:
        """Those that are connected, and where one is to be had."""
        ...

    def url_for_browser(self) -> str:
        """What a browser is started with to open a page: good for once. Empty where no page is served."""
        ...
