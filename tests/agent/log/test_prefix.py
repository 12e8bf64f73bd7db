"""Where two requests part. Scenarios A23 to A27 of the agent, on requests alone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agent.log.building import TOOL_A, TOOL_B, Run, header, user
from workbench.agent.log import Divergence, canonical_bytes, first_divergence
from workbench.agent.log.prefix import shared_bytes
from workbench.models.request import CallConfig, ModelRequest
from workbench.values.frozen import freeze

TOOL_Z = {**TOOL_A, "name": "Z"}


def request(system: str = "You run on m1.", tools: Any = (), messages: Any = (), **config: Any) -> ModelRequest:
    return header(system, tools, **config).request([freeze(message) for message in messages])


def message(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": text}]}


def test_canonical_lines() -> None:
    one = request('S\n"é', [TOOL_A], [user("hi") | {"replay": 1}])
    assert canonical_bytes(one).decode() == (
        'S\t"S\\n\\"é"\n'
        'T\t{"name":"a","description":"A","parameters":{"type":"object","properties":{}}}\n'
        'M\t{"role":"user","content":[{"type":"text","text":"hi"}]}\n'
    )
    assert canonical_bytes(request("", [], [])) == b""


@pytest.mark.parametrize("number", [1e-05, 0.00001234, 1e16, 1e22, 1.5e-7, 2**70, 0.1, 5e-324, 1e300])
def test_numbers_stand_as_the_standard_library_writes_them(number: float) -> None:
    import json

    tool = {"name": "n", "description": "", "parameters": {"default": number}}
    text = json.dumps(tool, ensure_ascii=False, separators=(",", ":"))
    assert canonical_bytes(request("", [tool])) == f"T\t{text}\n".encode()


def test_a23_the_next_turn_appends() -> None:
    run = Run()
    first, second = run.whole_turn("one", "1"), run.whole_turn("two", "2")
    found = first_divergence(first, second)
    assert (found.kind, found.shown, found.is_break) == ("none", "appended", False)
    assert found.byte_offset == found.segment_start == len(canonical_bytes(first))
    assert found.segment == "message[1]"


def test_a24_the_system_text_grows() -> None:
    found = first_divergence(request("alpha"), request("alpha beta"))
    assert found == Divergence(
        kind="system", byte_offset=8, char_offset=8, segment="system", segment_start=0, reused_tokens=2
    )
    assert found.is_break
    assert found.is_estimate


def test_a25_a_tool_is_added() -> None:
    hi = [message("hi")]
    first = request(tools=[TOOL_A], messages=hi)
    behind = first_divergence(first, request(tools=[TOOL_A, TOOL_B], messages=hi))
    assert (behind.kind, behind.segment, behind.byte_offset, behind.segment_start) == ("tools", "tool[1]", 99, 99)
    before = first_divergence(first, request(tools=[TOOL_Z, TOOL_A], messages=hi))
    assert (before.kind, before.segment, before.byte_offset) == ("tools", "tool[0]", 30)


def test_a26_another_model_is_another_cache() -> None:
    found = first_divergence(request(), request(model="m2"), logged_cause="header change")
    assert (found.kind, found.byte_offset, found.reused_tokens) == ("route", 0, 0)
    assert (found.shown, found.is_break, found.logged_cause) == ("another route", True, "header change")


def test_a27_other_settings_move_nothing() -> None:
    found = first_divergence(request(messages=[message("x")]), request(messages=[message("x")], temperature=0.5))
    assert (found.kind, found.shown) == ("none", "same")


def test_kinds_that_are_no_breaks() -> None:
    one, two = message("one"), message("two")
    assert first_divergence(None, request()).shown == "first"
    shorter = first_divergence(request(messages=[one, two]), request(messages=[one]))
    assert (shorter.kind, shorter.shown, shorter.is_break) == ("truncated", "shortened", False)
    assert shorter.byte_offset == len(canonical_bytes(request(messages=[one])))
    assert shorter.segment == "message[1]"


@pytest.mark.parametrize(
    ("before", "after", "kind", "segment"),
    [
        (
            request(tools=[TOOL_A, TOOL_B], messages=[message("x")]),
            request(tools=[TOOL_A], messages=[message("x")]),
            "tools",
            "tool[1]",
        ),
        (request("", [TOOL_A]), request("x", [TOOL_A]), "system", "system"),
        (request("x", [TOOL_A]), request("", [TOOL_A]), "system", "system"),
        (
            request(messages=[message("a"), message("b")]),
            request(messages=[message("a"), message("c")]),
            "messages",
            "message[1]",
        ),
        (request("", [], [message("a")]), request("", [TOOL_A], [message("a")]), "tools", "tool[0]"),
        (request("", [TOOL_A]), request("", [TOOL_A, TOOL_B]), "none", "tool[1]"),
    ],
)
def test_the_earlier_group_of_the_two_lines_counts(
    before: ModelRequest, after: ModelRequest, kind: str, segment: str
) -> None:
    found = first_divergence(before, after)
    assert (found.kind, found.segment) == (kind, segment)


def test_a_character_counts_when_it_is_complete() -> None:
    found = first_divergence(request("日é"), request("日è"))  # both begin with the byte c3
    assert (found.byte_offset, found.char_offset) == (3 + 3 + 1, 3 + 1)


def test_tokens_can_be_counted_exactly() -> None:
    found = first_divergence(request("alpha"), request("alpha beta"), count=lambda text: len(text) * 10)
    assert (found.reused_tokens, found.is_estimate) == (80, False)


texts = st.text(alphabet='ab\n"é日😀', max_size=5)
tools = st.lists(
    st.builds(lambda name, about: {"name": name, "description": about, "parameters": {}}, texts, texts), max_size=3
)
messages = st.lists(st.builds(message, texts), max_size=4)
requests = st.builds(request, texts, tools, messages)


@settings(deadline=None)
@given(requests, requests, st.booleans())
def test_it_agrees_with_a_byte_by_byte_comparison(first: ModelRequest, second: ModelRequest, shares: bool) -> None:
    if shares:  # two requests of one session have most in common
        second = ModelRequest(first.config, first.system, first.tools, (*first.messages, *second.messages))
    a, b = canonical_bytes(first), canonical_bytes(second)
    naive = 0
    while naive < min(len(a), len(b)) and a[naive] == b[naive]:
        naive += 1
    found = first_divergence(first, second)
    assert found.byte_offset == naive
    assert found.char_offset == len(a[:naive].decode(errors="ignore"))
    assert found.reused_tokens == found.char_offset // 4
    assert (found.kind == "none") == (naive == len(a))
    assert (found.kind == "truncated") == (naive == len(b) < len(a))
    if found.segment:
        assert found.segment_start <= naive
        assert found.segment_start == 0 or a[found.segment_start - 1 : found.segment_start] == b"\n"
        assert found.segment in names(first) | names(second)


def names(of: ModelRequest) -> set[str]:
    numbered = {f"tool[{i}]" for i in range(len(of.tools))} | {f"message[{i}]" for i in range(len(of.messages))}
    return numbered | ({"system"} if of.system else set())


@settings(deadline=None)
@given(st.integers(0, 200_000), st.integers(0, 200_000), st.integers(0, 3))
def test_shared_bytes_of_long_texts(length: int, at: int, more: int) -> None:
    one = bytes(length)
    assert shared_bytes(one, one + bytes(more)) == length
    if at < length:
        assert shared_bytes(one, one[:at] + b"x" + one[at + 1 :]) == at


def test_config_is_of_no_account() -> None:
    assert canonical_bytes(ModelRequest(CallConfig("a", "b"))) == canonical_bytes(ModelRequest(CallConfig()))
