"""Captured requests of OpenAI and Anthropic: in order, with images, unknown fields and long messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.agent.verdicts.judging import quarter
from workbench.config.importers.captures import NoCapture, read_capture
from workbench.config.recorded import is_capture, is_log, is_recorded
from workbench.config.sessions.story import CapturedStory, LogStory, open_story

TOOL = {"type": "object", "properties": {"path": {"type": "string"}}}


def openai(system: str, *said: str, **more: Any) -> dict[str, Any]:
    messages = [{"role": "system", "content": system}]
    for index, text in enumerate(said):
        messages.append({"role": "user" if index % 2 == 0 else "assistant", "content": text})
    tools = [{"type": "function", "function": {"name": "read", "description": "Read.", "parameters": TOOL}}]
    return {"model": "gpt-5", "messages": messages, "tools": tools, "temperature": 0.2, **more}


def written(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_a_jsonl_of_openai_bodies(tmp_path: Path) -> None:
    path = written(
        tmp_path / "requests.jsonl",
        openai("# Role\nBe kind.\n# Rules\nOne.", "hello"),
        openai("# Role\nBe kind.\n# Rules\nOne.", "hello", "hi", "and?"),
        openai("# Role\nBe kind.\n# Rules\nTwo.", "hello", "hi", "and?", "so", "go on"),
    )
    assert is_capture(path)
    assert is_recorded(path)
    story = open_story(path)
    assert isinstance(story, CapturedStory)
    rows = story.timeline(quarter).requests
    assert [row.verdict.word for row in rows] == ["first", "appended", "changed"]
    part = rows[2].verdict.part
    assert part is not None
    assert (part.kind, part.name, part.place) == ("section", "Rules", "2:1")
    assert [part.name for part in story.parts(rows[0])] == ["Role", "Rules", "read"]
    assert story.rebuilt(rows[1].sent).request.system == "# Role\nBe kind.\n# Rules\nOne."
    assert not story.problems


def test_anthropic_bodies_with_calls_results_images_and_marks(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A" * 5_000}}
    base = {
        "model": "claude-x",
        "max_tokens": 100,
        "system": [{"type": "text", "text": "# A\none", "cache_control": {"type": "ephemeral"}}],
        "tools": [{"name": "read", "description": "Read.", "input_schema": TOOL}],
        "container": {"unknown": ["field"]},
    }
    first: list[dict[str, Any]] = [{"role": "user", "content": [{"type": "text", "text": "see"}, image]}]
    second = [
        *first,
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "read", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "text", "odd": 1}]},
    ]
    folder = tmp_path / "captured"
    folder.mkdir()
    answer = {"usage": {"input_tokens": 3, "cache_read_input_tokens": 90, "output_tokens": 2}}
    (folder / "10.json").write_text(json.dumps({"request": {**base, "messages": second}, "response": answer}))
    (folder / "9.json").write_text(json.dumps({**base, "messages": first}))
    story = open_story(folder)
    rows = story.timeline(quarter).requests
    assert [row.verdict.word for row in rows] == ["first", "appended"], "marks of a cache are no text"
    assert rows[1].usage == {"inputTokens": 3, "cacheReadTokens": 90, "outputTokens": 2}
    assert rows[0].verdict.total < 500, "the bytes of an image are nobody's text"
    config = rows[0].config
    assert (config.provider, config.model, config.max_tokens) == ("anthropic", "claude-x", 100)
    assert "container" in config.extra
    assert any("cache_control" in problem for problem in story.problems)


def test_a_wrong_order_is_said_and_not_guessed(tmp_path: Path) -> None:
    path = written(
        tmp_path / "r.jsonl",
        {"timestamp": 1_800_000_010, "body": openai("S", "a", "b", "c")},
        {"timestamp": 1_800_000_000, "body": openai("S", "a")},
    )
    capture = read_capture(path)
    assert [len(body.messages) for body in capture.bodies] == [3, 1]
    assert len(capture.problems) == 2
    assert "sent before r.jsonl:1 by its time" in capture.problems[0]
    assert "is the beginning of that of r.jsonl:1" in capture.problems[1]


def test_bad_lines_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    good = json.dumps(openai("S", "x" * 5_000_000))
    lines = [good, "{", '{"messages": 3}', "[1]", '{"messages": [1, null, {"role": 5}], "tools": [7]}', good]
    path.write_text("\n".join(lines) + "\n")
    capture = read_capture(path)
    assert len(capture.bodies) == 3
    assert [problem.split(": ")[0] for problem in capture.problems[:3]] == ["r.jsonl:2", "r.jsonl:3", "r.jsonl:4"]
    assert capture.bodies[0].messages[0] is capture.bodies[2].messages[0], "what is equal is kept once"
    CapturedStory(capture).timeline(quarter)


@pytest.mark.parametrize("content", ["", "{}", "[]", "nothing", '{"a": 1}\n{"b": 2}\n'])
def test_what_holds_no_request_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(content)
    assert not is_capture(path)
    with pytest.raises(NoCapture):
        read_capture(path)


def test_the_responses_interface(tmp_path: Path) -> None:
    item = {"type": "function_call", "call_id": "c", "name": "read", "arguments": "{}"}
    body = {"model": "gpt-5", "instructions": "# A\none", "input": [{"role": "user", "content": "hi"}, item]}
    capture = read_capture(written(tmp_path / "r.jsonl", body))
    (one,) = capture.bodies
    assert one.form == "responses"
    assert one.header.system == "# A\none"
    assert [message["role"] for message in one.messages] == ["user", "assistant"]


def test_a_session_log_is_no_capture(tmp_path: Path) -> None:
    from tests.agent.verdicts.sessions import fc04

    story = fc04(tmp_path / "session.jsonl")
    story.run.session.close_now()
    assert is_log(tmp_path / "session.jsonl")
    opened = open_story(tmp_path / "session.jsonl")
    assert isinstance(opened, LogStory)
    assert [row.name for row in opened.timeline().requests] == ["1.1", "2.1", "3.1"]
    opened.close()
