"""A long host half is compiled in a process of its own: with the same outcome, and the loop goes on."""

from __future__ import annotations

import asyncio
from types import CodeType

import pytest

from tests.dynamic.world import H_SEC, world
from workbench.dynamic.refusals import Refusal
from workbench.dynamic.source import compiling
from workbench.dynamic.source.compiling import LONG, compile_aside, renamed
from workbench.dynamic.source.host import compile_host

PADDING = "# padding\n" * (LONG // 10 + 1)
WATERFALLS = frozenset({"tools/execute", "system-prompt/assemble"})
GREEDY = """def apply(ctx):
    async def keep(call, next):
        return json.dumps(call)
    ctx.on("tools/execute", keep)
"""


def outcome(error: Refusal) -> tuple[str, str]:
    return error.reason, error.message


def files(code: CodeType) -> list[str]:
    """Of a code object and all inside it."""
    inner = [file for each in code.co_consts if isinstance(each, CodeType) for file in files(each)]
    return [code.co_filename, *inner]


async def test_it_is_the_same_half() -> None:
    source = PADDING + GREEDY
    here, there = compile_host(source, "<cordis>", WATERFALLS), await compile_aside(source, "<cordis>", WATERFALLS)
    assert there.code == here.code
    assert (there.source, there.helpers, there.warnings) == (here.source, here.helpers, here.warnings)
    assert there.helpers == ("json",)
    assert there.warnings
    named = renamed(there, "<cordis dyn-1 r1>")
    assert named.code == here.code
    assert set(files(named.code)) == {"<cordis dyn-1 r1>"}
    assert len(files(named.code)) == len(files(here.code)) > 2


@pytest.mark.parametrize(
    "end",
    [
        "return (",
        "import os\n",
        "x = ().__class__\n",
        "x = 1\0\n",
        "x = '\ud800'\n",
        "x = " + "-" * 100_000 + "1\n",
    ],
    ids=["syntax", "import", "dunder", "NUL", "surrogate", "nested"],
)
async def test_it_is_the_same_refusal(end: str) -> None:
    source = PADDING + end
    try:
        compile_host(source, "<cordis>", WATERFALLS)
    except Refusal as refusal:
        expected = outcome(refusal)
    with pytest.raises(Refusal) as caught:
        await compile_aside(source, "<cordis>", WATERFALLS)
    assert outcome(caught.value) == expected


async def test_a_compiler_that_dies_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    async def died(_given: bytes) -> tuple[int, bytes]:
        return -11, b""

    monkeypatch.setattr(compiling, "_elsewhere", died)
    with pytest.raises(Refusal, match="nested too deeply"):
        await compile_aside(PADDING, "<cordis>", WATERFALLS)


async def test_without_a_process_it_is_compiled_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    async def none(_given: bytes) -> tuple[int, bytes]:
        raise OSError("no processes")

    monkeypatch.setattr(compiling, "_elsewhere", none)
    assert (await compile_aside(PADDING + GREEDY, "<cordis>", WATERFALLS)).warnings


async def test_others_go_on_meanwhile_and_ids_follow_the_ends() -> None:
    async with world() as made:
        long = made.running("S1", "cordis_define", name="long", purpose="p", code=PADDING + H_SEC)
        await asyncio.sleep(0)
        assert await made.define(H_SEC, "S2") == "dyn-1"
        result = await long
        assert result.value["id"] == "dyn-2"
        assert (await made.run("dyn-2"))["status"] == "running"
        assert made.package("dyn-2").newest.half.code.co_filename == "<cordis dyn-2 r1>"  # type: ignore[union-attr]


async def test_a_package_that_is_undefined_meanwhile_gets_no_revision() -> None:
    async with world() as made:
        package_id = await made.define(H_SEC)
        again = made.running("S1", "cordis_define", name="p", purpose="p", code=PADDING + H_SEC, id=package_id)
        await asyncio.sleep(0.01)
        await made.people.undefine(package_id)
        assert (await again).error.code == "definition-missing"
        assert made.dynamic.packages() == ()


async def test_a_cancelled_define_leaves_no_process() -> None:
    async with world() as made:
        task = asyncio.create_task(compile_aside(PADDING + "x = 1\n" * 200_000, "<cordis>", WATERFALLS))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert made.dynamic.packages() == ()
