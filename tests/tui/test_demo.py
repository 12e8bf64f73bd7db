"""The walk for presenters: every step comes, there and back, on its sample."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.page_server import PageClient, until
from tests.tui.at_rest import settled
from workbench.dynamic.page_extra import is_installed
from workbench.tui.commands import command
from workbench.tui.demo.app import DemoApp
from workbench.tui.demo.caption import Caption, caption_lines
from workbench.tui.demo.steps import STEPS
from workbench.tui.live_sessions import LiveTalk
from workbench.tui.opener import Opener
from workbench.tui.places.packages import acting
from workbench.tui.view.pieces import plain, width_of
from workbench.tui.widgets.packages_sheet import PackageSheet


async def test_all_steps_there_and_back(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(acting, "open_address", lambda url: asked.append(url) or True)
    app = DemoApp(open_file=lambda file: opener.open(file))
    opener = Opener(app)
    opener.open(STEPS[0].sample)
    opening = asyncio.create_task(opener.run())
    async with app.run_test(size=(120, 40)) as pilot:
        seen = []
        for keys in ["space"] * (len(STEPS) - 1) + ["backspace"] * 2:
            await asyncio.wait_for(app.is_ready.wait(), 60)
            await settled(pilot)
            seen.append(_shown(app))
            await pilot.press(keys)
        await asyncio.wait_for(app.is_ready.wait(), 60)
        seen.append(_shown(app))
        count = len(STEPS)
        assert seen == [(step.place, step.sample, number) for number, step in enumerate(STEPS)] + [
            (STEPS[count - 2].place, STEPS[count - 2].sample, count - 2),
            (STEPS[count - 3].place, STEPS[count - 3].sample, count - 3),
        ]
        packages = app.viewing.subject.packages  # type: ignore[union-attr]
        assert packages is not None
        await until(lambda: len(asked) == 2)  # on the way there and on the way back; a thread does it
        address = packages.pages().url.rsplit("/", 2)[0]
        assert [url.rpartition("/")[0] for url in asked] == [f"{address}/open"] * 2
        assert packages.report("req-1").endswith("outcome: cancelled")  # type: ignore[union-attr]
        await pilot.press("q")
    opening.cancel()
    await asyncio.gather(opening, return_exceptions=True)


def _shown(app: DemoApp) -> tuple[str, str, int]:
    caption = app.screen.query_one(Caption)
    assert caption.region.height >= 2
    assert app.viewing.subject is not None
    return app.place.tab.title, app.viewing.subject.name, app.at


def test_steps_name_commands_that_exist_and_captions_fit() -> None:
    for step in STEPS:
        for each in (*step.commands, *step.undo, *step.then, *step.asked):
            assert command(each)
        keys = " ".join(command(each).key_label for each in step.asked)
        for width in (38, 76, 196):
            lines = caption_lines(step.caption, 1, len(STEPS), keys, width)
            assert all(width_of(line) <= max(width, 44) for line in lines)
        assert len(caption_lines(step.caption, 1, 9, keys, 76)) <= 5


@pytest.mark.skipif(not is_installed(), reason="needs the extra `page`")
async def test_a_walk_in_a_hurry_says_all_that_has_to_be_said() -> None:
    steps = [step for step in STEPS if step.sample == "packages-live"][:3]
    app = DemoApp(open_file=lambda file: opener.open(file), steps=steps)
    opener = Opener(app)
    opener.open(steps[0].sample)
    opening = asyncio.create_task(opener.run())
    async with app.run_test(size=(120, 40)) as pilot:
        app.action_next_step()
        await pilot.pause()
        app.action_next_step()
        await asyncio.wait_for(app.is_ready.wait(), 60)
        await settled(pilot)
        assert isinstance(app.screen, PackageSheet)
        assert app.screen.ask.trial is not None
        await pilot.press("q")
    opening.cancel()
    await asyncio.gather(opening, return_exceptions=True)


@pytest.mark.skipif(not is_installed(), reason="needs the extra `page`")
async def test_a_step_that_is_left_while_it_speaks_lets_that_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_go_on = asyncio.Event(), asyncio.Event()
    said: list[str] = []
    say = LiveTalk.say

    async def say_slowly(self: LiveTalk, text: str) -> None:
        begun.set()
        await may_go_on.wait()
        await say(self, text)
        said.append(text)

    monkeypatch.setattr(LiveTalk, "say", say_slowly)
    steps = [step for step in STEPS if step.sample == "packages-live"][:2]
    app = DemoApp(open_file=lambda file: opener.open(file), steps=steps)
    opener = Opener(app)
    opener.open(steps[0].sample)
    opening = asyncio.create_task(opener.run())
    async with app.run_test(size=(120, 40)) as pilot:
        await asyncio.wait_for(begun.wait(), 60)
        left = [worker for worker in app.workers if worker.group == "step"]
        app.action_next_step()
        await until(lambda: all(worker.is_finished for worker in left))
        may_go_on.set()
        await asyncio.wait_for(app.is_ready.wait(), 60)
        await settled(pilot)
        assert said == [steps[0].says]
        assert isinstance(app.screen, PackageSheet)
        assert _shown(app)[2] == 1
        await pilot.press("q")
    opening.cancel()
    await asyncio.gather(opening, return_exceptions=True)


@pytest.mark.skipif(not is_installed(), reason="needs the extra `page`")
async def test_the_live_panel_with_a_page() -> None:
    """What a presenter does at that step: open the page; then the model works on."""
    steps = [step for step in STEPS if step.sample == "packages-live"]
    app = DemoApp(open_file=lambda file: opener.open(file), steps=steps)
    opener = Opener(app)
    opener.open(steps[0].sample)
    opening = asyncio.create_task(opener.run())
    async with app.run_test(size=(120, 40)) as pilot:
        await asyncio.wait_for(app.is_ready.wait(), 60)
        assert app.viewing.subject is not None
        packages = app.viewing.subject.packages
        assert packages is not None
        assert packages.waiting_count == 1
        await pilot.press("4")  # the turn runs, and cannot go on
        answer = app.place.answer(short=False).sentence
        assert plain(answer) == "◆ 1 waits for your answer: ! shows what is asked. The turn goes on then."
        async with PageClient(packages.pages().url) as page:
            assert packages.answer("req-1", allows=True)
            await until(lambda: [row.state for row in packages.rows()] == ["running", "stopped"])
            assert page.loaded == {"dyn-1": "run-1"}
            seen = await page.call("dyn-1", "counts", 0)
            assert seen["value"][-1]["prompt"] > 0
        await pilot.press("q")
    opening.cancel()
    await asyncio.gather(opening, return_exceptions=True)


async def test_without_the_extra_the_live_panel_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.tui.demo.app.is_installed", lambda: False)
    app = DemoApp(open_file=lambda file: None)
    assert not any(step.needs_page for step in app.steps)
    assert len(app.steps) < len(STEPS)
