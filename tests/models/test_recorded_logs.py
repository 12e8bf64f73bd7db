"""Real recorded logs: their streams, and the messages that come of them (scenarios A42 to A44)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.support.model_calls import assembled, chunks_of
from workbench.models import BlockAssembler, CallConfig, ModelCall, ModelRequest
from workbench.models.recording import Override, Recording, RecordingError
from workbench.models.recording import chunks_of as chunks_of_row
from workbench.models.replay import ReplayProvider

SESSIONS = Path(__file__).parents[3] / "shared/data/dsh/sessions"
LOGS = sorted(SESSIONS.glob("*/*.jsonl"))
pytestmark = pytest.mark.skipif(not LOGS, reason="the recorded logs are not beside this checkout")


def counts(recording: Recording) -> dict[tuple[int, int], list[int]]:
    return {step: [attempt.count for attempt in recorded] for step, recorded in recording.attempts.items()}


async def test_a42_the_recorded_answer_whatever_is_asked() -> None:
    provider = ReplayProvider([Recording.from_file(SESSIONS / "tool-call-turn/session.jsonl")])
    request = ModelRequest(CallConfig("other", "m"), "Another persona.", ({"name": "echo"},))  # type: ignore[arg-type]
    first = await chunks_of(provider, request, ModelCall("live", 1, 1))
    second = await chunks_of(provider, request, ModelCall("live", 1, 2))
    assert (len(first), len(second)) == (54, 33)
    assert assembled(first).tool_calls()[0]["name"] == "bash"
    assert assembled(second).content()[-1] == {"type": "text", "text": "DONE"}
    provider.assert_consumed()


def test_a43_a_parent_and_its_fork() -> None:
    folder = SESSIONS / "subagent-fork-in-process"
    parent, child = (Recording.from_file(folder / name) for name in ("session.jsonl", "session.1.jsonl"))
    assert counts(parent) == {(1, 1): [30], (2, 1): [110], (2, 2): [35]}
    assert counts(child) == {(2, 1): [44]}
    assert ReplayProvider([child, parent]).recordings == (parent, child)


async def test_a44_an_error_and_a_stream_without_end() -> None:
    provider = ReplayProvider([Recording.from_file(SESSIONS / "error-finish/session.jsonl")])
    answer = assembled(await chunks_of(provider))
    assert answer.failure is not None
    assert answer.failure["code"] == "AUTH"
    assert answer.content() == []
    cancelled = SESSIONS / "cancel/session.jsonl"
    with pytest.raises(RecordingError, match=r"no finish for 1/1;"):
        Recording.from_file(cancelled)
    assert counts(Recording.from_file(cancelled, {"1/1": Override("hang")})) == {(1, 1): [2]}


@pytest.mark.parametrize("log", LOGS, ids=[f"{path.parent.name}/{path.stem}" for path in LOGS])
def test_the_chunks_of_a_step_are_its_message(log: Path) -> None:
    assemblers: dict[Any, BlockAssembler] = {}
    compared = 0
    for line in log.read_bytes().splitlines()[1:]:
        row = orjson.loads(line)
        key = (row["data"].get("turn"), row["data"].get("step"))
        for chunk in chunks_of_row(row):
            assemblers.setdefault(key, BlockAssembler()).feed(chunk)
        if row["type"] == "assistant/message":
            answer = assemblers.pop(key)
            interrupted = row["data"].get("interrupted", False)
            content = answer.shown() if interrupted else answer.content()
            assert content == row["data"]["message"]["content"]
            assert answer.usage == row["data"].get("usage")
            compared += 1
    assert compared or log.parent.name == "error-finish"
