"""Hazards that real packages make, as the place Packages shows them, and the way out of each."""

from __future__ import annotations

import asyncio

import pytest

from tests.dynamic.world import H_GREET, H_HI, tool_source, world
from tests.tui.test_place_packages import running

USES = 'inject = ["greeter"]\ndef apply(ctx):\n    pass\n'
ALONE = 'def apply(ctx):\n    ctx.on("tools/pre-execute", f)\nasync def f(call, next):\n    return None\n'
BLOCKS = """inject = ["system_prompt"]
def text(context):
    while True: pass
def apply(ctx):
    ctx.system_prompt.section("x:slow", 1500, text)
"""


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is slow after some seconds is slow at once."""
    for module in ("packages_words", "packages_detail", "packages_answer"):
        monkeypatch.setattr(f"workbench.tui.view.{module}.OWN_TURN_SECONDS", 0.0)
    monkeypatch.setattr("workbench.tui.view.packages_detail.SLOW_STOP_SECONDS", 0.0)


async def test_a_stop_that_takes_long_says_who_still_runs() -> None:
    release = asyncio.Event()

    class Stubborn:
        async def wait(self) -> None:
            while not release.is_set():
                try:
                    await release.wait()
                except asyncio.CancelledError:
                    continue

    async with world() as made, running(made) as screen:
        made.root.provide("stubborn", Stubborn())
        source = tool_source("await ctx.stubborn.wait()", inject='"tools", "stubborn"')
        package_id = await made.started(source, name="Stubborn")
        call = made.running("S1", "t")
        await made.until(lambda: bool(made.package(package_id).run.fiber.activation.calls))  # type: ignore[union-attr]
        await screen.press("5")
        await screen.pilot.press("x")
        await screen.comes("It ends when what still runs has ended:")
        await screen.comes("still running: tool t")
        assert "running: running" not in screen.text()
        assert not {"stop", "undefine"} & screen.packages.card.controls  # type: ignore[union-attr]
        await screen.pilot.press("1", "5")
        await screen.comes("stopping")
        release.set()
        await call
        await screen.until(lambda: "dyn-1 stopped, nothing left." in screen.text())


async def test_a_start_that_is_stuck_in_its_own_turn_is_stopped() -> None:
    turn = asyncio.Event()

    class Turn:
        async def ended(self) -> None:
            await turn.wait()

    async with world() as made, running(made) as screen:
        made.root.provide("turn", Turn())
        package_id = await made.define('inject = ["turn"]\nasync def apply(ctx):\n    await ctx.turn.ended()\n')
        made.package(package_id).newest.is_probed = True
        asked = made.running("S1", "cordis_run", id=package_id)
        await screen.press("5")
        await screen.comes("dyn-1 waits inside the turn that started it")
        await screen.comes("stop it, or cancel the turn.")
        await screen.pilot.press("x")
        assert (await asked).error.code == "cancelled"
        await screen.until(lambda: made.state(package_id) == "defined" and "remark" in screen.text())


async def test_a_listener_that_does_not_call_next_is_counted_and_stopped() -> None:
    async with world() as made, running(made) as screen:
        package_id = await made.define(ALONE)
        await made.people.start(package_id)
        for _ in range(2):
            assert (await made.call("S1", "cordis_inspect", what="tools")).error is not None
        await screen.press("5")
        await screen.comes("tools/pre-execute short-circuited, 2 times")
        words = " ".join(screen.text().split())
        assert "its listener on tools/pre-execute did not call next" in words
        assert "Warning at define" in words
        await screen.press("x")
        await screen.until(lambda: "dyn-1 stopped, nothing left." in screen.text())
        assert (await made.call("S1", "cordis_inspect", what="tools")).error is None


async def test_a_provider_that_blocks_is_named_wherever_it_shows() -> None:
    async with world(budget_ms=200) as made, running(made) as screen:
        package_id = await made.started(BLOCKS, is_probed=True)
        await screen.until(lambda: "This prompt cannot be sent" in screen.text())
        assert "Stop dyn-1 in the place Packages." in screen.text()
        await screen.press("5")
        await screen.comes("blocked the loop")
        assert "No request can be made: section x:slow" in screen.text()
        assert "what keeps the request from being made goes with it" in screen.text()
        assert "stays whole" not in screen.text()
        await screen.press("x", "1")
        await screen.until(lambda: made.state(package_id) == "stopped" and "cannot be sent" not in screen.text())


async def test_a_package_that_two_others_depend_on_is_asked_for_first() -> None:
    async with world() as made, running(made) as screen:
        greeter = await made.started(H_GREET, name="Greeter")
        others = [await made.started(H_HI, name="Hi"), await made.started(USES, name="Second")]
        await screen.press("5")
        screen.packages.show_target(greeter)
        await screen.press("x")
        assert "dyn-2:hi, dyn-3:Second wait again." in screen.text()
        await screen.press("n")
        assert made.state(greeter) == "running"
        await screen.press("x", "y")
        await screen.until(lambda: made.state(greeter) == "stopped" and "nothing left." in screen.text())
        assert [made.state(each) for each in others] == ["waiting", "waiting"]
        assert screen.text().count("waits for greeter") == 2
