"""Pages: which are connected, what each holds of a package, and what to do where there is none.

Source: docs/tui.md 11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from workbench.tui.view.packages_data import PackageCard, PageData
from workbench.tui.view.packages_quote import quoted
from workbench.tui.view.packages_words import clock
from workbench.tui.view.panel import key_words
from workbench.tui.view.pieces import Line, Piece, Role, outside
from workbench.tui.view.registry_document import Drawn, Part, Rows, Text, Title, Words
from workbench.tui.view.sizes import counted, number
from workbench.visible import visible_line

PLUGIN = """plugins:
  - package_page       # serves the page, on this machine alone"""
EXTRA = 'pip install "prompt-workbench[page]"'
SIGNS: Final[Mapping[str, tuple[str, Role]]] = {
    "loaded": ("●", "running"),
    "waiting": ("◌", "waiting"),
    "asked": ("◐", "pending"),
    "failed": ("×", "failed"),
}


class OpenPage(NamedTuple):
    """A page that is connected. Its texts are from outside."""

    id: str
    browser: str = ""
    since: float = 0.0
    """As `time.time()` counts; 0: not known."""


@dataclass(frozen=True, slots=True)
class PagesData:
    """The pages of a runner, and where one is to be had."""

    url: str = ""
    """What opens a page; empty: none is served."""
    pages: tuple[OpenPage, ...] = ()
    problem: str = ""
    """Why none is served, although the composition wants one. Outside text."""
    is_installed: bool = True
    """The extra `page` is there."""

    @property
    def browsers(self) -> dict[str, str]:
        """By page."""
        return {page.id: page.browser for page in self.pages}


@dataclass(frozen=True, slots=True)
class PageKeys:
    """Keys of this person, for sentences."""

    open: str = "o"
    copy: str = "U"
    deliver: str = "b"


DEFAULT_KEYS: Final = PageKeys()
NO_PAGES: Final = PagesData()


def open_words(pages: PagesData) -> str:
    """`2 pages open`."""
    return f"{counted(len(pages.pages), 'page')} open" if pages.pages else "no page open"


def card_pages(card: PackageCard, pages: PagesData, keys: PageKeys = DEFAULT_KEYS) -> Iterator[Part]:
    """The section *Pages* of a card with a browser half."""
    if card.revision.client is None:
        return
    if not card.run:
        if not pages.pages:
            yield Title((Piece("Pages", "soft", bold=True),), (Piece(open_words(pages), "faint"),))
            yield from how_to_open(pages, keys)
        return
    loaded = sum(each.state in ("loaded", "waiting") for each in card.pages)
    told = {each.page for each in card.pages}
    total = len(told.union(card.not_loaded_on))
    right = f"{number(loaded)} of {number(total)} loaded" if total else ""
    yield Title((Piece("Pages", "soft", bold=True),), (Piece(right, "faint"),))
    loaded_pages = [each for each in card.pages if each.state == "loaded"]
    is_many = len(loaded_pages) > FEW
    told_alone = [each for each in card.pages if not (is_many and each.state == "loaded")]
    lines = [_page_line(each, pages.browsers) for each in told_alone]
    lines += [
        (
            (Piece("○ ", "soft"), *_name(page, pages.browsers)),
            (Piece("not loaded here", "soft"),),
        )
        for page in card.not_loaded_on
        if page not in told
    ]
    yield Rows(tuple(lines))
    if is_many:
        yield Words(_all_loaded([each.page for each in loaded_pages]))
    by_message: dict[str, list[str]] = {}
    for each in card.pages:
        if each.message:
            by_message.setdefault(each.message, []).append(each.page)
    for message, of_pages in by_message.items():
        yield Words((*outside(", ".join(of_pages), "soft"), Piece(":", "soft")))
        yield quoted(message)
    if not lines and not is_many:
        words = "It waits until one is open." if card.state == "delivering" else "No page holds it."
        yield Words((Piece(words, "strong"),))
        yield from how_to_open(pages, keys)
    elif card.not_loaded_on and keys.deliver:
        yield Words(key_words(keys.deliver, "announces it to those that do not hold it"))
    if card.render_failure:
        yield Words((Piece("× Something of it crashed after it was loaded:", "failed", bold=True),))
        yield quoted(card.render_failure)


