"""Scenarios D15 to D28: running a host half alone."""

from __future__ import annotations

import asyncio

import pytest

from tests.dynamic.world import H_LOG, H_NOP, H_REV, World, world
from tests.support.plugins import P
from tests.support.tool_calls import Signal
from workbench.core import FiberState
from workbench.prompt import AssembleContext, ToolSchema


async def test_d15_run(w: World) -> None:
    await w.define(H_REV, purpose="reverse")
    result = await w.call("S1", "cordis_run", id="dyn-1")
    assert result.value == {
        "id": "dyn-1",
        "revision": 1,
        "run": "run-1",
        "status": "running",
        "started": True,
        "provides": [],
        "waiting_for": [],
        "client": "none",
        "client_waiting_for": [],
        "pages": [],
        "warnings": [],
    }
    assert all(part in result.text for part in ("dyn-1", "r1", "run-1"))
    assert w.requested == []
    for session in ("S1", "S2"):
        assert await w.ok(session, "reverse_text", text="abc") == "cba"
    assert "reverse_text" in await w.tool_names()


async def test_d16_run_again_does_nothing(w: World) -> None:
    package_id = await w.started('print("applied")\ndef apply(ctx):\n    print("applied")\n')
    again = await w.run(package_id)
    assert (again["started"], again["run"]) == (False, "run-1")
    assert len(w.printed(package_id)) == 2


async def test_d17_d18_d19_stop_and_undefine(w: World) -> None:
    await w.started(H_REV)
    result = await w.call("S1", "cordis_stop", id="dyn-1")
    assert result.value == {"id": "dyn-1", "run": "run-1", "stopped": True}
    assert "dyn-1" in result.text
    assert "definition remains" in result.text
    await w.check_clean()
    card = w.card("dyn-1")
    assert card.state == "stopped"
    assert card.residue is not None
    assert card.residue.words == "nothing left"
    assert card.residue.searched > 10

    assert (await w.run("dyn-1"))["run"] == "run-2"
    await w.ok("S1", "cordis_stop", id="dyn-1")
    result = await w.call("S1", "cordis_undefine", id="dyn-1")
    assert result.value == {"id": "dyn-1", "was_running": False}
    assert "invalid from now on" in result.text
    await w.check_clean(definitions=True)
    assert (await w.refused("S1", "cordis_run", id="dyn-1"))[0] == "definition-missing"

    await w.started(H_REV)
    assert (await w.ok("S1", "cordis_undefine", id="dyn-2"))["was_running"] is True
    await w.check_clean(definitions=True)


async def test_d20_unknown_ids(w: World) -> None:
    for tool, more in {
        "cordis_stop": {},
        "cordis_run": {},
        "cordis_undefine": {},
        "cordis_define": {"name": "x", "purpose": "x", "code": H_NOP},
    }.items():
        reason, message = await w.refused("S1", tool, id="dyn-9", **more)
        assert reason == "definition-missing"
        assert "dyn-9" in message
        assert "memory" in message
    await w.define(H_NOP)
    reason, message = await w.refused("S1", "cordis_stop", id="dyn-1")
    assert (reason, "dyn-1" in message, "definition remains" in message) == ("not-running", True, True)
    reason, message = await w.refused("S1", "cordis_run", id="dyn-1", revision=7)
    assert (reason, "dyn-1" in message, "r1" in message) == ("revision-missing", True, True)


@pytest.mark.parametrize(
    ("code", "stage", "parts"),
    [
        ("1/0", "evaluate", ["division", "line 1"]),
        ("x = 1", "evaluate", ["apply"]),
        ('def apply(ctx):\n    raise ValueError("boom")', "apply", ["boom", "line 2"]),
        ('inject = "tools"\ndef apply(ctx): pass', "evaluate", ["inject"]),
        ('inject = ["dynamic"]\ndef apply(ctx): pass', "evaluate", ["does not define"]),
        ("def apply(ctx):\n    os.remove('x')", "apply", ["line 2", "`ctx.fs`"]),
    ],
)
async def test_d21_what_fails(w: World, code: str, stage: str, parts: list[str]) -> None:
    message = await w.fails(code)
    assert f"stage {stage}" in message
    assert all(part in message for part in parts), message


async def test_d22_nothing_of_a_failed_attempt_is_ever_visible(w: World) -> None:
    seen: list[object] = []

    def apply(ctx: object) -> None:
        seen.append(ctx)

    waiting = w.root.plugin(P("waits", apply, inject=["z"]))
    w.baseline = await w.facts()
    await w.fails(
        H_REV.replace("def apply(ctx):", 'def apply(ctx):\n    ctx.on("tools/change", lambda: None)')
        + '    ctx.provide("z", 1)\n    raise ValueError("late")\n'
    )
    assert seen == []
    assert waiting.state == FiberState.PENDING


async def test_d23_a_taken_name(w: World) -> None:
    await w.started(H_REV)
    w.baseline = await w.facts()
    message = await w.fails(H_REV)
    assert all(part in message for part in ("reverse_text", "cordis_stop", "dyn-1"))
    assert await w.ok("S1", "reverse_text", text="ab") == "ba"


ENDLESS = [
    "while True: pass",
    "while True:\n    try:\n        x = 1\n    except Exception:\n        pass",
    "x = sum(range(10**12))",
    "x = 10**10**8",
]


