"""Programs: real child processes, their calls through the pipeline, and every way in which they can end."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.plugins import Key
from tests.support.tool_calls import Caller, call, error_of
from tests.tools.code.conftest import TEXT, Run
from workbench.core import Context, create_scope
from workbench.prompt import ToolSchema
from workbench.tools.code.child import Program, _Clock
from workbench.tools.code.limits import ProgramLimits
from workbench.tools.code.mode import CodeMode
from workbench.tools.confine.landlock import confines_commands
from workbench.tools.pipeline import Accept, Deny, Invocation, OutputDeclaration, ToolFailure, ToolRun


async def test_what_is_printed_and_returned_comes_back(run: Run, echoed: list[str]) -> None:
    result = await run('print("first")\nx = tools.echo(text="a")\nreturn {"said": x}')
    assert error_of(result) is None
    assert result.value == {"printed": "first\n", "returned": {"said": "echo: a"}}
    assert result.text.startswith("first\n{")
    assert echoed == ["a"]
    assert "without printing" in (await run("pass")).text


async def test_each_call_goes_through_the_whole_pipeline(
    run: Run, caller: Caller, root: Context, echoed: list[str]
) -> None:
    seen: list[Invocation] = []
    results: list[str] = []

    async def note(invocation: Invocation, next: Any) -> object:
        seen.append(invocation)
        return await next()

    root.on("tools/pre-execute", note)
    root.on("tools/result", lambda settled: results.append(settled.id))
    await run('tools.echo(text="a")\ntools["echo"]({"text": "b"})')
    assert [(each.id, each.parent_id, each.root_id) for each in seen] == [
        ("c1", "", "c1"),
        ("c1:code:1", "c1", "c1"),
        ("c1:code:2", "c1", "c1"),
    ]
    assert results == ["c1:code:1", "c1:code:2", "c1"]
    assert caller.sink.events == [
        ("call", "c1"),
        ("flush", ""),
        ("code-start", "c1:code:1"),
        ("code", "c1:code:1"),
        ("code-start", "c1:code:2"),
        ("code", "c1:code:2"),
        ("result", "c1"),
    ]
    dispatch, result = caller.sink.dispatches[0], caller.sink.results["c1:code:1"]
    assert dispatch.settled_json(result) == {
        "rootCallId": "c1",
        "parentCallId": "c1",
        "subCallId": "c1:code:1",
        "name": "echo",
        "arguments": {"text": "a"},
        "isError": False,
        "content": [{"type": "text", "text": "echo: a"}],
    }


async def test_a_failed_call_can_be_caught(run: Run, root: Context, echoed: list[str]) -> None:
    def fails(_arguments: Any, _run: ToolRun) -> None:
        raise ToolFailure("it is not there", "MISSING")

    root.tools.register(ToolSchema("find"), fails)
    root.tools.guard(lambda each: Deny("not now") if each.arguments == {"text": "forbidden"} else None)
    caught = """
found = []
for name, arguments in [("find", {}), ("echo", {}), ("echo", {"text": "forbidden"}), ("run_code", {"code": "1"})]:
    try:
        tools._calls(name, arguments) if False else tools[name](arguments)
    except ToolCallError as error:
        found.append([error.tool, error.code])
    except AttributeError:
        found.append([name, "not there"])
return found
"""
    result = await run(caught)
    assert result.value["returned"] == [
        ["find", "MISSING"],
        ["echo", "INVALID_ARGS"],
        ["echo", "DENIED"],
        ["run_code", "not there"],
    ]
    uncaught = await run("tools.find()")
    assert error_of(uncaught) == "PROGRAM_FAILED"
    assert "ToolCallError: it is not there" in uncaught.text
    assert echoed == []


async def test_the_program_gets_what_listeners_leave(run: Run, root: Context) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    root.tools.register(
        ToolSchema("count", "", TEXT),
        lambda _arguments, _run: {"n": 3},
        output=OutputDeclaration(schema, lambda _arguments, value: f"{value['n']} of them"),
    )
    assert (await run('return tools.count(text="")["n"]')).value["returned"] == 3
    root.on(
        "tools/post-execute",
        lambda settled, next: Accept(content="hidden") if settled.name == "count" else next(),
    )
    assert (await run('return tools.count(text="")')).value["returned"] == "hidden"


async def test_safe_calls_overlap_and_others_do_not(run: Run, root: Context) -> None:
    inside = most = 0
    both = asyncio.Event()

    async def body(arguments: Any, each: ToolRun) -> str:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        if each.name == "look":
            if inside == 2:
                both.set()
            await both.wait()
        else:
            await asyncio.sleep(0)
            assert inside == 1
        inside -= 1
        return arguments["text"]

    root.tools.register(ToolSchema("look", "", TEXT), body, is_concurrency_safe=True)
    root.tools.register(ToolSchema("change", "", TEXT), body)
    program = """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor() as pool:
    return list(pool.map(lambda text: tools.{}(text=text), "{}"))
