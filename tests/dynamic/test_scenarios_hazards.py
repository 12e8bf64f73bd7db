"""Scenarios D62 to D66 and D69 to D75, and FC-12: hazards, cards, inspect, what was found by trying."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.dynamic.world import B_OK, H_GREET, H_NOP, H_PING, H_REV, H_SEC, World, tool_source, world
from tests.support.tool_calls import Signal
from workbench.dynamic.inspecting import SECTIONS
from workbench.dynamic.pages import PageCallError
from workbench.dynamic.report import request_report
from workbench.prompt import ToolSchema


async def test_d62_a_listener_without_next(w: World) -> None:
    seen: list[Any] = []
    w.rt.watch(lambda kind, payload: seen.append(payload) if kind == "waterfall" else None)
    package_id = await w.define(
        'def apply(ctx):\n    ctx.on("tools/pre-execute", f)\nasync def f(call, next):\n    return None\n'
    )
    await w.people.start(package_id)
    result = await w.call("S1", "cordis_inspect", what="tools")
    assert result.error is not None
    assert result.error.code == "LISTENER_NO_RESULT"
    assert "dyn-1" in result.error.message
    told = [(each.owner, each.outcome) for trace in seen for each in trace.listeners]
    assert ("dyn-1:p", "short-circuited") in told
    (hazard,) = w.card(package_id).hazards
    assert (hazard.kind, hazard.count, "tools/pre-execute" in hazard.text) == ("short-circuited", 1, True)
    await w.people.stop(package_id)
    assert (await w.call("S1", "cordis_inspect", what="tools")).error is None
    assert w.card(package_id).hazards == ()


async def test_a_next_that_is_not_awaited_is_counted(w: World) -> None:
    await w.started(
        "def f(assembly, context, next):\n    next()\n    return assembly\n"
        'def apply(ctx):\n    ctx.on("system-prompt/assemble", f)\n'
    )
    await w.prompt()
    await w.prompt()
    assert [(each.kind, each.count) for each in w.card("dyn-1").hazards] == [("not awaited", 2)]


async def test_d63_an_observer_that_raises_is_contained(w: World, caplog: pytest.LogCaptureFixture) -> None:
    await w.started('def apply(ctx):\n    ctx.on("tools/change", lambda: 1 / 0)\n')
    w.root.tools.register(ToolSchema("other"))
    assert w.has_tool("other")
    assert any("dyn-1" in record.getMessage() for record in caplog.records)


async def test_d64_inspect(w: World) -> None:
    whole = await w.ok("S1", "cordis_inspect")
    assert whole.count("## ") - whole.count("### ") == 7
    tools = await w.ok("S1", "cordis_inspect", what="tools")
    assert tools.count("## ") == 1
    for given in ({"what": "tools", "name": "x"}, {"what": "api", "name": "nope"}, {"what": "nope"}):
        assert (await w.refused("S1", "cordis_inspect", **given))[0] == "invalid-arguments"
    event = await w.ok("S1", "cordis_inspect", what="events", name="tools/pre-execute")
    assert "waterfall" in event
    assert "next" in event
    assert "tools/execute" not in event


async def test_d65_inspect_of_ones_own_packages(w: World) -> None:
    await w.started(H_PING, purpose="pings")
    await w.ok("S1", "cordis_define", id="dyn-1", name="p", purpose="more", code=H_NOP)
    report = await w.ok("S1", "cordis_inspect", what="temporary")
    for part in (
        "dyn-1 p",
        "r1 running",
        "r2 defined",
        "run-1",
        "host half",
        "pings",
        "provides",
        "waiting for",
        "ping",
    ):
        assert part in report


async def test_d65_inspect_shows_no_package_of_another_session(w: World) -> None:
    w.page("page-1")
    for session, purpose in (("S1", "a secret"), ("S2", "my own")):
        package_id = await w.define(H_PING, session=session, client=B_OK, purpose=purpose)
        task = await w.asked(package_id, session)
        assert w.people.allow(w.dynamic.requests.pending()[0].id)
        assert (await task).error is None
    for what in SECTIONS:
        report = await w.ok("S2", "cordis_inspect", what=what)
        assert "secret" not in report, what
        assert what == "plugins" or "dyn-1" not in report, what  # a plugin of the process, as any other
        assert (what in ("plugins", "temporary", "client")) == ("dyn-2" in report), what
    panel = await w.ok("S2", "cordis_inspect", what="client", name="panel")
    assert "dyn-2 (run-2): loaded on 1 of 1 pages" in panel
    assert "dyn-1" not in panel
    assert "dyn-" not in await w.ok("S3", "cordis_inspect", what="client")


async def test_d69_what_if(w: World) -> None:
    await w.define(H_SEC)
    others: list[Any] = []

    async def follow() -> None:
        await w.until(lambda: w.dynamic.trial is not None)
        others.append(await w.tool_names())
        others.append(await w.prompt())

    following = asyncio.create_task(follow())
    result = await w.people.what_if("dyn-1")
    await following
    assert result.outcome == "active", result.message
    assert result.change is not None
    assert [(part.name, part.action) for part in result.change.parts] == [("x:note", "added")]
    assert result.change.first_token is not None
    assert result.change.read_anew.tokens > 0
    assert [node.label for node in result.registrations] == ["section x:note"]
    assert result.residue is not None
    assert result.residue.is_clean
    assert "NOTE" not in others[1]
    assert w.card("dyn-1").trial is result
    await w.check_clean()
    assert w.state("dyn-1") == "defined"
    assert (await w.run("dyn-1"))["run"] == "run-1"
    with pytest.raises(Exception, match="would clash"):
        await w.people.what_if("dyn-1")


async def test_d69_what_does_not_settle() -> None:
    async with world(budget_ms=300) as w:
        await w.define('inject = ["timer"]\nasync def apply(ctx):\n    print("x")\n    await ctx.timeout(900)\n')
        result = await w.people.what_if("dyn-1")
        assert (result.outcome, result.change) == ("did not settle", None)
        assert w.state("dyn-1") == "defined"
        assert w.printed("dyn-1") == []
        await w.check_clean()


async def test_a_what_if_activates_who_waits_and_puts_it_back(w: World) -> None:
    await w.define(H_GREET)
    await w.started(
        'inject = ["greeter", "system_prompt"]\ndef apply(ctx):\n    ctx.system_prompt.section("y", 1, "Y")\n'
    )
    await w.started('inject = ["greeter"]\ndef apply(ctx):\n    raise ValueError("late")\n')
    before = await w.facts()
    result = await w.people.what_if("dyn-1")
    assert result.change is not None
    assert [part.name for part in result.change.parts] == ["y"]
    assert [w.state(each) for each in ("dyn-1", "dyn-2", "dyn-3")] == ["defined", "waiting", "waiting"]
    assert await w.facts() == before


async def test_a_failing_and_a_cancelled_what_if(w: World) -> None:
    await w.define("def apply(ctx):\n    raise ValueError('boom')")
    result = await w.people.what_if("dyn-1")
    assert (result.outcome, "boom" in result.message) == ("failed", True)
    assert w.card("dyn-1").last_error is None
    await w.define('inject = ["timer"]\nasync def apply(ctx):\n    await ctx.timeout(900)\n')
    task = asyncio.create_task(w.people.what_if("dyn-2"))
    await w.until(lambda: w.dynamic.trial is not None)
    started = w.running("S1", "cordis_run", id="dyn-1")  # waits for the end of the what-if
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await started).error.code == "host-half-failed"
    await w.check_clean()


async def test_d70_endless_after_an_await() -> None:
    async with world(budget_ms=300) as w:
        endless = tool_source("await ctx.timeout(0.05)\nwhile True:\n    pass", inject='"tools", "timer"')
        await w.started(endless, is_probed=True)
        for count in (1, 2):
            error = (await w.call("S1", "t")).error
            assert error is not None
            assert "timed out" in error.message
            assert [(each.kind, each.count) for each in w.card("dyn-1").hazards] == [("blocked", count)]
        assert w.state("dyn-1") == "running"


async def test_a_provider_that_blocks_is_ended_and_counted() -> None:
    async with world(budget_ms=200) as w:
        await w.started(
            'inject = ["system_prompt"]\ndef text(context):\n    while True: pass\n'
            'def apply(ctx):\n    ctx.system_prompt.section("x:slow", 1500, text)\n',
            is_probed=True,
        )
        with pytest.raises(Exception, match="timed out"):
            await w.prompt()
        assert [(each.kind, each.count) for each in w.card("dyn-1").hazards] == [("blocked", 1)]
        await w.people.stop("dyn-1")
        await w.check_clean()


async def test_d71_a_package_that_is_stopped_below_its_own_call(w: World) -> None:
    await w.started(
        'async def f(call, next):\n    return await next()\ndef apply(ctx):\n    ctx.on("tools/execute", f)\n'
    )
    assert (await w.ok("S1", "cordis_stop", id="dyn-1"))["stopped"] is True
    await w.check_clean()

    class Stopper:
        async def stop(self) -> Any:
            result = await w.call("S1", "cordis_stop", id="dyn-2")
            return None if result.error is None else result.error.message

    w.root.provide("stopper", Stopper())
    w.baseline = await w.facts()
    await w.started(tool_source("return await ctx.stopper.stop()", inject='"tools", "stopper"'))
    assert (await w.call("S1", "t")).value is None
    await w.check_clean()


async def test_d72_a_revision_that_fails_to_replace_another(w: World) -> None:
    entered = asyncio.Event()

    class Never:
        async def wait(self) -> None:
            entered.set()
            await asyncio.Event().wait()

    w.root.provide("never", Never())
    w.baseline = await w.facts()
    await w.started(H_NOP)
    await w.ok("S1", "cordis_define", id="dyn-1", name="p", purpose="p", code="1/0")
    reason, message = await w.refused("S1", "cordis_run", id="dyn-1")
    assert (reason, "r1 ran before" in message) == ("host-half-failed", True)
    assert w.state("dyn-1") == "failed"
    assert (await w.run("dyn-1", revision=1))["run"] == "run-3"
    await w.ok(
        "S1",
        "cordis_define",
        id="dyn-1",
        name="p",
        purpose="p",
        code='inject = ["never"]\nasync def apply(ctx):\n    await ctx.never.wait()\n',
    )
    cancel = Signal()
    task = w.running("S1", "cordis_run", cancel, id="dyn-1")
    await entered.wait()
    cancel.set()
    assert (await task).error.code == "cancelled"
    assert w.state("dyn-1") == "stopped"
    await w.check_clean()


@pytest.mark.filterwarnings("always::RuntimeWarning")
async def test_d73_dates_and_what_is_never_awaited(w: World, capfd: pytest.CaptureFixture[str]) -> None:
    await w.started(
        'x = datetime.datetime.now().strftime("%Y")\nasync def forgotten():\n    pass\n'
        "def apply(ctx):\n    forgotten()\n    print(datetime.datetime.strptime('2026', '%Y').year)\n"
    )
    assert w.state("dyn-1") == "running"
    lines = w.printed("dyn-1")
    assert any("never awaited" in line for line in lines)
    assert lines[-1].endswith("2026")
    assert "never awaited" not in capfd.readouterr().err


async def test_d75_calls_in_progress_end_with_the_package(w: World) -> None:
    page = w.page("P1")
    await w.started(
        tool_source("await ctx.timeout(99)", inject='"tools", "timer"')
        + '    harness.handle("wait", execute_handler(ctx))\ndef execute_handler(ctx):\n'
        "    async def wait(args):\n        await ctx.timeout(99)\n    return wait\n"
    )
    call = w.running("S2", "t")
    handler = asyncio.create_task(page.call("dyn-1", "wait"))
    await w.until(lambda: len(w.package("dyn-1").run.fiber.activation.calls) == 2)  # type: ignore[union-attr]
    await w.ok("S1", "cordis_stop", id="dyn-1")
    error = (await call).error
    assert error is not None
    assert "dyn-1" in error.message
    with pytest.raises(PageCallError) as caught:
        await handler
    assert caught.value.kind == "not-running"
    assert (await w.call("S2", "cordis_inspect", what="tools")).error is None
    await w.check_clean()


async def test_a_stop_that_waits_says_for_whom(w: World) -> None:
    release = asyncio.Event()

    class Stubborn:
        async def wait(self) -> None:
            while not release.is_set():
                try:
                    await release.wait()
                except asyncio.CancelledError:
                    continue

    w.root.provide("stubborn", Stubborn())
    await w.started(tool_source("await ctx.stubborn.wait()", inject='"tools", "stubborn"'))
    call = w.running("S1", "t")
    await w.until(lambda: bool(w.package("dyn-1").run.fiber.activation.calls))  # type: ignore[union-attr]
    first = w.running("S1", "cordis_stop", id="dyn-1")
    await w.until(lambda: w.state("dyn-1") == "stopping")
    second = asyncio.create_task(w.people.stop("dyn-1"))
    await w.until(lambda: any(each.kind == "still running" for each in w.card("dyn-1").hazards))
    (hazard,) = w.card("dyn-1").hazards
    assert "tool t" in hazard.text
    assert hazard.seconds is not None
    assert (await w.refused("S1", "cordis_run", id="dyn-1"))[0] == "transition-in-flight"
    release.set()
    assert (await first).value == await second == {"id": "dyn-1", "run": "run-1", "stopped": True}
    await call


async def test_a_run_that_awaits_its_own_turn_is_shown(w: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.dynamic.cards.SLOW_START_SECONDS", 0.0)
    turn = asyncio.Event()
    w.root.provide("turn", type("Turn", (), {"ended": staticmethod(turn.wait)})())
    await w.define('inject = ["turn"]\nasync def apply(ctx):\n    await ctx.turn.ended()\n')
    cancel = Signal()
    task = w.running("S1", "cordis_run", cancel, id="dyn-1")
    await w.until(lambda: any(each.kind == "own turn" for each in w.card("dyn-1").hazards))
    cancel.set()
    assert (await task).error.code == "cancelled"


FC_12 = """inject = ["system_prompt", "timer"]
async def apply(ctx):
    ctx.system_prompt.section("slow:a", 1500, "A")
    try:
        await ctx.timeout(0.05)
    except Exception:
        pass
    ctx.system_prompt.section("slow:b", 1501, "B")
    async def listen(assembly, context, next):
        print("called")
        return await next()
    ctx.on("system-prompt/assemble", listen)
