"""The boundary of a log: what is accepted, what is refused, and that nothing changes afterwards."""

from __future__ import annotations

import enum
import json
import uuid
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agent.log.building import user
from workbench.agent.log import LogError, LoggedEvent, Replace, Session
from workbench.agent.log.json_lines import decode_json


@dataclass
class Something:
    x: int = 1


class Named(enum.StrEnum):
    X = "x"


def deep(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    "bad",
    [
        float("nan"),
        float("inf"),
        -0.0,
        (1, 2),
        {1, 2},
        {1: "x"},
        {None: 1},
        b"bytes",
        object(),
        Something(),
        Named.X,
        uuid.uuid4(),
        "half \ud83d",
        {"half \ud83d": 1},
        deep(300),
        [[{"x": [1, {"y": (2,)}]}]],
    ],
    ids=lambda bad: type(bad).__name__,
)
def test_what_json_would_change_is_refused_before_the_log_changes(bad: Any) -> None:
    session = Session.create()
    session.append("hook/x", {"fine": 1})
    with pytest.raises(LogError) as raised:
        session.append("hook/x", {"somewhere": bad})
    assert raised.value.code == "NOT_JSON"
    assert "somewhere" in str(raised.value)
    assert len(session.events) == 1


def test_data_are_an_object() -> None:
    for bad in ([], "x", None):
        with pytest.raises(LogError, match="are a dict"):
            Session.create().append("hook/x", bad)  # type: ignore[arg-type]


def test_a_cycle_is_refused() -> None:
    data: dict[str, Any] = {}
    data["a"] = [data]
    with pytest.raises(LogError, match="nested"):
        Session.create().append("hook/x", data)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False).map(lambda x: x or 0.0)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=3), json_values, max_size=4))
def test_everything_else_comes_back_from_its_line_as_it_was(data: dict[str, Any]) -> None:
    event = Session.create().append("user/other", data, ignorable=True)
    assert event.data == data
    record = decode_json(event.line().removesuffix(b"\n"))
    assert record == json.loads(event.line())
    again = LoggedEvent.from_json(record, event.seq)
    assert json.dumps(again.data) == json.dumps(data)  # types and key order, which == does not see
    assert again.line() == event.line()
    assert b"\n" not in event.line()[:-1]


def test_an_event_is_a_copy_that_nobody_can_change() -> None:
    session = Session.create()
    data: dict[str, Any] = {"list": [1, {"x": 1}], "ordered": OrderedDict(b=1, a=2)}
    event = session.append("hook/x", data | {"ordered": dict(data["ordered"])})
    data["list"][1]["x"] = 2
    assert event.data["list"][1]["x"] == 1
    with pytest.raises(TypeError):
        event.data["list"].append(2)
    with pytest.raises(TypeError):
        event.data["list"][1]["x"] = 2
    for name in ("type", "seq", "data", "surface_op"):
        with pytest.raises(AttributeError):
            setattr(event, name, None)
    assert session.events[0] is event


def test_frozen_parts_are_shared() -> None:
    session = Session.create()
    message = session.append("user/message", user("hi")).data
    event = session.append("agent/inbox/spliced", {"target": "next-turn", "start": 0, "inserted": [message]})
    assert event.data["inserted"][0] is message


def test_a_line_has_the_keys_of_recorded_logs() -> None:
    session = Session.create()
    session.append("user/message", user("one"))
    event = session.append("user/message", user("two"), surface_op=Replace(0, 0), source_event_seqs=[0])
    record = json.loads(event.line())
    assert list(record) == ["type", "seq", "time", "data", "sourceEventSeqs", "surfaceOp"]
    assert record["sourceEventSeqs"] == [0]
    assert record["surfaceOp"] == {"op": "replace", "start": 0, "end": 0}
    sent = session.append("request/sent", {"turn": 1})
    assert json.loads(sent.line())["ignorable"] is True


def test_seqs_are_indices_and_only_what_stands_before_is_cited() -> None:
    session = Session.create()
    seqs = [session.append("hook/x", {}).seq for _ in range(3)]
    assert seqs == [0, 1, 2]
    for cited in ([3], [-1], [0, 7]):
        with pytest.raises(LogError, match="cites"):
            session.append("hook/x", {}, source_event_seqs=cited)
    assert len(session.events) == 3


@pytest.mark.parametrize(
    ("event_type", "data"),
    [
        ("turn/start", {}),
        ("turn/start", {"turn": 0}),
        ("step/start", {"turn": 1, "step": "1"}),
        ("assistant/message", {"turn": 1, "step": 1}),
        ("assistant/message", {"message": {"role": "assistant", "content": [{"type": "tool-call", "id": "c"}]}}),
        ("tool/call", {}),
        ("user/message", {"role": "user", "content": "text"}),
        ("user/message", {"content": []}),
    ],
)
def test_data_without_which_a_log_means_nothing_are_refused(event_type: str, data: dict[str, Any]) -> None:
    session = Session.create()
    with pytest.raises(LogError) as raised:
        session.append(event_type, data)
    assert raised.value.code == "INVALID_EVENT"
    assert len(session.events) == len(session.surface) == len(session.work.calls) == 0


def test_numbers_that_a_fast_reader_would_round_stay_exact() -> None:
    for number in (2**53 + 1, 2**63, 2**64 + 1, -(2**70), 10**40):
        event = Session.create().append("hook/x", {"n": number})
        assert decode_json(event.line())["data"]["n"] == number


@pytest.mark.parametrize("foreign", [b"NaN", b"[1,]", b"1e999", b'{"a":Infinity}', b"\xff", b"", b"[" * 100_000])
def test_what_is_no_json_is_not_read(foreign: bytes) -> None:
    with pytest.raises(ValueError):
        decode_json(foreign)


def test_half_characters_that_others_wrote_are_replaced() -> None:
    assert decode_json(rb'{"a\ud800":["\udc00x","\ud83d\ude00"]}') == {"a\ufffd": ["\ufffdx", "😀"]}
