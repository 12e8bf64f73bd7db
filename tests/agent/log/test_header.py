"""The request header: canonical form and equality."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agent.log.building import TOOL_A, TOOL_B, header
from workbench.agent.log import LogError, RequestHeader
from workbench.models.request import CallConfig


def test_what_is_empty_is_absent() -> None:
    empty = RequestHeader(CallConfig("p", "m"), {}, "", [])
    assert empty.to_json() == {"config": {"provider": "p", "model": "m"}}
    assert empty == RequestHeader(CallConfig("p", "m"))
    request = empty.request(())
    assert request.system is None
    assert request.tools == ()
    for tools in ([], None):
        record = {"config": {}, "system": "", "tools": tools} if tools is not None else {"config": {}, "system": ""}
        assert RequestHeader.from_json(record).to_json() == {"config": {}}


def test_it_comes_back_from_its_record() -> None:
    whole = RequestHeader(CallConfig("p", "m", max_tokens=9, stop=("x",)), {"maxTokens": 9}, "S", [TOOL_A, TOOL_B])
    again = RequestHeader.from_json(whole.to_json())
    assert again == whole
    assert again.to_json() == whole.to_json()
    assert list(whole.to_json()) == ["config", "adapterDefaults", "system", "tools"]


@pytest.mark.parametrize(
    ("other", "changed"),
    [
        (header("x", [TOOL_A]), ()),
        (header("y", [TOOL_A]), ("system",)),
        (header("", [TOOL_A]), ("system",)),
        (header("x"), ("tools",)),
        (header("x", [TOOL_B]), ("tools",)),
        (header("x", [{**TOOL_A, "parameters": {"properties": {}, "type": "object"}}]), ("tools",)),
        (header("x", [TOOL_A], model="m2"), ("config",)),
        (header("y", [TOOL_A], temperature=0.5), ("config", "system")),
        (RequestHeader(header().config, {"maxTokens": 1}, "x", [TOOL_A]), ("adapterDefaults",)),
    ],
)
def test_equality_is_field_by_field_with_the_key_order_of_tools(
    other: RequestHeader, changed: tuple[str, ...]
) -> None:
    one = header("x", [TOOL_A])
    assert one.changes_to(other) == changed
    assert (one == other) is (not changed)


def test_what_python_calls_equal_may_differ_in_a_tool() -> None:
    one, other = ({**TOOL_A, "parameters": {"default": value}} for value in (1, True))
    assert one == other
    assert header(tools=[one]) != header(tools=[other])


def test_it_cannot_be_changed() -> None:
    one = header(tools=[TOOL_A])
    with pytest.raises(AttributeError):
        one.system = "x"
    with pytest.raises(TypeError):
        one.tools[0]["name"] = "x"
    with pytest.raises(LogError, match=r"tools\[0\]"):
        header(tools=[{"name": {1, 2}}])


def test_placeholders_of_recorded_logs_are_no_texts() -> None:
    record = {"config": {}, "system": "{{system}}", "tools": "{{tools}}"}
    recorded = RequestHeader.from_json(record)
    assert recorded.not_recorded == {"system", "tools"}
    assert recorded.tools == ()
    assert recorded.to_json() == record
    literal = RequestHeader.from_json({"config": {}, "system": "{{system}}"})
    assert literal.not_recorded == frozenset()


@pytest.mark.parametrize(
    "record",
    [
        None,
        {},
        {"config": 1},
        {"config": {"temperature": "x"}},
        {"config": {}, "tools": [1]},
        {"config": {}, "system": 1},
    ],
)
def test_what_is_no_header_is_refused(record: Any) -> None:
    with pytest.raises(LogError) as raised:
        RequestHeader.from_json(record)
    assert raised.value.code == "INVALID_EVENT"
