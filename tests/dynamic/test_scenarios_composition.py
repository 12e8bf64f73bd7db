"""Scenarios D39 to D45, D67 and D68: packages that meet, and whose they are."""

from __future__ import annotations

import asyncio
import json
import linecache
import os
import sys
from pathlib import Path

import pytest

from tests.dynamic.world import B_OK, H_GREET, H_HI, H_NOP, H_REV, World
from tests.support.tool_calls import Signal
from workbench.dynamic.source.browser import is_available


async def test_d39_d40_d41_a_consumer_and_its_provider(w: World) -> None:
    await w.define(H_HI)
    await w.define(H_GREET)
    first = await w.run("dyn-1")
    assert (first["status"], first["waiting_for"], w.state("dyn-1")) == ("waiting", ["greeter"], "waiting")
    assert not w.has_tool("greet")
    assert (await w.run("dyn-2"))["provides"] == ["greeter"]
    await w.rt.quiesce()
    assert (w.state("dyn-1"), w.card("dyn-1").run) == ("running", first["run"])
    assert await w.ok("S1", "greet", who="ann") == "hi ann"
    assert w.card("dyn-2").dependents == ("dyn-1:hi",)
    assert [hazard.kind for hazard in w.card("dyn-2").hazards] == ["depended on"]

    await w.ok("S1", "cordis_stop", id="dyn-2")
    assert (w.state("dyn-1"), w.has_tool("greet"), w.card("dyn-1").run) == ("waiting", False, first["run"])
    assert w.root.get("greeter") is None

    await w.run("dyn-2")
    await w.rt.quiesce()
    assert await w.ok("S1", "greet", who="bob") == "hi bob"
    assert len(w.printed("dyn-1")) == 2
    await w.ok("S1", "cordis_stop", id="dyn-1")
    assert w.state("dyn-2") == "running"
    assert w.root.get("greeter") is not None
    await w.ok("S1", "cordis_stop", id="dyn-2")
    await w.check_clean()


async def test_two_depend_on_one(w: World) -> None:
    await w.started(H_GREET)
    for name in ("a", "b"):
        await w.started(H_HI.replace('"greet"', f'"greet_{name}"').replace('"hi"', f'"{name}"', 1))
    assert w.card("dyn-1").dependents == ("dyn-2:a", "dyn-3:b")
    await w.ok("S1", "cordis_stop", id="dyn-1")
    assert [w.state(each) for each in ("dyn-1", "dyn-2", "dyn-3")] == ["stopped", "waiting", "waiting"]


async def test_d42_a_service_that_is_taken(w: World) -> None:
    await w.started(H_GREET)
    w.baseline = await w.facts()
    message = await w.fails(H_GREET)
    assert all(part in message for part in ("greeter", "dyn-1", "cordis_stop"))


async def test_d43_another_session_sees_nothing(w: World) -> None:
    await w.started(H_REV)
    assert "no package" in await w.ok("S2", "cordis_inspect", what="temporary")
    for tool, more in {
        "cordis_run": {},
        "cordis_stop": {},
        "cordis_undefine": {},
        "cordis_define": {"name": "x", "purpose": "x", "code": H_NOP},
    }.items():
        foreign = await w.refused("S2", tool, id="dyn-1", **more)
        unknown = await w.refused("S2", tool, id="dyn-9", **more)
        assert foreign == (unknown[0], unknown[1].replace("dyn-9", "dyn-1"))
    assert w.state("dyn-1") == "running"


async def test_d44_unloading_the_toolset(w: World) -> None:
    empty = json.loads(w.rt.snapshot())
    await w.started(H_REV)
    cancel = Signal()
    asked = None
    if is_available():
        await w.define(H_NOP, client=B_OK)
        asked = await w.asked("dyn-2", cancel=cancel)
    await w.toolset.dispose()
    if asked is not None:
        assert (await asked).error.code in ("cancelled", "INACTIVE_CONTEXT")
    assert not [name for name in await w.tool_names() if name.startswith("cordis_")]
    assert not w.has_tool("reverse_text")
    assert w.dynamic.packages() == ()
    from workbench.dynamic.toolset import PackageTools

    await w.root.plugin(PackageTools)
    assert json.loads(w.rt.snapshot())["fibers"][1:] == empty["fibers"][1:]  # root has the toolset last now
    assert "no package" in await w.ok("S1", "cordis_inspect", what="temporary")
    expected = 3 if is_available() else 2
    assert await w.define(H_NOP) == f"dyn-{expected}"


async def test_d45_nothing_of_the_process_has_changed(
    w: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def rounds() -> None:
        hi, greet = await w.define(H_HI), await w.define(H_GREET)
        for each in (hi, greet):
            await w.run(each)
        await w.ok("S1", "greet", who="ann")
        for each in (hi, greet):
            await w.ok("S1", "cordis_undefine", id=each)
        await w.fails("1/0")
        await w.ok("S1", "cordis_inspect")

    monkeypatch.chdir(tmp_path)
    await rounds()
    before = set(sys.modules), set(linecache.cache), len(asyncio.all_tasks()), os.listdir(tmp_path)
    await rounds()
    assert (set(sys.modules), set(linecache.cache), len(asyncio.all_tasks()), os.listdir(tmp_path)) == before


async def test_d67_an_activation_that_fails_later(w: World) -> None:
    await w.define('inject = ["greeter"]\ndef apply(ctx):\n    raise ValueError("late")\n')
    await w.define(H_GREET)
    assert (await w.run("dyn-1"))["status"] == "waiting"
    assert (await w.run("dyn-2"))["status"] == "running"
    await w.until(lambda: w.state("dyn-1") == "failed")
    card = w.card("dyn-1")
    assert card.run is None
    assert card.last_error is not None
    assert "late" in card.last_error.message
    assert [(session, "late" in text) for session, text in w.notes] == [("S1", True)]
    assert not [fiber for fiber in w.rt.fibers() if fiber.name.startswith("dyn-1")]
    await w.ok("S1", "cordis_stop", id="dyn-2")
    await w.check_clean()


async def test_d68_handlers_live_as_long_as_what_registered_them(w: World) -> None:
    from workbench.dynamic.pages import PageCallError

    page = w.page("P1")
    await w.define(
        'inject = ["greeter"]\nharness.handle("top", lambda args: "top")\ndef apply(ctx):\n'
        '    harness.handle("ping", lambda args: [args, "pong"])\n'
    )
    await w.define(H_GREET)

    async def answers() -> list[object]:
        found: list[object] = []
        for method in ("top", "ping"):
            try:
                found.append(await page.call("dyn-1", method))
            except PageCallError as error:
                found.append(error.kind)
        return found

    await w.run("dyn-1")
    await w.run("dyn-2")
    await w.rt.quiesce()
    assert await answers() == ["top", [None, "pong"]]
    await w.ok("S1", "cordis_stop", id="dyn-2")
    assert await answers() == ["not-running", "not-running"]
    await w.run("dyn-2")
    await w.rt.quiesce()
    assert await answers() == ["top", [None, "pong"]]
    assert w.card("dyn-1").run == "run-1"
    for method, run, kind in (("nope", "", "method-not-found"), ("top", "run-9", "stale-run")):
        with pytest.raises(PageCallError) as caught:
            await page.call("dyn-1", method, run=run)
        assert caught.value.kind == kind
