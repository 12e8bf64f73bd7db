"""`workbench run`: real tools, scripted and HTTP models, exit codes, and interrupts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.cli.test_terminal import HOSTILE
from tests.support.model_server import error_answer, server_in_thread, text_answer, tool_answer
from workbench.agent.log.session_log import SessionLog
from workbench.config.compose import parse_yaml
from workbench.config.nodes import plain_data
from workbench.config.samples import find_sample, samples

AGENT = """\
persona: You run on {{model}}.
include_harness_identity: false
models:
  - name: scripted
    script: answers.yml
agents:
  - {name: main, provider: scripted, model: m1}
  - {name: other, provider: scripted, model: m2, max_tokens: 7, temperature: 0.5}
"""
pytestmark = pytest.mark.timeout(120)
PATIENCE = 60
"""Seconds until a test gives up: other suites may share the cores."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the agent works; also the working directory of the test."""
    monkeypatch.chdir(tmp_path)
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "agent.yml").write_text(AGENT, encoding="utf-8")
    return tmp_path


def answers(folder: Path, *calls: Any, **more: Any) -> None:
    script = {"sessions": [{"calls": list(calls)}], **more}
    (folder / "answers.yml").write_text(json.dumps(script), encoding="utf-8")


def requests_of(log: Path) -> list[str]:
    opened = SessionLog.open_now(log)
    try:
        return [event.type for event in opened.events]
    finally:
        opened.close()


def sample_calls() -> list[Any]:
    """What the model of `live-coding` says."""
    path = find_sample("live-coding")
    assert path is not None
    script = path.parent / "scripts" / "live-coding.yml"
    document, _ = parse_yaml(script.read_text(encoding="utf-8"), str(script))
    assert document.root is not None
    calls: list[Any] = plain_data(document.root)["sessions"][0]["calls"]
    return calls


def check_work(folder: Path) -> None:
    """What the coding task leaves behind."""
    run = subprocess.run([sys.executable, "test_tides.py"], cwd=folder, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "all tides are right\n")


def test_the_coding_sample_does_its_work(cli: Cli, folder: Path) -> None:
    ran = cli("run", "live-coding", "--message", "Write it.", "--session-log", "tides.jsonl")
    assert ran.code == 0
    assert ran.out.startswith("I look at what is here, and make a plan.\nThe test is red.")
    assert ran.out.endswith("no port has that.\n")
    assert "→ bash python3 test_tides.py" in ran.err
    assert "← [standard error] Traceback" in ran.err
    assert "← all tides are right" in ran.err
    check_work(folder)
    session = cli("session", "tides.jsonl", "--rebuild")
    assert session.code == 0


def test_the_same_task_over_http(cli: Cli, folder: Path) -> None:
    def over_http(call: Any, number: int) -> Any:
        wanted = enumerate(call.get("tool_calls", []))
        tools = [(f"c{number}-{at}", each["name"], each["arguments"]) for at, each in wanted]
        return tool_answer(*tools, text=call.get("text", "")) if tools else text_answer(call["text"])

    with server_in_thread([over_http(call, number) for number, call in enumerate(sample_calls())]) as server:
        sample = find_sample("live-coding")
        (folder / "http.yml").write_text(
            json.dumps(
                {
                    "include": str(sample),
                    "models": [{"name": "local", "endpoint": {"base_url": server.base_url}}],
                    "agents": [{"name": "main", "provider": "local", "model": "m1", "max_tokens": 500}],
                }
            ),
            encoding="utf-8",
        )
        ran = cli("run", "http.yml", "-m", "Write it.")
    assert ran.code == 0, ran.err
    assert ran.out.endswith("no port has that.\n")
    check_work(folder)
    assert [request.path for request in server.requests] == ["/v1/chat/completions"] * 5
    first = server.requests[0].body
    assert (first["model"], first["max_tokens"], first["messages"][0]["role"]) == ("m1", 500, "system")
    assert {tool["function"]["name"] for tool in first["tools"]} >= {"bash", "edit", "write", "todo_write"}
    assert server.requests[-1].body["messages"][-1]["role"] == "tool"


