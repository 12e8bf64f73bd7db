"""The walk for presenters: every step comes, there and back, on its sample."""

from __future__ import annotations

import asyncio

from tests.tui.conftest import settled
from workbench.tui.commands import command
from workbench.tui.demo.app import DemoApp
from workbench.tui.demo.caption import Caption, caption_lines
from workbench.tui.demo.steps import STEPS
from workbench.tui.opener import Opener
from workbench.tui.view.pieces import width_of


async def test_all_steps_there_and_back() -> None:
    app = DemoApp(open_file=lambda file: opener.open(file))
    opener = Opener(app)
    opener.open(STEPS[0].sample)
    opening = asyncio.create_task(opener.run())
    async with app.run_test(size=(120, 40)) as pilot:
        seen = []
        for keys in ["space"] * (len(STEPS) - 1) + ["backspace"] * 2:
            await asyncio.wait_for(app.is_ready.wait(), 30)
            await settled(pilot)
            seen.append(_shown(app))
            await pilot.press(keys)
        await asyncio.wait_for(app.is_ready.wait(), 30)
        seen.append(_shown(app))
        count = len(STEPS)
        assert seen == [(step.place, step.sample, number) for number, step in enumerate(STEPS)] + [
            (STEPS[count - 2].place, STEPS[count - 2].sample, count - 2),
            (STEPS[count - 3].place, STEPS[count - 3].sample, count - 3),
        ]
        await pilot.press("q")
    opening.cancel()
    await asyncio.gather(opening, return_exceptions=True)


def _shown(app: DemoApp) -> tuple[str, str, int]:
    caption = app.place.query_one(Caption)
    assert caption.region.height >= 2
    assert app.viewing.subject is not None
    return app.place.tab.title, app.viewing.subject.name, app.at


def test_steps_name_commands_that_exist_and_captions_fit() -> None:
    for step in STEPS:
        for each in (*step.commands, *step.undo, *step.asked):
            assert command(each)
        keys = " ".join(command(each).key_label for each in step.asked)
        for width in (38, 76, 196):
            lines = caption_lines(step.caption, 1, len(STEPS), keys, width)
            assert all(width_of(line) <= max(width, 44) for line in lines)
        assert len(caption_lines(step.caption, 1, 9, keys, 76)) <= 5
