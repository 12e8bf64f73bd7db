"""Finding words in the names and in the text of what is sent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from workbench.tui.view.draw import Match
from workbench.tui.view.layout import Layout
from workbench.tui.view.page import Page, PageName

LIMIT = 10_000
"""Matches after which a search stops; it says so."""


class Hit(NamedTuple):
    """One place that was found."""

    page: PageName
    block: int
    match: Match


def pattern_for(query: str) -> re.Pattern[str] | None:
    """What to look for: the words as they stand; an upper-case letter makes case count. None for nothing."""
    if not query:
        return None
    return re.compile(re.escape(query), 0 if any(map(str.isupper, query)) else re.IGNORECASE)


def hits(pages: Iterable[Page], pattern: re.Pattern[str]) -> list[Hit]:
    """All places in page order, at most `LIMIT`."""
    found: list[Hit] = []
    for page in pages:
        for index, block in enumerate(page.blocks):
            for match in pattern.finditer(block.content.text):
                if match.end() > match.start():
                    found.append(Hit(page.name, index, Match(match.start(), match.end())))
                    if len(found) == LIMIT:
                        return found
    return found


def by_block(found: Iterable[Hit], page: PageName) -> dict[int, list[Match]]:
    """The places of one page, by block."""
    matches: dict[int, list[Match]] = {}
    for hit in found:
        if hit.page == page:
            matches.setdefault(hit.block, []).append(hit.match)
    return matches


def rough_places(layout: Layout, matches: Mapping[int, Sequence[Match]]) -> list[float]:
    """About where on the page the matches are, between 0 and 1: nothing is measured for it."""
    total, blocks = layout.total, layout.page.blocks
    places = set[float]()
    for index, found in matches.items() if total else ():
        start = layout.row_of_block(index)
        behind = layout.row_of_block(index + 1) if index + 1 < len(blocks) else total
        length = len(blocks[index].content.text) or 1
        places |= {(start + (behind - start) * match.start / length) / total for match in found}
    return sorted(places)