def test_the_delegation_sample_has_a_child_with_a_log_of_its_own(cli: Cli, folder: Path) -> None:
    ran = cli("run", "live-delegation", "-m", "Compare.", "--session-log", "talk.jsonl")
    assert ran.code == 0
    assert "    → read emden.txt" in ran.err
    assert "← The time of high water is 14:02 in emden.txt and 12:57 in norderney.txt." in ran.err
    assert ran.out.splitlines()[-1] == "They disagree about high water, by an hour and five minutes."
    child = SessionLog.open_now(folder / "talk.1.jsonl")
    parent = SessionLog.open_now(folder / "talk.jsonl")
    assert (child.header.parent_session, child.header.delegation_depth) == (parent.header.id, 1)
    child.close()
    parent.close()


def test_a_session_is_gone_on_with(cli: Cli, folder: Path) -> None:
    answers(folder, {"text": "one"})
    assert cli("run", "agent.yml", "-m", "1", "--session-log", "log.jsonl").out == "one\n"
    answers(folder, {"text": "two"})
    assert cli("run", "agent.yml", "-m", "2", "--session-log", "log.jsonl").out == "two\n"
    types = requests_of(folder / "log.jsonl")
    assert (types.count("turn/end"), types.count("request/header")) == (2, 2)


@pytest.mark.parametrize(
    ("call", "code", "said"),
    [
        ({"error": {"code": "AUTH", "message": "no key"}}, 1, "error: AUTH: no key"),
        ({"text": "cut", "finish": "max-tokens"}, 4, "longest answer"),
    ],
)
def test_how_a_turn_ends_is_the_exit_code(cli: Cli, folder: Path, call: Any, code: int, said: str) -> None:
    answers(folder, call)
    ran = cli("run", "agent.yml", "-m", "go")
    assert ran.code == code
    assert said in ran.err


def test_what_cannot_be_used(cli: Cli, folder: Path) -> None:
    answers(folder, {"txt": "a"})
    ran = cli("run", "agent.yml", "-m", "go")
    assert (ran.code, ran.out) == (2, "")
    assert 'answers.yml:1:27: error: unknown key "txt"' in ran.err
    assert cli("run", "agent.yml", "-m", "go", "--agent", "mian").code == 2
    (folder / "bad.jsonl").write_text("not a log\n")
    answers(folder, {"text": "a"})
    assert cli("run", "agent.yml", "-m", "go", "--session-log", "bad.jsonl").code == 2
    (folder / "agent.yml").write_text(AGENT.replace("model: m1", "model: m1, cwd: nowhere"))
    assert "does not exist" in cli("run", "agent.yml", "-m", "go").err


def test_nothing_to_say(cli: Cli, folder: Path) -> None:
    answers(folder, {"text": "a"})
    ran = cli("run", "agent.yml", "--headless", stdin="\n")
    assert (ran.code, "nothing to say" in ran.err) == (2, True)


def test_another_agent_and_another_model(cli: Cli, folder: Path) -> None:
    answers(folder, {"text": "ok"})
    cli("run", "agent.yml", "-m", "go", "--agent", "other", "--model", "m3", "--session-log", "log.jsonl")
    log = SessionLog.open_now(folder / "log.jsonl")
    [header] = [event.data["header"] for event in log.events if event.type == "request/header"]
    log.close()
    assert header["config"] == {"provider": "scripted", "model": "m3", "maxTokens": 7, "temperature": 0.5}
    assert header["system"] == "You run on m3."


def test_a_script_of_messages_and_answers(cli: Cli, folder: Path) -> None:
    (folder / "talk.yml").write_text(
        "messages: [first, second]\nsessions:\n  - calls: [{text: one}, {text: two}]\n", encoding="utf-8"
    )
    answers(folder, {"text": "not this"})
    assert cli("run", "agent.yml", "--script", "talk.yml").out == "one\ntwo\n"
    (folder / "talk.yml").write_text("messages: [first, 3]\nsessions: 5\n", encoding="utf-8")
    ran = cli("run", "agent.yml", "--script", "talk.yml")
    assert ran.code == 2
    assert "talk.yml:1:19: error: a text was expected" in ran.err
    assert "talk.yml:2:11: error: a list was expected" in ran.err