"""
    assert (await run(program.format("look", "ab"))).value["returned"] == ["a", "b"]
    assert most == 2
    assert (await run(program.format("change", "abcde"))).value["returned"] == list("abcde")


async def test_a_program_may_await(run: Run, echoed: list[str]) -> None:
    program = """
import asyncio
async def say(text):
    return await asyncio.to_thread(tools.echo, text=text)
return await asyncio.gather(say("a"), say("b"))
"""
    assert (await run(program)).value["returned"] == ["echo: a", "echo: b"]


@pytest.mark.parametrize(
    ("code", "expected", "told"),
    [
        ("def f():\n    return 1 / 0\nf()", "PROGRAM_FAILED", 'File "<program>", line 2, in f'),
        ("x = = 3", "PROGRAM_FAILED", "SyntaxError"),
        ("x = '\\x00'\nraise SystemExit(3)", "PROGRAM_FAILED", "SystemExit: 3"),
        ("return {1, 2}", "PROGRAM_FAILED", "not JSON"),
        ("return 'x' * 2_000_000", "PROGRAM_FAILED", "return only what is needed"),
        ("x = 'x' * 10**12", "PROGRAM_FAILED", "MemoryError"),
        ("def f(): f()\nf()", "PROGRAM_FAILED", "RecursionError"),
        ("import os\nos._exit(7)", "PROGRAM_DIED", "exit status 7"),
        ("import os, signal\nsignal.raise_signal(signal.SIGKILL)", "PROGRAM_DIED", "signal 9"),
        ("import faulthandler\nfaulthandler._sigsegv()", "PROGRAM_DIED", "signal 11"),
        ("while True: print('x' * 1000)", "OUTPUT_LIMIT", "printed too much"),
        ("import os\nwhile True: os.write(1, b'x' * 65536)", "OUTPUT_LIMIT", "printed too much"),
        ("import os\nwhile True: os.write(2, b'x' * 65536)", "OUTPUT_LIMIT", "printed too much"),
        ("import os\nfor fd in range(3, 20):\n  try: os.write(fd, b'\\xff' * 99)\n  except OSError: pass\n"
         "while True: pass", "PROGRAM_DIED", "channel"),
        ("import os, threading\nos.closerange(0, 20)\nthreading.Event().wait()", "PROGRAM_DIED", "signal 9"),
        ("open('stolen', 'w')", "PROGRAM_FAILED", "through its tools"),
        ("return open('/etc/passwd').read()", "PROGRAM_FAILED", "through its tools"),
        ("import os\nreturn os.listdir('/etc')", "PROGRAM_FAILED", "through its tools"),
        ("import subprocess\nsubprocess.run(['true'])", "PROGRAM_FAILED", "through its tools"),
        ("import os\nos.system('true')", "PROGRAM_FAILED", "through its tools"),
        ("import os\nos.fork()", "PROGRAM_FAILED", "through its tools"),
        ("import os\nos.kill(os.getppid(), 0)", "PROGRAM_FAILED", "through its tools"),
        ("import socket\nsocket.create_connection(('127.0.0.1', 9))", "PROGRAM_FAILED", "through its tools"),
        ("import ctypes", "PROGRAM_FAILED", "through its tools"),
    ],
)  # fmt: skip
async def test_a_bad_end_is_an_error_result(run: Run, code: str, expected: str, told: str) -> None:
    result = await run(code)
    assert error_of(result) == expected
    assert told in result.text
    assert len(result.text) < 60_000


@pytest.mark.skipif(not confines_commands(), reason="this system cannot confine processes")
async def test_the_system_refuses_what_gets_past_the_fence(run: Run, caller: Caller, tmp_path: Path) -> None:
    """The way around the fence starts no program, and writes no file."""
    caller.agent.cwd = str(tmp_path)
    start = """
