"""Scenario D66: cards from the log alone."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from workbench.dynamic.durable import durable_cards


@dataclass
class Logged:
    """One event of a log."""

    type: str
    seq: int
    data: dict[str, Any] = field(default_factory=dict)


def call(events: list[Logged], name: str, arguments: Any, *, meta: Any = None, error: str = "") -> None:
    seq = len(events)
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
    events.append(Logged("tool/call", seq, {"callId": f"c{seq}", "name": name, "arguments": raw}))
    data: dict[str, Any] = {"message": {"source": {"kind": "tool", "callId": f"c{seq}"}}}
    if meta is not None:
        data["meta"] = meta
    if error:
        data["error"] = {"code": "syntax", "message": error}
    events.append(Logged("tool/result", seq + 1, data))


def defined(events: list[Logged], package_id: str, revision: int, name: str) -> None:
    given = {"name": name, "purpose": f"for {name}", "code": "x = 1"}
    call(events, "cordis_define", given, meta={"id": package_id, "revision": revision})


def test_d66_cards_survive_their_process() -> None:
    events: list[Logged] = []
    defined(events, "dyn-1", 1, "first")
    defined(events, "dyn-1", 2, "first again")
    defined(events, "dyn-2", 1, "second")
    call(events, "cordis_define", {"name": "bad", "purpose": "x"}, error="`code` does not parse\nsecond line")
    call(events, "cordis_undefine", {"id": "dyn-1"})
    live = durable_cards(events, {"dyn-2": 1})
    assert [(card.id, card.revision, card.state, card.name) for card in live] == [
        ("dyn-1", 1, "unloaded", "first"),
        ("dyn-1", 2, "unloaded", "first again"),
        ("dyn-2", 1, "defined", "second"),
        ("", 0, "refused", "bad"),
    ]
    assert live[3].error == "`code` does not parse"
    assert [card.has_controls for card in live] == [False, False, True, False]
    later = durable_cards(events)
    assert [card.state for card in later] == ["unloaded", "unloaded", "lost", "refused"]
    assert later[0].purpose == "for first"
    assert not any(card.has_controls for card in later)


def test_an_id_that_was_given_again_belongs_to_the_later_series() -> None:
    events: list[Logged] = []
    defined(events, "dyn-1", 1, "old process")
    defined(events, "dyn-1", 1, "new process")
    assert [card.state for card in durable_cards(events, {"dyn-1": 1})] == ["lost", "defined"]
    call(events, "cordis_undefine", {"id": "dyn-1"})
    assert [card.state for card in durable_cards(events)] == ["lost", "unloaded"]


def test_a_cut_call_degrades_to_its_first_line() -> None:
    events: list[Logged] = []
    call(events, "cordis_define", '{"name": "cut", "purp\nmore', meta={"id": "dyn-1", "revision": 1})
    (card,) = durable_cards(events, {"dyn-1": 1})
    assert (card.is_whole, card.name, card.state) == (False, '{"name": "cut", "purp', "defined")


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["tool/call", "tool/result", "x"]),
            st.dictionaries(
                st.sampled_from(["callId", "name", "arguments", "message", "meta", "error"]),
                st.one_of(
                    st.text(max_size=8),
                    st.none(),
                    st.integers(),
                    st.just("cordis_define"),
                    st.just({"id": "dyn-1"}),
                ),
            ),
        ),
        max_size=8,
    )
)
def test_no_log_breaks_it(records: list[tuple[str, dict[str, Any]]]) -> None:
    durable_cards([Logged(kind, seq, data) for seq, (kind, data) in enumerate(records)])