def test_a_message_from_a_pipe(cli: Cli, folder: Path) -> None:
    answers(folder, {"text": "ok"})
    ran = cli("run", "agent.yml", "--headless", "--session-log", "log.jsonl", stdin="two\nlines\n")
    assert (ran.code, ran.out) == (0, "ok\n")
    log = SessionLog.open_now(folder / "log.jsonl")
    [message] = [event.data for event in log.events if event.type == "user/message"]
    log.close()
    assert message["content"][0]["text"] == "two\nlines\n"


def test_where_nobody_is_there_an_approval_is_denied(cli: Cli, folder: Path) -> None:
    policy = "plugins: [machine, files, {use: tool_policy, config: {ask: [write]}}]\n"
    (folder / "agent.yml").write_text(AGENT + policy)
    answers(folder, {"tool_calls": [{"name": "write", "arguments": {"path": "x", "content": "x"}}]}, {"text": "ok"})
    ran = cli("run", "agent.yml", "-m", "go")
    assert ran.code == 0
    assert "DENIED" in ran.err
    assert not (folder / "x").exists()


def test_an_error_of_the_endpoint_names_it(cli: Cli, folder: Path) -> None:
    with server_in_thread([error_answer(401, "wrong key")]) as server:
        composition = AGENT.replace("script: answers.yml", f"endpoint: {{base_url: '{server.base_url}'}}")
        (folder / "agent.yml").write_text(composition)
        ran = cli("run", "agent.yml", "-m", "go")
    assert ran.code == 1
    assert "AUTH" in ran.err


def test_every_live_sample_can_be_previewed_as_well(cli: Cli, folder: Path) -> None:
    names = [sample.name for sample in samples() if sample.name.startswith("live-")]
    assert "live-coding" in names
    for name in names:
        assert cli("render", name).code == 0


