"""Pages in the place Packages: connected ones, what each holds, and how to get one."""

from __future__ import annotations

import webbrowser
from dataclasses import replace
from typing import Any

import pytest

from tests.dynamic.world import B_BAD, B_OK, H_NOP, world
from tests.support.page_server import PageClient, served
from tests.tui.packages_by_hand import NOW, OPEN_PAGES, URL, HandPackages, asking, card, revision
from tests.tui.test_place_packages import looking, running
from tests.tui.test_view_packages import text
from workbench.dynamic import page_extra
from workbench.tui import live_packages
from workbench.tui.hands import browser
from workbench.tui.places.packages import acting
from workbench.tui.view.packages_answer import packages_answer
from workbench.tui.view.packages_data import Effect, PageData
from workbench.tui.view.packages_detail import detail_parts
from workbench.tui.view.packages_pages import NO_PAGES, PagesData, card_pages, how_to_open, overview
from workbench.tui.view.packages_sheet import Ask, sheet_parts
from workbench.tui.view.pieces import plain

HALF = (revision(client="return () => {}"),)


def delivered(**fields: Any) -> Any:
    return card("dyn-4", "running", revisions=HALF, **fields)


# words


def test_the_state_of_each_page() -> None:
    pages = (PageData("page-1", "loaded"), PageData("page-2", "failed", "activate: no seat\x1b"))
    shown = text(tuple(card_pages(delivered(pages=pages, not_loaded_on=("page-2", "page-3")), OPEN_PAGES)))
    assert "1 of 3 loaded" in shown
    assert "● page-1  Firefox 140" in shown
    assert "× page-2  Chromium 131" in shown
    assert "▎ activate: no seat‹ESC›" in shown
    assert "○ page-3" in shown
    assert shown.count("page-2") == 2, "it is named beside its message, and not once more"
    assert "b announces it" in shown


@pytest.mark.parametrize(
    ("pages", "words"),
    [
        (PagesData(is_installed=False), 'pip install "prompt-workbench[page]"'),
        (PagesData(problem="port 80 is in use\x1b"), "No page is served: port 80 is in use‹ESC›"),
        (NO_PAGES, "package_page"),
        (PagesData(URL), "o opens one in your browser, U copies its address:"),
    ],
)
def test_how_to_get_a_page(pages: PagesData, words: str) -> None:
    assert words in text(tuple(how_to_open(pages)))
    assert words in text(detail_parts(card("dyn-4", "delivering", revisions=HALF), Effect(), NOW, pages=pages))
    assert words in text(detail_parts(asking(), Effect(), NOW, pages=pages))


def test_a_long_address_is_shown_in_full() -> None:
    assert URL in text(overview(replace(OPEN_PAGES, pages=()), ())).replace("\n", "")


def test_the_overview_says_what_each_page_holds() -> None:
    one = delivered(pages=(PageData("page-1", "loaded"), PageData("page-2", "asked")))
    shown = text(overview(OPEN_PAGES, [one, delivered(not_loaded_on=("page-2",))]))
    assert "2 pages open" in shown
    assert [shown.count(word) for word in ("loaded", "asked", "not loaded here")] == [2, 1, 1]


def test_of_many_pages_those_with_which_all_is_well_take_one_line() -> None:
    wrong = "activate: no seat"
    states = [
        PageData(f"page-{n}", "failed" if n in (3, 9) else "loaded", wrong * (n in (3, 9))) for n in range(1, 21)
    ]
    one = delivered(pages=tuple(states))
    shown = text(tuple(card_pages(one, OPEN_PAGES)), 200)
    assert "18 of 20 loaded" in shown
    assert "● 18 loaded: page-1, page-2, page-4" in shown
    assert "page-3, page-9:" in shown
    assert shown.count(wrong) == 1
    assert len(shown.splitlines()) == 6
    many = [replace(one, row=replace(one.row, id=f"dyn-{n}")) for n in range(20)]
    shown = text(overview(OPEN_PAGES, many), 200)
    assert shown.count("● 20 loaded: dyn-0, dyn-1, dyn-2") == len(OPEN_PAGES.pages)


def test_the_answer_says_that_one_waits_for_a_page() -> None:
    rows = [card("dyn-4", "delivering", revisions=HALF).row]
    assert plain(packages_answer(rows, (), PagesData(URL), NOW, short=False).sentence).startswith(
        "◐ dyn-4 waits for a page: none is open."
    )
    assert "waits" not in plain(packages_answer(rows, (), OPEN_PAGES, NOW, short=False).sentence)


def test_the_sheet_says_who_would_load_it() -> None:
    ask = Ask("dyn-4", HALF[0], "7f3a", request="req-1")
    assert "2 pages open: Firefox 140, Chromium 131" in text(sheet_parts(replace(ask, pages=OPEN_PAGES)))
    assert "once allowed it waits for one   o open one" in text(sheet_parts(replace(ask, pages=PagesData(URL))))
    assert "o open one" not in text(sheet_parts(ask))
    assert "pages" not in text(sheet_parts(replace(ask, revision=revision())))


# keys


