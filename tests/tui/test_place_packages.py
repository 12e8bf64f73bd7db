"""The place Packages and its sheet, driven as a person drives them, by hand and over a real runner."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

import tests.support.previews as p
from tests.dynamic.world import B_OK, H_GREET, H_HI, H_SEC, World, world
from tests.tui.conftest import Screen
from tests.tui.packages_by_hand import HandPackages, card, lived_in, revision
from workbench.tui.app import WorkbenchApp
from workbench.tui.places.packages.place import PackagesPlace
from workbench.tui.widgets.packages_sheet import PackageSheet


class PackagesScreen(Screen):
    """The workbench with the place Packages in front."""

    @property
    def packages(self) -> PackagesPlace:
        place = self.app.place
        assert isinstance(place, PackagesPlace)
        return place

    @property
    def sheet(self) -> PackageSheet | None:
        return self.app.screen if isinstance(self.app.screen, PackageSheet) else None


@asynccontextmanager
async def looking(
    packages: HandPackages | None, size: tuple[int, int] = (120, 40), key: str = "5"
) -> AsyncIterator[PackagesScreen]:
    app = WorkbenchApp(p.FakeSubject(packages=packages))
    async with app.run_test(size=size) as pilot:
        screen = PackagesScreen(pilot, p.FakeSubject())
        await screen.settle()
        await screen.press(key)
        yield screen


@asynccontextmanager
async def running(made: World, size: tuple[int, int] = (120, 40)) -> AsyncIterator[PackagesScreen]:
    app = WorkbenchApp(made.rt)
    async with app.run_test(size=size) as pilot:
        screen = PackagesScreen(pilot, p.FakeSubject())
        await screen.settle()
        yield screen


async def test_without_a_runner_it_says_how_to_get_one() -> None:
    async with looking(None) as screen:
        assert "Dynamic packages are off in this composition." in screen.text()
        assert "package_runner" in screen.text()
        await screen.press("x", "r", "w", "u", "v", "d", "o", "b", "y", "exclamation_mark")
        assert screen.sheet is None


@pytest.mark.parametrize("key", ["1", "2", "3", "4", "5", "6"])
async def test_the_badge_stands_in_every_place(key: str) -> None:
    async with looking(HandPackages(), key=key) as screen:
        assert "5 Packages ◆1" in screen.text()
        await screen.press("exclamation_mark")
        assert screen.sheet is not None
        assert "dyn-4 wants to run" in screen.text()


async def test_looking_executes_nothing() -> None:
    packages = HandPackages()
    async with looking(packages) as screen:
        for _ in lived_in():
            await screen.press("down", "v", "v", "tab", "down", "tab")
        await screen.press("exclamation_mark", "v", "v", "escape")
    assert packages.done == []


async def test_escape_leaves_it_waiting_and_no_other_key_answers() -> None:
    packages = HandPackages()
    async with looking(packages) as screen:
        await screen.press("exclamation_mark")
        await screen.press("exclamation_mark", "enter", "space", "s", "y", "x", "r", "u")
        assert screen.sheet is not None
        await screen.press("escape")
        assert screen.sheet is None
        assert packages.done == []
        assert "◆1" in screen.text()


async def test_allow_and_a_double_press_acts_once() -> None:
    two = [
        card(f"dyn-{number}", "awaiting-approval", revisions=(revision(client="x"),), request=f"req-{number}")
        for number in (1, 2)
    ]
    packages = HandPackages(two)
    async with looking(packages) as screen:
        await screen.press("exclamation_mark")
        await screen.press("a", "a", "a")
        assert packages.done == [("answer", "req-1", True, "", True)]
        assert screen.sheet is None
        assert packages.waiting_count == 1
        screen.packages.told("packages")
        await screen.settle()
        assert "5 Packages ◆1" in screen.text()


async def test_deny_with_a_reason() -> None:
    packages = HandPackages()
    async with looking(packages) as screen:
        await screen.press("exclamation_mark", "d", "n", "a", "d", "enter")
        assert packages.done == [("answer", "req-1", False, "nad", True)]
        assert screen.sheet is None


async def test_a_denial_can_be_left_before_it_is_sent() -> None:
    packages = HandPackages()
    async with looking(packages) as screen:
        await screen.press("exclamation_mark", "d", "n")
        assert "enter deny" in screen.text(), "letters are no keys there"
        await screen.press("escape")
        assert "v code" in screen.text()
        assert screen.sheet is not None
        assert packages.done == []
        await screen.press("a")
        assert packages.done == [("answer", "req-1", True, "", True)]


async def test_answered_elsewhere_meanwhile() -> None:
    packages = HandPackages()
    async with looking(packages) as screen:
        await screen.press("exclamation_mark")
        packages.queue = []
        assert screen.sheet is not None
        screen.sheet.packages_changed()
        await screen.settle()
        assert "It does not wait any more: allowed by page-1." in screen.text()
        await screen.press("a")
        assert packages.done == []


async def test_a_what_if_on_the_sheet_decides_nothing() -> None:
    packages = HandPackages()
    async with looking(packages) as screen:
        await screen.press("exclamation_mark", "w")
        assert packages.done == [("what-if", "dyn-4", 1)]
        assert "breaks at token" in screen.text()
        assert packages.waiting_count == 1


async def test_a_what_if_in_the_place_is_asked_first() -> None:
    packages = HandPackages()
    async with looking(packages) as screen:
        screen.packages.show_target("dyn-1")
        await screen.press("w")
        assert "executes the code of its host half" in " ".join(screen.text().split())
        await screen.press("w", "enter", "escape")
        assert packages.done == []
        await screen.press("w", "t")
        assert packages.done == [("what-if", "dyn-1", 1)]
        assert "tried and undone" in screen.text()


async def test_start_stop_and_undefine() -> None:
    packages = HandPackages()
    async with looking(packages) as screen:
        screen.packages.show_target("dyn-1")
        await screen.press("r")
        assert "dyn-1 r1: start it?" in screen.text()
        await screen.press("r", "a", "d")
        assert packages.done == []
        await screen.press("s")
        assert packages.done == [("start", "dyn-1", 1)]
        assert "dyn-1 r1 is running." in screen.text()
        screen.packages.show_target("dyn-5")
        await screen.press("x")
        assert packages.done[-1] == ("stop", "dyn-5")
        assert "nothing left" in screen.text()
        await screen.press("u", "u")
        assert packages.done[-1] == ("stop", "dyn-5")
        await screen.press("y")
        assert packages.done[-1] == ("undefine", "dyn-5")


async def test_a_stop_that_others_depend_on_is_asked_first() -> None:
    packages = HandPackages()
    async with looking(packages) as screen:
        screen.packages.show_target("dyn-2")
        await screen.press("x")
        assert packages.done == []
        assert "dyn-7:Digest waits again." in screen.text()
        await screen.press("y")
        assert packages.done == [("stop", "dyn-2")]


async def test_an_older_revision() -> None:
    packages = HandPackages()
    async with looking(packages) as screen:
        screen.packages.show_target("dyn-3")
        await screen.press("e", "down", "enter")
        assert "dyn-3 r1: start it?" in screen.text()
        await screen.press("s")
        assert packages.done == [("start", "dyn-3", 1)]


async def test_a_refusal_is_said() -> None:
    async with looking(HandPackages(refusal="it is\x1b moving\nmore")) as screen:
        screen.packages.show_target("dyn-5")
        await screen.press("x")
        assert "× stop dyn-5: it is‹ESC› moving" in screen.text()


async def test_the_report_is_copied_with_its_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []
    async with looking(HandPackages()) as screen:
        monkeypatch.setattr(screen.app, "copy", lambda text, done: copied.append(text))
        screen.packages.show_target("dyn-4")
        await screen.press("y", "exclamation_mark", "y")
    assert copied == ["Request req-1: asked‹ESC›[31m"] * 2


async def test_by_mouse() -> None:
    packages = HandPackages()
    async with looking(packages) as screen:
        await screen.pilot.click("PackageList", offset=(8, 1))
        await screen.settle()
        assert screen.packages.chosen == "dyn-4"
        await screen.pilot.click("PackageList", offset=(7, 3))
        await screen.settle()
        assert screen.sheet is not None
        await screen.pilot.click("SheetButtons", offset=(5, 0))
        await screen.settle()
        assert packages.done == [("answer", "req-1", True, "", True)]


@pytest.mark.parametrize("count", [0, 1, 3000])
async def test_any_number_of_cards(count: int) -> None:
    cards = [card(f"dyn-{number}", "running") for number in range(1, count + 1)]
    async with looking(HandPackages(cards), size=(80, 24)) as screen:
        await screen.press("end", "pagedown", "pageup", "home", "end")
        assert screen.packages.chosen == (f"dyn-{count}" if count else "")


async def test_one_pane_where_there_is_no_room() -> None:
    async with looking(HandPackages(), size=(70, 20)) as screen:
        assert "Waiting for you" in screen.text()
        assert "Registered" not in screen.text()
        await screen.press("down", "enter")
        assert "Registered" in screen.text()
        assert "Waiting for you" not in screen.text()
        await screen.press("left")
        assert "Waiting for you" in screen.text()


# over a real runner


async def test_a_request_is_tried_and_allowed() -> None:
    async with world() as made, running(made) as screen:
        asking = await made.define(H_SEC, client=B_OK, name="Token meter")
        made.page("page-1")
        task = await made.asked(asking)
        await screen.until(lambda: "◆1" in screen.text())
        assert screen.sheet is None, "it never opens by itself"
        await screen.press("exclamation_mark", "w")
        await screen.until(lambda: "breaks at token" in screen.text())
        assert "section   x:note" in screen.text()
        assert "nothing left" in screen.text()
        assert made.state(asking) == "awaiting-approval"
        await screen.press("a")
        assert (await task).error is None
        await screen.until(lambda: "◆1" not in screen.text())
        assert made.state(asking) == "running"
        report = screen.app.viewing.subject.packages.report("req-1")  # type: ignore[union-attr]
        assert report is not None
        assert "answer: allowed by tui" in report
        assert "residue: nothing left" in report


async def test_a_cancelled_turn_takes_the_buttons_away() -> None:
    async with world() as made, running(made) as screen:
        asking = await made.define(H_SEC, client=B_OK)
        task = await made.asked(asking)
        await screen.until(lambda: "◆1" in screen.text())
        await screen.press("exclamation_mark")
        await made.people.stop(asking)
        await screen.until(lambda: "It does not wait any more: cancelled." in screen.text())
        await screen.press("a")
        assert (await task).error.code == "cancelled"


async def test_a_life_seen_from_the_place() -> None:
    async with world() as made, running(made) as screen:
        greeter, greeting = await made.started(H_GREET, name="Greeter"), await made.started(H_HI, name="Hi")
        await screen.press("5")
        screen.packages.show_target(greeter)
        await screen.settle()
        assert f"{greeting}:hi waits again" in screen.text()
        await screen.press("x", "y")
        await screen.until(lambda: made.state(greeter) == "stopped" and "waits for greeter" in screen.text())
        assert "stopped, nothing left." in screen.text()
        assert "entries searched" in screen.text()
        await screen.press("r", "s")
        await screen.until(lambda: made.state(greeting) == "running" and "is running" in screen.text())
        await made.people.stop(greeter)
        await screen.until(lambda: "waits for greeter" in screen.text())
        assert "is running." not in screen.text(), "what was said is over with the state that it told"
        await screen.press("u", "y")
        await screen.until(lambda: "Records" in screen.text())
        assert made.dynamic.package(greeter) is None


async def test_prints_and_errors_are_outside_text() -> None:
    code = 'def apply(ctx):\n    print("\\x1b[31mred")\n    raise KeyError("\\x1b[2J")\n'
    async with world() as made, running(made) as screen:
        failed = await made.define(code)
        await made.refused("S1", "cordis_run", id=failed)
        await screen.press("5")
        await screen.until(lambda: "Failed: host half, apply" in screen.text())
        assert "\x1b" not in screen.text()
        assert "‹ESC›[31mred" in screen.text()


H_WAITS = """inject = ["timer", "system_prompt"]
async def apply(ctx):
    ctx.system_prompt.section("x:s", 1, "S")
    await ctx.timeout(3600)