"""


async def test_fc12_a_package_that_is_stopped_while_it_starts(w: World) -> None:
    await w.define(FC_12, name="slow-kit")
    task = w.running("S1", "cordis_run", id="dyn-1")
    await w.until(lambda: "section slow:a" in [node.label for node in w.card("dyn-1").registrations])
    await w.ok("S1", "cordis_stop", id="dyn-1")
    assert (await task).error.code == "cancelled"
    card = w.card("dyn-1")
    assert (card.state, card.remarks) == ("defined", ("cancelled",))
    await asyncio.sleep(0.1)
    await w.check_clean()
    for number in range(10):
        await w.run("dyn-1")
        if number == 5:
            await w.prompt()
            assert len(w.printed("dyn-1")) == 1
        await w.ok("S1", "cordis_stop", id="dyn-1")
    assert w.state("dyn-1") == "stopped"
    assert w.card("dyn-1").residue is not None
    assert w.card("dyn-1").residue.is_clean  # type: ignore[union-attr]
    await w.check_clean()


async def test_the_report_of_a_request_holds_the_what_if(w: World) -> None:
    pytest.importorskip("py_mini_racer")
    await w.define(H_SEC, client="return () => {}")
    task = await w.asked("dyn-1")
    await w.people.what_if("dyn-1")
    (request,) = w.dynamic.requests.pending()
    report = request_report(request)
    for part in ("added section x:note", "read anew", "nothing left", "answer: none"):
        assert part in report
    w.people.deny(request.id)
    await task
    assert "denied by tui" in request_report(request)


async def test_who_waits_gets_an_answer_when_the_loop_is_closed_around_the_runtime(w: World) -> None:
    """A closing loop cancels every task at once, those of the runner, too."""
    pytest.importorskip("py_mini_racer")

    def cancel(name: str) -> None:
        (task,) = (task for task in asyncio.all_tasks() if task.get_name() == name)
        task.cancel()

    await w.define(H_REV, client="return () => {}")
    asked = await w.asked("dyn-1")
    cancel("start of dyn-1")
    assert (await asked).error.code == "cancelled"
    assert w.state("dyn-1") == "defined"
    await w.define('inject = ["timer"]\nasync def apply(ctx):\n    await ctx.timeout(900)\n')
    starting = w.running("S1", "cordis_run", id="dyn-2")
    await w.until(lambda: w.package("dyn-2").run is not None and w.package("dyn-2").run.fiber is not None)  # type: ignore[union-attr]
    cancel("start of dyn-2")
    assert (await starting).error.code == "cancelled"
    trying = asyncio.create_task(w.people.what_if("dyn-2"))
    await w.until(lambda: w.dynamic.trial is not None)
    cancel("what-if of dyn-2")
    assert (await trying).outcome == "cancelled"
    await w.check_clean()


async def test_undo_survives_a_reverse(w: World) -> None:
    """Stopping in the step in which the start was allowed finds a run to stop."""
    pytest.importorskip("py_mini_racer")
    await w.define(H_REV, client="return () => {}")
    task = await w.asked("dyn-1")
    w.people.allow("req-1")
    undone = asyncio.create_task(w.people.undefine("dyn-1"))
    assert (await task).error.code == "cancelled"
    assert (await undone)["was_running"] is True
    await w.check_clean(definitions=True)