async def test_open_and_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    copied: list[str] = []
    monkeypatch.setattr(acting, "open_address", lambda url: asked.append(url) or len(asked) == 1)
    packages = HandPackages()
    async with looking(packages) as screen:
        monkeypatch.setattr(screen.app, "copy", lambda text, done: copied.append(text))
        await screen.press("o")
        assert "Your browser was asked to open the page." in screen.text()
        await screen.press("o")
        assert "No browser can be started here." in screen.text()
        assert URL[:40] in screen.text()
        screen.packages.told("packages")
        assert screen.packages.said == (), "it ends with the next news"
        await screen.press("escape", "U", "p")
        assert "Connected" in screen.text()
        await screen.press("p")
        assert "Connected" not in screen.text()
    assert (asked, copied) == ([f"{URL}once", f"{URL}once"], [URL])
    assert packages.done == []


@pytest.mark.parametrize("key", ["o", "U"])
async def test_without_a_page_the_key_says_what_to_do(key: str) -> None:
    async with looking(HandPackages(open_pages=NO_PAGES), size=(70, 20)) as screen:
        await screen.press(key)
        assert "This composition serves no page." in screen.text()
        assert "package_page" in screen.text()
        await screen.press("escape")
        assert "Waiting for you" in screen.text()


async def test_the_sheet_opens_the_page_and_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(browser, "open_address", lambda url: asked.append(url) or True)
    packages = HandPackages(open_pages=PagesData(URL))
    async with looking(packages) as screen:
        await screen.press("exclamation_mark", "o")
        assert "Your browser was asked to open the page." in screen.text()
        assert screen.sheet is not None
    assert (asked, packages.done) == ([f"{URL}once"], [])


def test_a_browser_that_draws_on_the_terminal_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    class Graphical(webbrowser.BaseBrowser):
        def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:
            opened.append(url)
            return True

    def no_browser() -> Any:
        raise webbrowser.Error("none")

    for found, expected in (
        (lambda: webbrowser.GenericBrowser("lynx"), False),
        (lambda: webbrowser.GenericBrowser("/usr/bin/w3m"), False),
        (lambda: webbrowser.GenericBrowser("true"), True),  # a program of their own, in `BROWSER`
        (lambda: webbrowser.Elinks("elinks"), False),
        (lambda: webbrowser.BackgroundBrowser(["no-such-program", "%s"]), False),
        (lambda: webbrowser.BackgroundBrowser(["true", "%s"]), True),
        (no_browser, False),
        (Graphical, True),
    ):
        monkeypatch.setattr(webbrowser, "get", found)
        assert browser.open_address(URL) is expected
    assert opened == [URL]


# over a real runner


async def test_pages_come_and_go_and_load() -> None:
    async with served() as made, running(made.world) as screen:
        w = made.world
        await screen.press("5")
        assert made.url[:40] in screen.text()
        assert "no page open" in screen.text()
        tide = await w.define(H_NOP, client=B_OK, name="Tide")
        task = await w.asked(tide)
        await screen.press("exclamation_mark")
        assert "none is open" in screen.text()
        await screen.pilot.press("a")
        await screen.comes("dyn-1 waits for a page: none is open.")
        async with PageClient(made.url, user_agent="Firefox/140.0") as first:
            assert (await task).error is None
            await screen.comes("1 page open")
            await screen.comes("1 of 1 loaded")
            assert f"● {first.id}  Firefox 140" in screen.text()
            async with PageClient(made.url, user_agent="Firefox/141.0") as second:
                await screen.comes("Firefox 141")
                assert "not loaded here" in screen.text()
                await screen.pilot.press("b")
                await screen.comes("2 of 2 loaded")
                assert second.loaded == {tide: "run-1"}
                assert len(first.announced) == 1
                await screen.pilot.press("p")
                await screen.comes("since ")
            await screen.until(lambda: "Firefox 141" not in screen.text())
        await screen.press("p")
        await screen.until(lambda: "No page holds it." in screen.text())
        assert w.state(tide) == "running"


async def test_a_request_that_a_page_answers_leaves_the_sheet() -> None:
    async with served() as made, running(made.world) as screen:
        task = await made.world.asked(await made.world.define(client=B_BAD))
        async with PageClient(made.url) as page:
            await screen.comes("◆1")
            await screen.press("exclamation_mark")
            assert await page.answer("req-1", True)
            assert (await task).error.code == "client-half-failed"
            await screen.comes(f"It does not wait any more: allowed by {page.id}.")
            await screen.press("a", "escape", "5")
            await screen.until(lambda: "Failed: browser half, evaluate" in screen.text())
            assert "◆" not in screen.text()


async def test_what_keeps_a_page_from_being_served_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served() as made, world() as other, running(other) as screen:
        from workbench.page.start import PackagePage, PageConfig

        fiber = other.root.plugin(PackagePage, PageConfig(made.page.port))
        await other.until(lambda: fiber.error is not None)
        await screen.press("5")
        await screen.comes("No page is served: port")
        await fiber.dispose()
        monkeypatch.setattr(page_extra, "is_installed", lambda: False)
        live_packages._has_extra.cache_clear()
        screen.packages.read_again()
        await screen.comes("prompt-workbench[page]")
    live_packages._has_extra.cache_clear()
