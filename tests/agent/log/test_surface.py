"""The surface: replacements in order, and what becomes a message."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agent.log.building import assistant, call, result, text, user
from workbench.agent.log import LogError, Replace, Session, fold_surface
from workbench.values.frozen import thaw


def conversation() -> Session:
    """Seqs 0 user, 1 assistant with a call, 2 its result, 3 user, 4 not on the surface."""
    session = Session.create()
    session.append("user/message", user("one"))
    session.append("assistant/message", assistant(1, 1, call("c1")))
    session.append("tool/result", result(1, 1, "c1", "long output"))
    session.append("user/message", user("two"))
    session.append("hook/x", {})
    return session


def texts(session: Session) -> list[Any]:
    return [message["content"][0].get("text") for message in session.surface.messages()]


@pytest.mark.parametrize(
    ("op", "cited", "why"),
    [
        (Replace(0, 9), [0], "not on the surface"),
        (Replace(4, 4), [4], "not on the surface"),
        (Replace(3, 0), [0, 1, 2, 3], "in order"),
        (Replace(0, 2), [0, 2], "1 is missing"),
        (Replace(0, 0), [], "0 is missing"),
    ],
)
def test_a_replacement_names_two_nodes_in_order_and_cites_all_between(
    op: Replace, cited: list[int], why: str
) -> None:
    session = conversation()
    with pytest.raises(LogError, match=why) as raised:
        session.append("user/message", user("sum"), surface_op=op, source_event_seqs=cited)
    assert raised.value.code == "INVALID_SURFACE_OP"
    assert session.surface.nodes == (0, 1, 2, 3)
    assert len(session.events) == 5


def test_messages_stand_in_surface_order_not_in_that_of_seqs() -> None:
    session = conversation()
    session.append("user/message", user("sum"), surface_op=Replace(0, 2), source_event_seqs=[0, 1, 2])
    session.append("user/message", user("three"))
    assert session.surface.nodes == (5, 3, 6)
    assert texts(session) == ["sum", "two", "three"]
    with pytest.raises(LogError, match="not on the surface"):
        session.append("user/message", user("x"), surface_op=Replace(0, 3), source_event_seqs=[0, 1, 2, 3])
    # In order means in the order of the surface: 5 stands before 3 now.
    session.append("user/message", user("all"), surface_op=Replace(5, 3), source_event_seqs=[3, 5])
    assert texts(session) == ["all", "three"]
    assert session.surface.replacements == 2


def test_a_result_is_replaced_by_one_that_differs_in_content_alone() -> None:
    session = conversation()
    shorter = result(1, 1, "c1", "[cut]")
    for change in (
        {"turn": 2},
        {"message": shorter["message"] | {"id": "other"}},
        {"message": shorter["message"] | {"content": [shorter["message"]["content"][0] | {"isError": True}]}},
        {"error": {"code": "X"}},
    ):
        with pytest.raises(LogError, match="only its content"):
            session.append("tool/result", shorter | change, surface_op=Replace(2, 2), source_event_seqs=[2])
    for op, cited in ((Replace(1, 2), [1, 2]), (Replace(0, 0), [0])):
        with pytest.raises(LogError, match="only its content"):
            session.append("tool/result", shorter, surface_op=op, source_event_seqs=cited)
    session.append("tool/result", shorter, surface_op=Replace(2, 2), source_event_seqs=[2])
    assert session.surface.messages()[2]["content"][0]["content"] == [text("[cut]")]


def test_only_surface_events_have_a_surface_op() -> None:
    session = Session.create()
    with pytest.raises(LogError, match="no surface event"):
        session.append("hook/x", {}, surface_op="append")
    assert session.append("user/message", user("x")).surface_op == "append"


def test_projection() -> None:
    session = Session.create()
    said = user("hi", kind="plugin", plugin="p")
    session.append("user/message", said)
    session.append("assistant/message", assistant(1, 1))  # nothing was said: no message
    session.append("assistant/message", assistant(1, 1, text("yes")))
    empty = result(1, 1, "c", "x")
    empty["message"]["content"][0]["content"] = []
    session.append("tool/result", empty)
    session.append("turn/end", {"turn": 1, "reason": {"kind": "completed"}})
    messages = [thaw(message) for message in session.surface.messages()]
    assert messages == [said, assistant(1, 1, text("yes"))["message"], empty["message"]]
    assert session.surface.nodes == (0, 1, 2, 3)


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 30), st.integers(0, 30)), max_size=30))
def test_the_fold_agrees_with_a_plain_list(moves: list[tuple[bool, int, int]]) -> None:
    session, naive = Session.create(), list[tuple[int, str]]()
    for number, (appends, a, b) in enumerate(moves):
        said = f"text {number}"
        if appends or not naive:
            event = session.append("user/message", user(said))
            naive.append((event.seq, said))
        else:
            first, last = sorted((a % len(naive), b % len(naive)))
            shadowed = [seq for seq, _ in naive[first : last + 1]]
            op = Replace(shadowed[0], shadowed[-1])
            event = session.append("user/message", user(said), surface_op=op, source_event_seqs=shadowed)
            naive[first : last + 1] = [(event.seq, said)]
    for surface in (session.surface, fold_surface(session.events)):
        assert surface.nodes == tuple(seq for seq, _ in naive)
        assert [m["content"][0]["text"] for m in surface.messages()] == [said for _, said in naive]
        assert all((seq in surface) == (seq in surface.nodes) for seq in range(len(moves)))