RUN = [sys.executable, "-c", "from workbench.cli.main import run; run()", "run"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_an_interrupt_cancels_the_turn_and_closes_the_log(folder: Path) -> None:
    answers(folder, {"text": "partial", "hang": True})
    log = folder / "log.jsonl"
    with subprocess.Popen(
        [*RUN, "agent.yml", "-m", "go", "--session-log", str(log)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.read(7) == b"partial"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert b"the turn was cancelled" in errors
    assert b"Traceback" not in errors
    assert requests_of(log)[-3:] == ["assistant/message", "step/end", "turn/end"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_hostile_words_on_a_terminal_and_a_typed_conversation(folder: Path) -> None:
    from tests.support.terminal import Terminal

    policy = "plugins: [machine, files, {use: tool_policy, config: {ask: [write]}}]\n"
    (folder / "agent.yml").write_text(AGENT + policy)
    call = {"name": "write", "arguments": {"path": "x", "content": "made"}}
    answers(folder, {"text": HOSTILE, "tool_calls": [call]}, {"text": "written"})
    code = f"import os; os.chdir({str(folder)!r}); from workbench.cli.main import run; run()"
    environment = {"NO_COLOR": "1", "PYTHONPATH": str(Path(__file__).parents[2])}
    with Terminal(code, "run", "agent.yml", environ=environment) as terminal:
        terminal.wait_for("> ")
        terminal.send("go\n")
        terminal.wait_for("allow write")
        terminal.send("y\n")
        terminal.wait_for("written\r\n> ")
        terminal.send("\x04")
        assert terminal.end() == 0
        received = terminal.received
    assert "‹ESC›]0;owned" in received.decode()
    assert not {0x07, 0x1B, 0x7F} & {*received.replace(b"\r\n", b"\n")}
    assert (folder / "x").read_text() == "made"


def test_a_second_interrupt_does_not_wait(folder: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("signals are POSIX")
    (folder / "stubborn.py").write_text(
        "import asyncio\nfrom workbench.prompt import ToolSchema\n"
        "name, inject = 'stubborn', ['tools']\n"
        "async def body(arguments, run):\n"
        "    print('begun', flush=True)\n"
        "    while True:\n"
        "        try:\n"
        "            await asyncio.get_running_loop().create_future()\n"
        "        except asyncio.CancelledError:\n"
        "            print('swallowed', flush=True)\n"
        "def apply(ctx):\n"
        "    ctx.tools.register(ToolSchema('stay', 'Stays.', {'type': 'object'}), body)\n"
    )
    (folder / "agent.yml").write_text(AGENT + "plugins: [stubborn.py]\n")
    answers(folder, {"tool_calls": [{"name": "stay"}]})
    with subprocess.Popen(
        [*RUN, "agent.yml", "-m", "go"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == b"swallowed\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=PATIENCE) == 130


def test_it_loads_no_screen(folder: Path) -> None:
    answers(folder, {"text": "ok"})
    code = (
        "import sys\nfrom workbench.cli.main import app\n"
        "try:\n    app(['run', 'agent.yml', '-m', 'go'])\nexcept SystemExit:\n    pass\n"
        "assert 'textual' not in sys.modules and 'httpx' not in sys.modules\n"
    )
    started = time.monotonic()
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, env=dict(os.environ))
    assert (run.stdout, run.returncode) == (b"ok\n", 0), run.stderr
    assert time.monotonic() - started < PATIENCE


def test_what_a_failed_run_has_said_is_said_again_by_another(cli: Cli, folder: Path) -> None:
    log = ("--session-log", "log.jsonl")
    assert cli("run", "agent.yml", "--again").code == 2
    answers(folder, {"text": "ok"})
    composition = (folder / "agent.yml").read_text()
    (folder / "agent.yml").write_text("sections: [{name: s, order: 5, text: 'In {{nowhere}}.'}]\n" + composition)
    failed = cli("run", "agent.yml", "-m", "a long question", *log)
    assert failed.code == 1
    assert "{{nowhere}}" in failed.err
    assert "--again" in failed.err
    (folder / "agent.yml").write_text(composition)
    again = cli("run", "agent.yml", "--again", *log)
    assert (again.code, again.out) == (0, "ok\n")
    opened = SessionLog.open_now(folder / "log.jsonl")
    said = [event.data["content"][0]["text"] for event in opened.events if event.type == "user/message"]
    opened.close()
    assert said == ["a long question"]
    nothing = cli("run", "agent.yml", "--again", *log)
    assert (nothing.code, "nothing to say again" in nothing.err) == (2, True)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_an_empty_line_says_again_what_a_turn_has_failed_on(folder: Path) -> None:
    from tests.support.terminal import Terminal

    answers(folder, {"error": {"code": "AUTH", "message": "no key"}}, {"text": "now it works"})
    code = f"import os; os.chdir({str(folder)!r}); from workbench.cli.main import run; run()"
    environment = {"NO_COLOR": "1", "PYTHONPATH": str(Path(__file__).parents[2])}
    with Terminal(code, "run", "agent.yml", environ=environment) as terminal:
        terminal.wait_for("> ")
        terminal.send("go\n")
        terminal.wait_for("an empty line says it again\r\n> ")
        terminal.send("\n")
        terminal.wait_for("now it works\r\n> ")
        terminal.send("\x04")
        assert terminal.end() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_an_interrupt_reaches_a_child_as_the_cancel_of_its_parent(folder: Path) -> None:
    subagent = "subagents, {use: subagent_provider, config: {name: p}}, {use: subagent, config: {provider: p}}"
    (folder / "agent.yml").write_text(AGENT + f"plugins: [{subagent}]\n")
    call = {"name": "subagent", "arguments": {"title": "a child", "task": "x"}}
    script = {"sessions": [{"calls": [{"tool_calls": [call]}]}, {"calls": [{"text": "half", "hang": True}]}]}
    (folder / "answers.yml").write_text(json.dumps(script), encoding="utf-8")
    parent, child = folder / "log.jsonl", folder / "log.1.jsonl"
    with subprocess.Popen(
        [*RUN, "agent.yml", "-m", "go", "--session-log", str(parent)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
    ) as process:
        end = time.monotonic() + PATIENCE
        while not child.exists() or b"assistant/chunk" not in child.read_bytes():
            assert time.monotonic() < end
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=PATIENCE) == 130
    for log, cause in ((parent, "user"), (child, "parent")):
        opened = SessionLog.open_now(log)
        assert opened.events[-1].data["reason"] == {"kind": "aborted", "reason": {"kind": cause}}
        opened.close()
