"""The way to a request from any place: only a person's key opens it.

Source: docs/tui.md 11.
"""

from __future__ import annotations

from workbench.tui.places.base import Place
from workbench.tui.view.packages_sheet import ask_of
from workbench.tui.widgets.packages_sheet import PackageSheet


async def open_request(place: Place) -> None:
    """The request that is looked at in the place, else the oldest one."""
    subject = place.viewing.subject
    access = subject.packages if subject is not None else None
    queue = list(access.requests()) if access is not None else []
    if access is None or not queue:
        place.say("Nothing waits for your answer.", ())
        return
    if place.app.screen is not place:
        return  # something lies on top already
    looked_at = place.spot() if place.tab.title == "Packages" else None
    at = next((at for at, each in enumerate(queue) if each.package == looked_at), 0)
    sheet = PackageSheet(access, ask_of(queue[at], at + 1, len(queue)), lambda _: None, place.house.copy)
    await place.app.push_screen(sheet)