@pytest.mark.parametrize("code", ENDLESS)
async def test_d24_endless_at_top_level(code: str) -> None:
    async with world(budget_ms=300) as w:
        gaps: list[float] = []
        loop = asyncio.get_running_loop()

        async def beat() -> None:
            last = loop.time()
            while True:
                await asyncio.sleep(0.02)
                gaps.append(loop.time() - last)
                last = loop.time()

        beating = asyncio.create_task(beat())
        message = await w.fails(code)
        beating.cancel()
        assert "stage evaluate" in message
        assert "timed out" in message
        assert "300" in message
        # How long a gap is depends on what else runs here; that there are beats shows that the loop went on.
        assert len(gaps) >= 3


async def test_ticks_end_what_the_probe_let_pass(w: World) -> None:
    """The same loops, in a revision that counts as probed."""
    async with world(budget_ms=200) as w:
        for code in (
            "while True: pass",
            "while True:\n    try:\n        while True: pass\n    except Exception:\n        pass",
            "x = [1 for i in iter(int, 1)]",
            "x = [i for i in iter(int, 1) if False]",
            "def f(): f2()\ndef f2():\n    for i in iter(int, 1):\n        try: pass\n        finally: x = 1\nf()",
            "x = list(map(lambda i: i, iter(int, 1)))",
            "class E(Exception): pass\nwhile True:\n    try:\n        raise E\n    except E:\n        continue",
        ):
            package_id = await w.define(code)
            w.package(package_id).newest.is_probed = True
            reason, message = await w.refused("S1", "cordis_run", id=package_id)
            assert (reason, "timed out" in message) == ("host-half-failed", True), code
            assert w.card(package_id).state == "failed"
        await w.check_clean()


async def test_memory_is_judged(w: World) -> None:
    assert "memory" in await w.fails("x = bytearray(10**10)")


async def test_d25_the_asynchronous_part_is_not_bounded() -> None:
    async with world(budget_ms=300) as w:
        await w.started('inject = ["timer"]\nasync def apply(ctx):\n    await ctx.timeout(1)\n', is_probed=True)
        assert w.state("dyn-1") == "running"


async def test_d26_cancel_while_it_loads(w: World) -> None:
    cancelled = 0
    entered = asyncio.Event()

    class Slow:
        async def wait(self) -> None:
            nonlocal cancelled
            entered.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled += 1
                raise

    w.root.provide("slow", Slow())
    w.baseline = await w.facts()
    await w.define('inject = ["slow"]\nasync def apply(ctx):\n    await ctx.slow.wait()\n')
    cancel = Signal()
    task = w.running("S1", "cordis_run", cancel, id="dyn-1")
    await entered.wait()
    assert w.state("dyn-1") == "starting"
    assert (await w.refused("S1", "cordis_run", id="dyn-1"))[0] == "transition-in-flight"
    cancel.set()
    result = await task
    assert result.error is not None
    assert result.error.code == "cancelled"
    assert "turn was cancelled" in result.error.message
    assert cancelled == 1
    assert w.state("dyn-1") == "defined"
    assert w.card("dyn-1").remarks == ("cancelled",)
    await w.check_clean()


async def test_cancel_while_it_is_probed() -> None:
    async with world(budget_ms=60_000) as w:
        await w.define("while True: pass\ndef apply(ctx): pass")
        cancel = Signal()
        task = w.running("S1", "cordis_run", cancel, id="dyn-1")
        await w.until(lambda: w.state("dyn-1") == "starting")
        cancel.set()
        assert (await task).error.code == "cancelled"
        await w.check_clean()


async def test_d27_prints(w: World, capfd: pytest.CaptureFixture[str]) -> None:
    await w.started('print("a")\n' + H_LOG.replace('"changed"', '"a"'))
    undo = w.root.tools.register(ToolSchema("other"))
    assert w.printed("dyn-1") == ["[cordis:dyn-1] a"] * 2
    await w.ok("S1", "cordis_stop", id="dyn-1")
    assert w.printed("dyn-1") == ["[cordis:dyn-1] a"] * 2
    await w.ok("S1", "cordis_undefine", id="dyn-1")
    assert capfd.readouterr().out == ""
    undo()


async def test_a_flood_of_output_stays_bounded(w: World) -> None:
    await w.started('for i in range(5000): print("x" * 50)\nprint("y" * 10**6)\ndef apply(ctx): pass')
    card = w.card("dyn-1")
    assert len(card.output) <= 200
    assert sum(len(line.text) for line in card.output) <= 16 << 10
    assert card.output_dropped > 4000


async def test_d28_traps(w: World) -> None:
    for code, part in {
        'open("x")': "`ctx.fs`",
        'eval("1")': "evaluation",
        "input()": "nobody can be asked",
        "globals()": "withheld",
        "getattr(1, '_x')": "underscore",
        "type('X', (), {})": "class statement",
    }.items():
        assert part in await w.fails(f"{code}\ndef apply(ctx): pass")


async def test_d38_a_section(w: World) -> None:
    before = await w.prompt()
    await w.started(
        'inject = ["system_prompt"]\ndef apply(ctx):\n    ctx.system_prompt.section("x:note", 1500, "NOTE")\n'
    )
    assembly = await w.root.system_prompt.assemble(AssembleContext())
    assert [section.text for section in assembly.sections if section.name == "x:note"] == ["NOTE"]
    await w.ok("S1", "cordis_stop", id="dyn-1")
    assert await w.prompt() == before
