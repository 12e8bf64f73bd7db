"""Commands and jobs as real processes: status, limits, floods, and that nothing of them is left."""

# ruff: noqa: ASYNC240

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from tests.plugins.machine.conftest import Use
from tests.support.tool_calls import Caller, FakeAgent, call, error_of
from workbench.core import Context
from workbench.models import Models
from workbench.models.openai import OpenAIProvider, OpenAISettings
from workbench.tools.confine.landlock import confines_commands


async def gone(file: Path) -> None:
    """Wait until the process whose number stands in the file has ended."""
    pid = int(file.read_text())
    while True:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return
        if state in "ZX":
            return
        await asyncio.sleep(0.01)


async def appears(file: Path) -> None:
    while not file.exists() or not file.read_text().strip():
        await asyncio.sleep(0.01)


async def test_outputs_and_status_come_back(use: Use, work: Path) -> None:
    (work / "sub").mkdir()
    result = await use("bash", command="pwd; echo oops >&2; exit 3", purpose="look", directory="sub")
    assert error_of(result) is None
    assert result.value == {"exit_status": 3, "stdout": f"{work / 'sub'}\n", "stderr": "oops\n"}
    assert result.text == f"{work / 'sub'}\n[standard error]\noops\n[exit status 3]"
    killed = await use("bash", command="kill -9 $$", purpose="die")
    assert killed.text == "[killed by signal 9]"


async def test_nobody_is_at_the_keyboard_and_output_may_be_no_text(use: Use) -> None:
    assert (await use("bash", command="cat; tty", purpose="wait")).value["stdout"] == "not a tty\n"
    noise = await use("bash", command="printf 'a\\377\\0b'", purpose="noise")
    assert noise.value["stdout"] == "a\ufffd\0b"


