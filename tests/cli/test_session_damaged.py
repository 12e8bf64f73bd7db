"""`workbench session` on logs whose values are not what they should be: an answer or an error, never a crash."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agent.log.building import Run, call, header, text, user
from tests.cli.conftest import Cli
from tests.support.command_line import invoke
from workbench.agent.log import LogError, Replace, Session

odd = st.sampled_from([None, True, 0, -1, 1.5, "", "x", [], ["x"], {}, {"type": "text"}, [[]], [{}], {"kind": 1}])


def log_records(path: Path) -> list[dict[str, Any]]:
    """A log with all that the command shows."""
    run = Run(path, parent_session="p", origin="subagent", delegation_depth=1)
    run.whole_turn("one", "1")
    run.tool_turn("two", "c1")
    run.begin_turn()
    run.begin_step("three")
    run.send(header("other"))
    run.append("assistant/chunk", {**run.place, "chunk": {"type": "usage", "usage": {"inputTokens": 1}}})
    failure = {"kind": "error", "failure": {"code": "X", "message": "m"}}
    run.append("assistant/chunk", {**run.place, "chunk": {"type": "finish", "reason": failure}})
    run.answer(text("x"), call("c2"))
    nodes = run.session.surface.nodes[:2]
    run.append("user/message", user("SUM"), Replace(nodes[0], nodes[1]), *nodes)
    run.send(header("other", temperature=1))
    run.end_turn("error")
    run.session.close_now()
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def places(value: Any, *above: Any) -> Iterator[tuple[Any, ...]]:
    """The way to every value within."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*above, key)
        if isinstance(inner, dict | list):
            yield from places(inner, *above, key)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    return json.dumps(log_records(tmp_path_factory.mktemp("whole") / "log.jsonl"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged")


QUESTIONS = (
    [],
    ["-f", "json"],
    ["--stats"],
    ["--rebuild"],
    ["--step", "2.2"],
    ["--step", "2.2", "-f", "openai"],
    ["--diff", "1.1", "3.1"],
)


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_any_value_may_be_anything(whole: str, folder: Path, data: st.DataObject) -> None:
    records = json.loads(whole)
    *way, last = data.draw(st.sampled_from(list(places(records))))
    target: Any = records
    for key in way:
        target = target[key]
    if data.draw(st.booleans()) and isinstance(target, dict):
        del target[last]
    else:
        target[last] = data.draw(odd)
    path = folder / "log.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    for question in QUESTIONS:
        result = invoke("session", str(path), *question)
        assert result.exception is None or isinstance(result.exception, SystemExit), (question, result.exc_info)
        assert result.exit_code in (0, 1, 2)
        assert result.stdout or result.stderr
    before = path.read_bytes()
    try:
        Session.resume_now(path).close_now()
    except LogError:
        assert path.read_bytes() == before


def test_requests_before_a_message_that_is_none_are_rebuilt(cli: Cli, tmp_path: Path) -> None:
    records = log_records(tmp_path / "log.jsonl")
    wrong = {"type": "user/message", "seq": len(records) - 1, "data": {"role": 5}, "surfaceOp": "append"}
    with (tmp_path / "log.jsonl").open("a") as file:
        file.write(json.dumps(wrong) + "\n")
    ran = cli("session", str(tmp_path / "log.jsonl"), "--rebuild")
    assert ran.code == 1
    assert ran.out.endswith("5 requests: 5 equal\n")
    assert f"event {len(records) - 1} (user/message)" in ran.err


def test_a_log_of_nothing_but_a_header(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    Session.create(path=path).close_now()
    for question in ([], ["--stats"], ["--rebuild"]):
        assert cli("session", str(path), *question).code == 0
    assert "tells of no request" in cli("session", str(path), "--step", "1.1").err
