"""`workbench session`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agent.log.building import NOT_HERE, RECORDED, SESSIONS, TOOL_A, TOOL_B, Run, call, header, text, user
from tests.cli.conftest import Cli
from workbench.agent.log import Replace


@pytest.fixture
def log(tmp_path: Path) -> str:
    """Three turns with four header changes, a failed attempt, a replacement, and an open turn at the end."""
    path = tmp_path / "session.jsonl"
    run = Run(path)
    run.whole_turn("hello [b]there[/b]", "\x1b]52;c;eA==\x07 日本語", header())
    run.tool_turn("use it", "c1")
    run.begin_turn()
    run.begin_step("again")
    run.send(header("You run on m1.\n\nX", [TOOL_A]))
    failure = {"kind": "error", "failure": {"code": "RATE_LIMIT", "message": "slow down"}}
    run.append("assistant/chunk", {**run.place, "chunk": {"type": "finish", "reason": failure}})
    run.send(header("You run on m1.\n\nX", [TOOL_A, TOOL_B]), attempt=2)
    run.answer(text("calling"), call("c2", "a"))
    run.append("tool/call", {**run.place, "callId": "c2", "name": "a", "arguments": "{}"})
    nodes = run.session.surface.nodes[:2]
    run.append("user/message", user("SUM"), Replace(nodes[0], nodes[1]), *nodes)
    run.send(header("You run on m1.\n\nX", [TOOL_A, TOOL_B], temperature=0.5), attempt=3)
    run.send(header("You run on m1.\n\nX", [TOOL_A, TOOL_B], model="m2"), attempt=4)
    run.session.close_now()
    return str(path)


def test_the_timeline_names_what_changed(cli: Cli, log: str) -> None:
    ran = cli("session", log)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0].startswith("session ")
    assert "· /w ·" in lines[0]
    assert lines[0].endswith("· 3 turns · 7 requests")
    assert "turn 1 · hello [b]there[/b]" in lines
    assert "          ‹ESC›]52;c;eA==‹BEL› 日本語" in lines
    assert "\x1b" not in ran.out
    shown = [line.split()[1] for line in lines if line.startswith("  ") and line[2:3].isdigit()]
    assert shown == ["first", "appended", "appended", "changed", "changed", "changed", "another"]
    assert "          failed: RATE_LIMIT slow down" in lines
    assert any("system differs at byte" in line and "header change (system, tools)" in line for line in lines)
    assert any("tool[1] differs at byte" in line and line.endswith("header change (tools)") for line in lines)
    assert any("message[0] differs" in line and "replacement of" in line and "(config)" in line for line in lines)
    assert any(line.endswith("nothing is reused: another route; header change (config)") for line in lines)
    assert lines[-1] == "  open"


def test_the_timeline_as_json(cli: Cli, log: str) -> None:
    ran = cli("session", log, "--format", "json")
    page = json.loads(ran.out)
    rows = [row for turn in page["turns"] for row in turn["requests"]]
    assert [row["name"] for row in rows] == ["1.1", "2.1", "2.2", "3.1", "3.1#2", "3.1#3", "3.1#4"]
    assert [row["headerChanges"] for row in rows] == [
        [],
        [],
        [],
        ["system", "tools"],
        ["tools"],
        ["config"],
        ["config"],
    ]
    assert [row["divergence"]["kind"] for row in rows] == [
        "cold",
        "none",
        "none",
        "system",
        "tools",
        "messages",
        "route",
    ]
    assert rows[4]["toolCalls"] == ["a"]
    assert page["turns"][2]["reason"] is None


def test_a_request_is_rebuilt_as_text_json_and_body(cli: Cli, log: str) -> None:
    ran = cli("session", log, "--step", "2.2")
    assert ran.code == 0
    assert ran.out.startswith("── request 2.2 · event ")
    assert "── system\nYou run on m1.\n" in ran.out
    assert "── message[0] user\nhello [b]there[/b]\n" in ran.out
    assert "\x1b]52;c;eA==\x07 日本語\n" in ran.out  # into a pipe as it is
    assert "(result of c1)\ndid c1\n" in ran.out
    page = json.loads(cli("session", log, "--step", "3.1#2", "-f", "json").out)
    assert page["mismatch"] is None
    assert page["digest"] == page["recordedDigest"]
    assert [tool["name"] for tool in page["request"]["tools"]] == ["a", "b"]
    assert json.loads(cli("session", log, "--step", "3.1", "-f", "json").out)["name"] == "3.1#4"  # the last attempt
    body = json.loads(cli("session", log, "--step", "2.2", "--format", "openai").out)
    assert [message["role"] for message in body["messages"]] == [
        "system", "user", "assistant", "user", "assistant", "tool",
    ]  # fmt: skip
    assert body["model"] == "m1"


def test_two_requests_compared(cli: Cli, log: str) -> None:
    same = cli("session", log, "--diff", "2.1", "2.1")
    assert (same.code, same.out) == (0, "")
    ran = cli("session", log, "--diff", "2.2", "3.1#2")
    assert ran.code == 1
    assert ran.out.startswith("--- 2.2\n+++ 3.1#2\nprefix: changed at system, byte ")
    assert "cause: header change at " in ran.out
    assert "~ system\n" in ran.out
    assert "    + X\n" in ran.out
    assert "+ tool b: added\n" in ran.out
    config = cli("session", log, "--diff", "3.1#2", "3.1#3")
    assert "~ temperature: not set → 0.5\n" in config.out
    assert "    - hello [b]there[/b]\n" in config.out
    assert "    + SUM\n" in config.out
    page = json.loads(cli("session", log, "--diff", "3.1#3", "3.1#4", "-f", "json").out)
    assert (page["same"], page["headerChanges"], page["divergence"]["kind"]) == (False, ["config"], "route")


def test_every_request_is_checked(cli: Cli, log: str, tmp_path: Path) -> None:
    ran = cli("session", log, "--rebuild")
    assert ran.code == 0
    assert ran.out.endswith("7 requests: 7 equal\n")
    content = Path(log).read_text()
    changed = tmp_path / "changed.jsonl"
    changed.write_text(content.replace('"text":"use it"', '"text":"use IT"'))
    ran = cli("session", str(changed), "--rebuild")
    assert ran.code == 1
    assert "2.1     DIFFERS" in ran.out
    assert "1.1     equal" in ran.out
    page = json.loads(cli("session", str(changed), "--rebuild", "-f", "json").out)
    assert [row["result"] for row in page["requests"]][:2] == ["equal", "differs"]
    step = cli("session", str(changed), "--step", "2.1")
    assert step.code == 1
    assert "is not the one that was sent" in step.err


def test_figures(cli: Cli, log: str) -> None:
    ran = cli("session", log, "--stats")
    rows = dict(line.rsplit(None, 1) for line in ran.out.splitlines() if len(line.split()) > 1)
    assert rows["requests"] == "7"
    assert rows["retries"] == "3"
    assert rows["failures"] == rows["replacements"] == "1"
    assert rows["  changed"] == "3"
    assert rows["  request/sent"] == "7"
    page = json.loads(cli("session", log, "--stats", "--format", "json").out)
    assert page["endings"] == {"completed": 2, "open": 1}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--step", "9.9"], "there is no request '9.9' in this log; there are 1.1, 2.1"),
        (["--step", "x"], "there is no request 'x'"),
        (["--step", "1.1", "--stats"], "different questions"),
        (["--format", "openai"], "name its step"),
        (["--diff", "1.1", "7.7"], "there is no request '7.7'"),
    ],
)
def test_questions_without_an_answer(cli: Cli, log: str, arguments: list[str], said: str) -> None:
    ran = cli("session", log, *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_logs_that_are_not_whole(cli: Cli, log: str, tmp_path: Path) -> None:
    content = Path(log).read_bytes()
    path = tmp_path / "other.jsonl"

    path.write_bytes(content + b'{"type":"tool/res')
    ran = cli("session", str(path))
    assert ran.code == 0
    assert "the last 17 bytes have no line end" in ran.err

    lines = content.split(b"\n")
    path.write_bytes(b"\n".join([*lines[:6], b"\x1b]0;evil\x07", *lines[6:]]))
    ran = cli("session", str(path))
    assert ran.code == 1
    assert "other.jsonl:7: " in ran.err
    assert "corrupt" in ran.err
    assert "turn 1" in ran.out

    path.write_bytes(content + b'{"type":"alien/\\u001b","data":{},"surfaceOp":"append"}\n')
    ran = cli("session", str(path))
    assert "unknown here" in ran.err
    assert "\x1b" not in ran.err

    for header_line, why in (
        (b"", "empty"),
        (b"garbage", "line end"),
        (b'{"type":"session","version":9}\n', "newer"),
    ):
        path.write_bytes(header_line)
        ran = cli("session", str(path))
        assert (ran.code, ran.out) == (2, "")
        assert why in ran.err
    assert cli("session", str(tmp_path)).code == 2
    assert cli("session", str(tmp_path / "none.jsonl")).code == 2


def test_a_message_that_might_be_missing_is_said(cli: Cli, log: str, tmp_path: Path) -> None:
    path = tmp_path / "alien.jsonl"
    lines = Path(log).read_bytes().split(b"\n")
    records = [json.loads(line) for line in lines if line]
    at = next(index for index, record in enumerate(records) if record["type"] == "turn/end")
    alien: dict[str, Any] = {"type": "alien/message", "data": {}, "surfaceOp": "append"}
    rest = [{key: value for key, value in record.items() if key != "seq"} for record in records[at:]]
    path.write_text("".join(json.dumps(record) + "\n" for record in [*records[:at], alien, *rest]))
    ran = cli("session", str(path))
    assert ran.code == 1
    assert "alien/message" in ran.err
    assert "1.1     first" in ran.out
    assert "2.1" not in ran.out
    assert cli("session", str(path), "--rebuild").code == 1


@pytest.mark.skipif(not RECORDED, reason=NOT_HERE)
def test_every_recorded_log_can_be_shown(cli: Cli) -> None:
    for path in RECORDED:
        for question in ([], ["--stats"], ["--rebuild"], ["--step", "2.1" if "fork" in str(path) else "1.1"]):
            ran = cli("session", str(path), *question)
            assert ran.code == 0
            assert ran.out
    ran = cli("session", str(SESSIONS / "multi-turn/session.jsonl"))
    assert "  2.1     appended " in ran.out
    assert "64 + 2,816 cached in, 21 out" in ran.out