import _posixsubprocess, os, sys
reading, writing = os.pipe()
pid = _posixsubprocess.fork_exec([b"touch", b"made"], [b"/usr/bin/touch", b"/bin/touch"], True, (writing,), None,
    None, -1, -1, -1, -1, -1, -1, reading, writing, False, False, {}None, None, None, -1, None, False)
return os.waitpid(pid, 0)[1]
"""
    more = "-1, " if sys.version_info >= (3, 11) else ""
    result = await run(start.format(more))
    assert error_of(result) == "PROGRAM_FAILED" or result.value["returned"] != 0
    assert not (tmp_path / "made").exists()


async def test_what_was_printed_before_a_bad_end_is_told(run: Run) -> None:
    result = await run("print('so far')\nimport os\nos._exit(1)")
    assert error_of(result) == "PROGRAM_DIED"
    failed = await run("print('so far', flush=True)\nraise ValueError('no')")
    assert "so far" in failed.text


async def test_long_output_is_shortened_in_the_middle(run: Run) -> None:
    result = await run("print('begin')\nprint('x' * 100_000)\nprint('end')")
    assert error_of(result) is None
    assert result.text.startswith("begin\n")
    assert result.text.rstrip().endswith("end")
    assert "characters left out" in result.text
    assert len(result.text) < 31_000


async def test_the_clock_stands_while_a_call_is_open() -> None:
    expired = asyncio.Event()
    clock = _Clock(0.05, expired.set)
    clock.resume()
    clock.pause()
    await asyncio.sleep(0.2)
    assert not expired.is_set()
    clock.pause()
    clock.resume()
    assert not expired.is_set()
    clock.resume()
    await expired.wait()


async def test_a_program_that_computes_too_long_is_ended(root: Context) -> None:
    scope = create_scope(root, Key("hurried"))
    CodeMode(scope.ctx, None, ProgramLimits(seconds=0.5))
    code = "import time\nprint('so far', flush=True)\nwhile True: time.sleep(0.01)"
    result = await Caller(root, scope.key).one("run_code", {"code": code, "description": ""})
    assert error_of(result) == "PROGRAM_TIMEOUT"


async def test_cancel_kills_the_child_and_drains_open_calls(
    caller: Caller, root: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = asyncio.Event()
    ended: list[str] = []
    processes: list[int] = []
    start = subprocess.Popen

    def remembering(*arguments: Any, **options: Any) -> Any:
        process = start(*arguments, **options)
        processes.append(process.pid)
        return process

    monkeypatch.setattr(subprocess, "Popen", remembering)

    async def hangs(_arguments: Any, _run: ToolRun) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("body")

    root.tools.register(ToolSchema("hangs"), hangs)
    running = asyncio.create_task(caller.one("run_code", {"code": "tools.hangs()", "description": ""}))
    await begun.wait()
    caller.cancel.set()
    assert error_of(await running) == "ABORTED"
    assert ended == ["body"]
    assert caller.sink.events[-2:] == [("code", "c1:code:1"), ("result", "c1")]
    assert error_of(caller.sink.results["c1:code:1"]) == "ABORTED"
    with pytest.raises(ProcessLookupError):
        os.kill(processes[0], 0)


async def test_a_call_of_a_program_is_cancelled_once_and_may_still_answer(caller: Caller, root: Context) -> None:
    begun, release = asyncio.Event(), asyncio.Event()
    cancellations = 0

    async def stubborn(_arguments: Any, _run: ToolRun) -> str:
        nonlocal cancellations
        begun.set()
        while True:
            try:
                await release.wait()
                return "fin"
            except asyncio.CancelledError:
                cancellations += 1
                asyncio.get_running_loop().call_later(0.2, release.set)

    root.tools.register(ToolSchema("stubborn"), stubborn)
    running = asyncio.create_task(caller.one("run_code", {"code": "tools.stubborn()", "description": ""}))
    await begun.wait()
    caller.cancel.set()
    assert error_of(await running) == "ABORTED"
    assert cancellations == 1
    assert caller.sink.results["c1:code:1"].text in (
        "fin",
        "Error (ABORTED): the program ended before this call did",
    )


async def test_a_program_that_ends_before_its_calls_aborts_them(caller: Caller, root: Context) -> None:
    begun = asyncio.Event()

    async def hangs(_arguments: Any, _run: ToolRun) -> None:
        begun.set()
        await asyncio.Event().wait()

    async def ready(_arguments: Any, _run: ToolRun) -> str:
        await begun.wait()
        return ""

    root.tools.register(ToolSchema("hangs"), hangs, is_concurrency_safe=True)
    root.tools.register(ToolSchema("ready"), ready, is_concurrency_safe=True)
    code = "import threading\nthreading.Thread(target=tools.hangs, daemon=True).start()\ntools.ready()\nreturn 1"
    result = await caller.one("run_code", {"code": code, "description": ""})
    assert result.value["returned"] == 1
    codes = {name: error_of(each) for name, each in caller.sink.results.items()}
    assert sorted(str(code) for code in codes.values()) == ["ABORTED", "None", "None"]
    assert caller.sink.events[-1] == ("result", "c1")


@pytest.mark.parametrize("event", ["tools/pre-execute", "tools/execute", "tools/post-execute"])
async def test_an_endless_listener_around_a_call_of_a_program_ends_with_it(
    caller: Caller, root: Context, echoed: list[str], event: str
) -> None:
    begun = asyncio.Event()

    async def endless(payload: Any, next: Any) -> object:
        if payload.name != "echo":
            return await next()
        begun.set()
        await asyncio.Event().wait()
        return None

    async def ready(_arguments: Any, _run: ToolRun) -> str:
        await begun.wait()
        return ""

    root.on(event, endless)
    root.tools.register(ToolSchema("ready"), ready, is_concurrency_safe=True)
    code = (
        "import threading\n"
        "for _ in range(3): threading.Thread(target=tools.echo, kwargs={'text': 'a'}, daemon=True).start()\n"
        "tools.ready()"
    )
    result = await caller.one("run_code", {"code": code, "description": ""})
    assert error_of(result) is None
    expected = "ABORTED_BEFORE_DISPATCH" if event == "tools/pre-execute" else "ABORTED"
    codes = [error_of(each) for name, each in caller.sink.results.items() if name != "c1"]
    assert expected in codes
    assert caller.sink.events[-1] == ("result", "c1")


async def test_a_log_that_cannot_be_written_ends_the_program(
    caller: Caller, root: Context, echoed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(caller.sink, "code_dispatch", full)
    with pytest.raises(OSError, match="disk full"):
        await caller.one("run_code", {"code": "tools.echo(text='a')", "description": ""})


async def test_callbacks_and_conclusions_wait_for_the_whole_program(caller: Caller, root: Context) -> None:
    recorded: list[str] = []

    def ends(_arguments: Any, run: ToolRun) -> str:
        run.conclude_turn()
        run.when_recorded(lambda: recorded.append(run.id))
        run.add_context("mind this")
        return ""

    root.tools.register(ToolSchema("ends"), ends)
    failed = await caller.batch(call("run_code", {"code": "tools.ends()\n1/0", "description": ""}, "c1"))
    assert (failed.concludes, recorded) == (False, [])
    ended = await caller.batch(call("run_code", {"code": "tools.ends()", "description": ""}, "c2"))
    assert (ended.concludes, recorded) == (True, ["c2:code:1"])
    assert [each.content[0]["text"] for each in ended.contexts] == ["mind this"]


async def test_a_child_that_cannot_be_started_is_an_error_result(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_arguments: Any, **_options: Any) -> Any:
        raise OSError("no more processes")

    monkeypatch.setattr(subprocess, "Popen", refused)
    result = await run("pass")
    assert error_of(result) == "PROGRAM_DIED"
    assert "no more processes" in result.text


def test_limits_are_what_the_docs_say() -> None:
    limits = ProgramLimits()
    assert (limits.seconds, limits.output_characters) == (120, 30_000)
    assert Program.run.__doc__