"""


async def test_a_what_if_in_the_place_is_ended_by_escape() -> None:
    async with world(budget_ms=600_000) as made, running(made) as screen:
        slow = await made.define(H_WAITS)
        made.package(slow).newest.is_probed = True
        await screen.press("5")
        before = await made.facts()
        await screen.pilot.press("w", "t")
        await screen.comes("end and undo it")
        await screen.comes("Its code is executed now.")
        await screen.pilot.press("escape")
        await screen.until(lambda: "ended before it was over, and undone." in screen.text())
        assert "Ended before it was over, and undone." in screen.text()
        assert "nothing left" in screen.text()
        assert "end and undo it" not in screen.text()
        assert made.state(slow) == "defined"
        assert await made.facts() == before


async def test_a_what_if_that_waits_for_its_turn_says_for_what_and_is_called_off() -> None:
    async with world(budget_ms=600_000) as made, running(made) as screen:
        busy, other = await made.define(H_WAITS), await made.define(H_SEC)
        made.package(busy).newest.is_probed = True
        starting = made.running("S1", "cordis_run", id=busy)
        await made.until(lambda: made.state(busy) == "starting")
        await screen.press("5")
        screen.packages.show_target(other)
        await screen.pilot.press("w", "t")
        await screen.comes(f"{busy} is starting")
        await screen.comes("Nothing was executed yet.")
        await screen.pilot.press("escape")
        await screen.until(lambda: "Called off before it began." in screen.text())
        await made.people.stop(busy)
        await starting
