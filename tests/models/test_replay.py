"""The replay provider on logs made here: bindings, attempts, overrides, seeds, summaries."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.support.model_calls import REQUEST, assembled, chunks_of
from workbench.models import ModelCall, ModelError
from workbench.models import chunks as made
from workbench.models.recording import Override, Recording, RecordingError
from workbench.models.replay import NotConsumed, ReplayProvider

Row = dict[str, Any]


def header(**more: Any) -> Row:
    return {"type": "session", "version": 0, "id": "s0", "createdAt": 0, **more}


def chunk(chunk: Any, turn: int = 1, step: int = 1) -> Row:
    return {"type": "assistant/chunk", "data": {"turn": turn, "step": step, "chunk": chunk}}


def answer(text: str, turn: int = 1, step: int = 1) -> list[Row]:
    return [chunk(made.text_delta(0, text), turn, step), chunk(made.finish("stop"), turn, step)]


def failed(code: str, turn: int = 1, step: int = 1) -> Row:
    return chunk(made.finish_error({"message": "no", "code": code}), turn, step)


def replay(*rows: Row, overrides: dict[str, Override] | None = None) -> ReplayProvider:
    return ReplayProvider([Recording.from_rows([header(), *rows], "log", overrides)])


async def texts(provider: ReplayProvider, calls: Sequence[ModelCall]) -> list[str]:
    answers = [assembled(await chunks_of(provider, call=call)) for call in calls]
    return ["".join(block["text"] for block in each.content() if "text" in block) for each in answers]


async def test_steps_turns_and_attempts() -> None:
    retry = {"type": "llm/retry", "data": {"turn": 1, "step": 1, "attempt": 1, "retry": 1, "code": "SERVER"}}
    provider = replay(failed("SERVER"), retry, *answer("a"), *answer("b", 1, 2), *answer("c", 2, 1))
    first = assembled(await chunks_of(provider, call=ModelCall("x", 1, 1, 1)))
    assert first.failure == {"message": "no", "code": "SERVER"}
    with pytest.raises(NotConsumed, match="log 1/1/2; log 1/2/1; log 2/1/1"):
        provider.assert_consumed()
    assert await texts(provider, [ModelCall("x", 2, 1), ModelCall("x", 1, 1, 2), ModelCall("x", 1, 2)]) == [
        *("c", "a", "b")
    ]
    provider.assert_consumed()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (ModelCall("x", 1, 1, 2), "log has no call for turn 1, step 1, attempt 2; it has 1 for this step"),
        (ModelCall("x", 3, 1), "log has no call for turn 3, step 1, attempt 1; it has 1/1"),
        (ModelCall("y", 1, 1), "1 recorded sessions are bound, and a further one began to call"),
        (ModelCall("x", 1, 1, purpose="compaction"), "log has 0 compaction summaries"),
        (ModelCall("x", 1, 1), "was replayed already"),
    ],
)
async def test_a_call_that_was_not_recorded(call: ModelCall, says: str) -> None:
    provider = replay(*answer("a"))
    await chunks_of(provider, call=ModelCall("x", 1, 1))
    with pytest.raises(ModelError, match=says) as caught:
        await chunks_of(provider, call=call)
    assert caught.value.code == "REPLAY_MISS"


async def test_packed_rows_are_expanded() -> None:
    data = {"turn": 1, "step": 1, "dt": [0, 1]}
    provider = replay(
        {"type": "reasoning-chunks", "data": {**data, "index": 0, "texts": ["r", "s"]}},
        {"type": "text-chunks", "data": {**data, "index": 1, "texts": ["a", "b"]}},
        {"type": "tool-call-chunks", "data": {**data, "index": 2, "id": "c", "name": "n", "args": ["", "{}"]}},
        chunk(made.finish("tool-calls")),
    )
    assert await chunks_of(provider) == [
        made.reasoning_delta(0, "r"),
        made.reasoning_delta(0, "s"),
        made.text_delta(1, "a"),
        made.text_delta(1, "b"),
        made.tool_call_delta(2, "c", "n", ""),
        made.tool_call_delta(2, "c", "n", "{}"),
        made.finish("tool-calls"),
    ]


async def test_the_seed_is_skipped_with_packed_rows_counted_one_by_one() -> None:
    packed = {"type": "text-chunks", "data": {"turn": 1, "step": 1, "index": 0, "texts": ["a", "b", "c"]}}
    rows = [header(seedLength=4), packed, chunk(made.finish("stop")), *answer("own", 2)]
    provider = ReplayProvider([Recording.from_rows(rows)])
    assert await texts(provider, [ModelCall("x", 2, 1)]) == ["own"]
    provider.assert_consumed()


async def test_parents_bind_before_their_children() -> None:
    def log(id: str, text: str, **more: Any) -> Recording:
        return Recording.from_rows([header(**{"id": id, **more}), *answer(text)], id)

    child, parent = log("c", "child", parentSession="p"), log("p", "parent", parentSession="elsewhere")
    grandchild = log("g", "grandchild", parentSession="c")
    provider = ReplayProvider([grandchild, child, parent])
    assert await texts(provider, [ModelCall(session, 1, 1) for session in "xyz"]) == [
        *("parent", "child", "grandchild")
    ]


def test_logs_that_name_each_other_as_parents_are_bound_as_given() -> None:
    logs = [
        Recording.from_rows([header(id=id, parentSession=parent)], id)
        for id, parent in (("a", "b"), ("b", "a"), ("c", "c"))
    ]
    assert {each.name for each in ReplayProvider(logs).recordings} == {"a", "b", "c"}


async def test_summaries_in_their_order() -> None:
    usage = {"inputTokens": 1, "outputTokens": 2}
    provider = replay(
        {"type": "compaction/start", "data": {}},
        {"type": "compaction/summary", "data": {"summary": [{"type": "text", "text": "one"}], "usage": usage}},
        {"type": "compaction/summary", "data": {"summary": "two"}},
    )
    call = ModelCall("x", 2, 1, purpose="compaction")
    first = assembled(await chunks_of(provider, call=call))
    assert first.usage == usage
    assert first.content() == [{"type": "text", "text": "one"}]
    with pytest.raises(NotConsumed, match="log summary 2"):
        provider.assert_consumed()
    assert await texts(provider, [call]) == ["two"]


async def test_an_attempt_without_an_end_needs_an_override() -> None:
    rows = [chunk(made.text_delta(0, "par")), *answer("next", 2)]
    with pytest.raises(RecordingError, match="log: the recording has no finish for 1/1; say with an override"):
        replay(*rows)
    error = ModelError("TIMEOUT", "silence")
    provider = replay(*rows, overrides={"1/1": Override("throw", error), "3/1": Override("throw")})
    seen: list[Any] = []
    with pytest.raises(ModelError, match="silence") as caught:
        async for each in provider.stream(REQUEST, ModelCall("x", 1, 1)):
            seen.append(each)
    assert seen == [made.text_delta(0, "par")]
    assert caught.value.code == "TIMEOUT"
    with pytest.raises(ModelError, match="broken off"):
        await chunks_of(provider, call=ModelCall("x", 3, 1))


async def test_a_retry_ends_an_attempt_whose_finish_was_not_recorded() -> None:
    retry = {"type": "llm/retry", "data": {"turn": 1, "step": 1, "attempt": 1, "retry": 1, "code": "SERVER"}}
    rows = [chunk(made.text_delta(0, "par")), retry, *answer("whole")]
    with pytest.raises(RecordingError, match="no finish for 1/1;"):
        replay(*rows)
    provider = replay(*rows, overrides={"1/1": Override("throw")})
    assert await texts(provider, [ModelCall("x", 1, 1, 2)]) == ["whole"]


async def test_an_attempt_that_hangs() -> None:
    provider = replay(chunk(made.text_delta(0, "par")), overrides={"1/1": Override("hang")})
    stream = provider.stream(REQUEST, ModelCall("x", 1, 1))
    assert await anext(stream) == made.text_delta(0, "par")
    waiting = asyncio.ensure_future(anext(stream))  # type: ignore[arg-type]
    await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("1", "turn/step or turn/step/attempt was expected"),
        ("0/1", "turn/step or turn/step/attempt was expected"),
        ("1/x", "turn/step or turn/step/attempt was expected"),
        ("1/1", "the end of this attempt is recorded"),
        ("1/1/3", "there is no attempt 2"),
    ],
)
def test_overrides_that_fit_nothing(key: str, says: str) -> None:
    with pytest.raises(RecordingError, match=says):
        replay(*answer("a"), overrides={key: Override("hang")})


# Files


def write(path: Path, rows: Sequence[Row], tail: bytes = b"") -> Path:
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows) + tail)
    return path


async def test_bodies_stay_in_the_file(tmp_path: Path) -> None:
    pieces = [chunk(made.text_delta(0, text), 2) for text in "ab"]
    other = {"type": "agent/inbox/spliced", "data": {}}
    rows = [header(), *answer("ä" * 100), *pieces, other, other, *answer("c", 2)]
    provider = ReplayProvider([Recording.from_file(write(tmp_path / "log.jsonl", rows, b'{"type":"assis'))])
    assert await texts(provider, [ModelCall("x", 2, 1), ModelCall("x", 1, 1)]) == ["abc", "ä" * 100]
    in_memory = ReplayProvider([Recording.from_rows(rows)])
    assert await texts(in_memory, [ModelCall("x", 2, 1)]) == ["abc"]


async def test_a_file_that_was_changed_since(tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", [header(), *answer("a"), *answer("b", 2)])
    provider = ReplayProvider([Recording.from_file(path)])
    write(path, [header()])
    with pytest.raises(ModelError, match="changed after it was loaded"):
        await chunks_of(provider)
    path.unlink()
    with pytest.raises(ModelError, match="cannot be read") as caught:
        await chunks_of(provider, call=ModelCall("s", 2, 1))
    assert caught.value.code == "REPLAY_MISS"


async def test_half_a_surrogate_pair_in_a_log_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    body = orjson.dumps(header()) + b"\n"
    for row in answer("half"):
        body += orjson.dumps(row).replace(b"half", b"\\ud83d.") + b"\n"
    path.write_bytes(body)
    assert await texts(ReplayProvider([Recording.from_file(path)]), [ModelCall("x", 1, 1)]) == ["\ufffd."]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", ":1: this is not a session log"),
        (b"{}\n", ":1: this is not a session log"),
        (b'{"type":"session","version":1}\n', ":1: version 1 of session logs is not known here"),
        (b'{"type":"session","version":0,"seedLength":"x"}\n', ":1: seedLength is not a number"),
        (b'{"type":"session","version":0}\n{"type":\n{}\n', ":2: this line is not a JSON object"),
        (b'{"type":"session","version":0}\n[1]\n', ":2: this line is not a JSON object"),
        (b'{"type":"session","version":0}\n{"type":"assistant/chunk"}\n', ":2: this is not an event"),
        (b'{"type":"session","version":0}\n{"type":"text-chunks","data":{"turn":1}}\n', ":2: this is not an event"),
    ],
)
def test_files_that_are_no_logs(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(content)
    with pytest.raises(RecordingError) as caught:
        Recording.from_file(path)
    assert str(caught.value).startswith(f"{path}{says}")
