"""Scenario D66: cards from the log alone."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from workbench.dynamic.durable import DurableFold, durable_cards


@dataclass
class Logged:
    """One event of a log."""

    type: str
    seq: int
    data: dict[str, Any] = field(default_factory=dict)
    time: int | None = None

    def glance(self, key: str) -> Any:
        return self.data.get(key)


def call(
    events: list[Logged], name: str, arguments: Any, *, meta: Any = None, error: str = "", says: str = ""
) -> None:
    seq = len(events)
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
    events.append(Logged("tool/call", seq, {"callId": f"c{seq}", "name": name, "arguments": raw}))
    result = {"type": "tool-result", "content": [{"type": "text", "text": says}]}
    data: dict[str, Any] = {"message": {"source": {"kind": "tool", "callId": f"c{seq}"}, "content": [result]}}
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


def test_what_was_done_with_it_afterwards() -> None:
    events: list[Logged] = []
    defined(events, "dyn-1", 1, "first")
    call(events, "cordis_run", {"id": "dyn-1"}, says="dyn-1 r1 (run-1) is running.\nWarning: x")
    call(events, "cordis_run", {"id": "dyn-9"}, error="dyn-9 is not known")
    defined(events, "dyn-1", 2, "again")
    call(events, "cordis_run", {"id": "dyn-1"}, error="stage apply: boom\nmore")
    first, second = durable_cards(events)
    assert [(fact.verb, fact.words, fact.is_refused) for fact in first.life] == [
        ("run", "dyn-1 r1 (run-1) is running.", False),
        ("run", "stage apply: boom", True),
    ]
    assert second.life == first.life
    assert second.series == first.series == first.seq


def test_a_person_undefines_and_the_log_tells() -> None:
    events: list[Logged] = []
    defined(events, "dyn-1", 1, "first")
    assert durable_cards(events, (), {"dyn-1"})[0].state == "unloaded"
    source = {"kind": "plugin", "form": "package-note", "package": "dyn-1", "happened": "undefined"}
    told = {"source": source, "content": [{"type": "text", "text": "a person undefined dyn-1"}]}
    events.append(Logged("user/message", 2, told))
    (card,) = durable_cards(events)
    assert (card.state, card.life[-1].verb, card.life[-1].words) == (
        "unloaded",
        "person",
        "a person undefined dyn-1",
    )


def test_what_a_program_defines_and_what_a_parent_has_lent() -> None:
    def dispatched(seq: int, verb: str, given: Any, says: str, **more: Any) -> Logged:
        content = [{"type": "text", "text": says}]
        data = {"name": f"cordis_{verb}", "arguments": given, "content": content, "isError": False} | more
        return Logged("tool/code-dispatch", seq, data)

    defines = {"name": "by a program", "purpose": "x", "code": "y = 1"}
    events = [
        dispatched(3, "define", defines, "dyn-4 r1 (by a program) is defined, and not running"),
        dispatched(5, "run", {"id": "dyn-4"}, "dyn-4 r1 (run-2) is running"),
        dispatched(7, "define", defines, "", error={"code": "syntax", "message": "no"}),
    ]
    lost, refused = durable_cards(events)
    assert (lost.id, lost.revision, lost.state, lost.life[0].words) == (
        "dyn-4",
        1,
        "lost",
        "dyn-4 r1 (run-2) is running",
    )
    assert (refused.state, refused.error) == ("refused", "no")
    fold = DurableFold(seed_length=6)
    for event in events:
        fold.add(event)
    assert [card.state for card in fold.cards()] == ["refused"], "the rest is a record of the parent"


def test_a_call_without_an_answer_does_not_disappear() -> None:
    events = [Logged("tool/call", 0, {"callId": "c", "name": "cordis_define", "arguments": '{"name": "cut'})]
    (card,) = durable_cards(events)
    assert (card.state, card.name, card.error) == ("refused", '{"name": "cut', "the log holds no answer to it")
    assert durable_cards(events, ()) == ()


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["tool/call", "tool/result", "user/message", "tool/code-dispatch", "x"]),
            st.dictionaries(
                st.sampled_from(["callId", "name", "arguments", "message", "meta", "error", "source", "content"]),
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