async def test_keys_of_providers_stay_out_of_commands(use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-secret")
    monkeypatch.setenv("CLOUD_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("PLAIN_SETTING", "seen")
    result = await use(
        "bash", command="echo [$SOME_API_KEY$CLOUD_SECRET_ACCESS_KEY] [$PLAIN_SETTING]", purpose="look"
    )
    assert result.value["stdout"] == "[] [seen]\n"


async def test_what_a_provider_reads_its_key_from_stays_out_of_commands(
    root: Context, use: Use, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEWAY", "sk-secret")
    await root.plugin(Models)
    registration = root.models.register(
        OpenAIProvider(OpenAISettings("http://127.0.0.1:1/v1", api_key_env="GATEWAY"))
    )
    look = "echo [$GATEWAY]; tr '\\0' '\\n' < /proc/$PPID/environ | grep ^GATEWAY"
    result = await use("bash", command=look, purpose="look")
    assert result.value["stdout"] == "[]\n" if confines_commands() else result.value["stdout"].startswith("[]\n")
    await registration()
    assert (await use("bash", command="echo [$GATEWAY]", purpose="look")).value["stdout"] == "[sk-secret]\n"


async def test_a_flood_is_cut_in_the_middle(use: Use) -> None:
    command = "echo begin; head -c 30000000 /dev/zero | tr '\\0' x; echo; echo end"
    result = await use("bash", command=command, purpose="flood")
    out = result.value["stdout"]
    assert out.startswith("begin\n")
    assert out.endswith("end\n")
    assert "bytes left out" in out
    assert len(out) < 70_000


async def test_a_command_that_takes_too_long_is_killed_with_its_children(use: Use, work: Path) -> None:
    command = "sleep 1000 & echo $! > child; echo $$ > shell; echo so far; wait"
    for seconds in (1, 4, 12):  # more only where the machine is too busy to begin in time
        result = await use("bash", command=command, purpose="wait", timeout_seconds=seconds)
        assert error_of(result) == "COMMAND_TIMEOUT"
        if "so far" in result.text:
            break
    assert "so far" in result.text
    await gone(work / "child")
    await gone(work / "shell")


async def test_what_a_command_leaves_in_the_background_ends_with_it(use: Use, work: Path) -> None:
    result = await use("bash", command="sleep 1000 & echo $! > child; echo started", purpose="leave")
    assert result.value == {"exit_status": 0, "stdout": "started\n", "stderr": ""}
    await gone(work / "child")
    quiet = "nohup sleep 1000 > /dev/null 2>&1 < /dev/null & echo $! > quiet"
    await use("bash", command=quiet, purpose="leave quietly")
    await gone(work / "quiet")


async def test_cancel_kills_the_whole_group(caller: Caller, work: Path) -> None:
    command = "trap '' TERM INT; sleep 1000 & echo $! > child; echo $$ > shell; wait"
    running = asyncio.create_task(caller.batch(call("bash", {"command": command, "purpose": "wait"})))
    await appears(work / "shell")
    caller.cancel.set()
    await running
    assert error_of(caller.sink.results["c1"]) == "ABORTED"
    await gone(work / "child")
    await gone(work / "shell")


@pytest.mark.skipif(not confines_commands(), reason="this system cannot confine commands")
async def test_commands_change_nothing_outside(use: Use, work: Path, outside: Path) -> None:
    command = (
        f"echo x > {outside}/new; rm -f {outside}/secret.txt; echo y >> {outside}/secret.txt; mkdir {outside}/d; "
        f"mv inside {outside}/; ln -s {outside} link; echo z > link/new; cat {outside}/secret.txt; "
        "echo ok > kept; echo t > $TMPDIR/t && cat $TMPDIR/t"
    )
    (work / "inside").write_text("")
    result = await use("bash", command=command, purpose="break out")
    assert [each.name for each in outside.iterdir()] == ["secret.txt"]
    assert (outside / "secret.txt").read_text() == "secret\n"
    assert (work / "kept").read_text() == "ok\n"
    assert result.value["stdout"] == "secret\nt\n"
    assert result.value["stderr"].count("denied") >= 5


async def test_a_directory_outside_is_refused(use: Use, outside: Path) -> None:
    assert error_of(await use("bash", command="ls", purpose="look", directory=str(outside))) == "OUTSIDE"
    assert error_of(await use("bash", command="ls", purpose="look", directory="nowhere")) == "NOT_FOUND"
    assert error_of(await use("bash", command="a\0b", purpose="x")) == "INVALID_COMMAND"


@pytest.mark.parametrize("missing", [["pidfd_open"], ["pidfd_open", "waitid"]])
async def test_other_systems_hear_of_the_end_in_another_way(
    use: Use, work: Path, monkeypatch: pytest.MonkeyPatch, missing: list[str]
) -> None:
    for name in missing:
        monkeypatch.delattr(os, name, raising=False)
    result = await use("bash", command="sleep 1000 & echo $! > child; exit 5", purpose="look")
    assert result.value["exit_status"] == 5
    await gone(work / "child")


# Jobs


async def test_a_job_runs_beside_and_is_read_bit_by_bit(use: Use, work: Path) -> None:
    command = "echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; exit 4"
    started = await use("job_start", command=command, purpose="count")
    assert started.value == {"job": "job-1"}
    first = await use("job_output", job="job-1", wait_seconds=60)
    assert first.value == {"output": "one\n", "is_running": True, "exit_status": None}
    (work / "go").write_text("")
    text = ""
    while True:
        part = await use("job_output", job="job-1", wait_seconds=60)
        text += part.value["output"]
        if not part.value["is_running"]:
            break
    assert (text, part.value["exit_status"]) == ("two\n", 4)
    again = await use("job_output", job="job-1", from_start=True)
    assert again.text == "one\ntwo\n[ended, exit status 4]"
    assert "job-1 (ended, exit status 4" in (await use("job_list")).text
    assert (await use("job_list", state="running")).value == {"jobs": []}


async def test_the_end_of_a_job_is_told_to_its_agent(caller: Caller, use: Use) -> None:
    told: list[Any] = []
    ended = asyncio.Event()

    def inject(message: Any) -> None:
        told.append(message)
        ended.set()

    caller.agent.inject = inject  # type: ignore[attr-defined]
    await use("job_start", command="true", purpose="be quick")
    await ended.wait()
    assert told[0]["source"] == {"kind": "plugin", "plugin": "jobs"}
    assert "job-1 (be quick) has ended, exit status 0" in told[0]["content"][0]["text"]


async def test_a_stopped_job_is_gone_with_its_children(use: Use, work: Path) -> None:
    command = "trap '' TERM; sleep 1000 & echo $! > child; echo $$ > shell; while true; do sleep 1; done"
    await use("job_start", command=command, purpose="resist")
    await appears(work / "shell")
    result = await use("job_stop", job="job-1", grace_seconds=0)
    assert result.text.endswith("[ended by signal 9]")
    await gone(work / "child")
    assert (await use("job_stop", job="job-1")).value["is_running"] is False


async def test_a_job_that_floods_keeps_memory_bounded(use: Use) -> None:
    await use("job_start", command="head -c 20000000 /dev/zero | tr '\\0' x; echo end", purpose="flood")
    while (await use("job_output", job="job-1", wait_seconds=60)).value["is_running"]:
        pass
    everything = (await use("job_output", job="job-1", from_start=True)).value["output"]
    assert "bytes left out" in everything
    assert everything.endswith("end\n")
    assert len(everything) < 300_000


async def test_jobs_belong_to_their_session(root: Context, use: Use, work: Path) -> None:
    await use("job_start", command="sleep 1000", purpose="wait")
    other = Caller(root, agent=FakeAgent("session-2", str(work)))
    result = await other.one("job_output", {"job": "job-1"})
    assert (error_of(result), "(none)" in result.text) == ("NO_SUCH_JOB", True)
    assert (await other.one("job_list")).value == {"jobs": []}


async def test_jobs_end_with_their_session(root: Context, caller: Caller, use: Use, work: Path) -> None:
    await use("job_start", command="echo $$ > shell; sleep 1000 & wait", purpose="wait")
    await appears(work / "shell")
    root.emit("agent/removed", caller.agent)
    await gone(work / "shell")
    while (await use("job_list")).value["jobs"]:
        await asyncio.sleep(0.01)


async def test_jobs_end_with_their_plugin(root: Context, use: Use, work: Path) -> None:
    await use("job_start", command="echo $$ > shell; sleep 1000 & wait", purpose="wait")
    await appears(work / "shell")
    temporary = root.get("shell")._temporary
    assert os.path.isdir(temporary)
    for fiber in root.runtime.fibers():
        if fiber.name == "machine":
            await fiber.dispose()
    await gone(work / "shell")
    assert not os.path.exists(temporary)