FEW = 6
"""Pages, or packages in a page, that are named one by one though all is well with them."""


def _all_loaded(names: Sequence[str]) -> Line:
    """Those with which all is well, in few lines: what a person looks for is among the others."""
    lead = Piece("● ", "running", bold=True), Piece(f"{number(len(names))} loaded: ", "running")
    return (*lead, *outside(", ".join(names), "soft"))


def _page_line(page: PageData, browsers: Mapping[str, str]) -> tuple[Line, Line]:
    sign, role = SIGNS.get(page.state, ("○", "soft"))
    return (Piece(f"{sign} ", role, bold=True), *_name(page.page, browsers)), (Piece(page.state, role),)


def _name(page: str, browsers: Mapping[str, str]) -> Line:
    browser = browsers.get(page, "")
    return (
        (*outside(page, "strong"), Piece("  "), *outside(browser, "soft")) if browser else outside(page, "strong")
    )


def how_to_open(pages: PagesData, keys: PageKeys = DEFAULT_KEYS) -> Iterator[Part]:
    """The way to a page from here."""
    if not pages.is_installed:
        yield Words(
            (Piece("A page needs the extra ", "text"), Piece("page", "strong", True), Piece(", which is missing:"))
        )
        yield Text(EXTRA, has_numbers=False)
    elif pages.problem:
        yield Words((Piece("× No page is served: ", "failed", bold=True), *outside(pages.problem)))
    elif not pages.url:
        yield Words((Piece("This composition serves no page. Name the plugin in it:", "text"),))
        yield Text(PLUGIN, has_numbers=False)
    else:
        yield Words(
            (
                *key_words(keys.open, "opens one in your browser, "),
                *key_words(keys.copy, "copies its address:"),
            )
        )
        yield address(pages.url)


def address(url: str) -> Drawn:
    """In full, however long: a person may have to type or to pick it out."""
    shown = str(visible_line(url))

    def draw(width: int) -> list[Line]:
        cells = max(8, width)
        return [outside(shown[at : at + cells], "strong") for at in range(0, len(shown), cells)]

    return Drawn(draw)


def overview(pages: PagesData, cards: Sequence[PackageCard], keys: PageKeys = DEFAULT_KEYS) -> tuple[Part, ...]:
    """All pages with what each of them holds; `cards`: live ones with a browser half."""
    return tuple(_overview(pages, cards, keys))


def _overview(pages: PagesData, cards: Sequence[PackageCard], keys: PageKeys) -> Iterator[Part]:
    if not pages.url:
        yield from how_to_open(pages, keys)
    else:
        yield address(pages.url)
        yield Words(
            (
                *key_words(keys.open, "opens a page in your browser, "),
                *key_words(
                    keys.copy,
                    "copies the address. Whoever has it may allow packages to run; each start has another one.",
                ),
            )
        )
    yield Title((Piece("Connected", "soft", bold=True),), (Piece(open_words(pages), "faint"),))
    if not pages.pages:
        yield Words((Piece("No page is open. What was allowed waits until one is.", "soft"),))
    for page in pages.pages:
        since = (Piece(f"since {clock(page.since)}", "soft"),) if page.since else ()
        yield Rows((((Piece("● ", "running"), *_name(page.id, pages.browsers)), since),))
        loaded = [
            card.id for card in cards if any(at.page == page.id and at.state == "loaded" for at in card.pages)
        ]
        is_many = len(loaded) > FEW
        alone = [card for card in cards if not (is_many and card.id in loaded)]
        yield Rows(tuple(line for card in alone for line in _held(card, page.id)))
        if is_many:
            yield Words((Piece("  "), *_all_loaded(loaded)))


def _held(card: PackageCard, page: str) -> Iterator[tuple[Line, Line]]:
    name = (*outside(card.id, "strong"), Piece("  "), *outside(card.row.name))
    for each in card.pages:
        if each.page == page:
            sign, role = SIGNS.get(each.state, ("○", "soft"))
            yield (Piece(f"  {sign} ", role), *name), (Piece(each.state, role),)
    if page in card.not_loaded_on and page not in {each.page for each in card.pages}:
        yield (Piece("  ○ ", "soft"), *name), (Piece("not loaded here", "soft"),)
