"""What others are told of pages; it needs none of the server's libraries.

Source: docs/page.md 6.
"""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core import Event

PAGE_CHANGE = Event("page/change", "emit")
"""A page has connected or gone."""


@dataclass(frozen=True, slots=True)
class ConnectedPage:
    """One page, for those who show which ones there are."""

    id: str
    connected_at: float
    """`time.time()`."""
    browser: str
    """Short, such as `Firefox 140`; empty where it does not say. From outside: shown through `visible` alone."""
