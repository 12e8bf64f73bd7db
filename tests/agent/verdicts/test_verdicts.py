"""What is said of each request of a session: FC-04, FC-05, FC-07, the agreed baseline, and causes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agent.log.building import NOT_HERE, RECORDED, SESSIONS, header, user
from tests.agent.verdicts import sessions as s
from workbench.agent.log import Replace, SessionLog
from workbench.agent.log.timeline import timeline
from workbench.agent.verdicts import cut_by_headings


def test_a_clock_near_the_top() -> None:
    """FC-04."""
    line = s.fc04().timeline()
    first, second, third = (row.verdict for row in line.requests)
    assert first.word == "first"
    assert first.part is None
    for verdict in (second, third):
        assert verdict.word == "changed"
        assert verdict.part is not None
        assert (verdict.part.name, verdict.part.owner_words) == ("clock:now", "clock-kit")
        assert verdict.part.place == "1:25"
        assert verdict.lost == verdict.before - verdict.kept
        assert 0.8 < verdict.lost_share < 1
        assert "harness:identity" in verdict.equal
        assert verdict.is_drift
        assert verdict.drift == ("clock:now",), "as much as before is not as agreed"
        assert not verdict.pinned
    (remark,) = [each for each in line.remarks if each.subject == "changes at every step"]
    assert remark.owners == ("clock-kit",)
    assert remark.step == "2.1"
    assert "tool:t11" in remark.words, "behind the last part that stays it would cost least"


def test_two_listeners_that_make_the_prompt_grow() -> None:
    """FC-05."""
    builder = s.fc05().builder()
    line = builder.finished()
    systems = [builder.made_again.rebuilt(row.sent).header.system or "" for row in line.requests]
    (grows,) = [each for each in line.remarks if each.subject == "grows at every step"]
    assert set(grows.owners) == {"keep-kit", "tail-kit"}
    growth = len(systems[-1]) - len(systems[-2])
    assert f"{growth:,}" in grows.words
    repeated = [each for each in line.remarks if each.subject == "repeated text"]
    assert {"keep-kit", "tail-kit"} in [set(each.owners) for each in repeated]
    assert min(each.step for each in repeated) == "2.1"
    for row in line.requests[1:]:
        assert row.verdict.part is not None
        assert row.verdict.part.owner_words == "keep-kit"
    assert sorted(map(len, systems)) == list(map(len, systems))
    assert len(set(map(len, systems))) == len(systems)


def test_the_same_tool_name_with_another_schema() -> None:
    """FC-07: delivery order is sorted by the product before; the order of keys is not."""
    story = s.Story()
    story.step([s.IDENTITY], [s.ALPHA, s.lookup(50), s.ZETA])
    story.step([s.IDENTITY], [s.ALPHA, s.lookup(100, turned=True), s.ZETA])
    story.step([s.IDENTITY], [s.ALPHA, s.lookup(100, turned=True), s.ZETA])
    story.step([s.IDENTITY], [s.ALPHA, s.lookup(100), s.ZETA])
    second, third, fourth = (row.verdict for row in story.timeline().requests[1:])
    assert second.part is not None
    assert (second.word, second.part.kind, second.part.name) == ("changed", "tool", "lookup")
    assert second.part.owner_words == "tool-kit"
    assert not second.part.key_order_only
    assert second.equal == ("harness:identity", "alpha", "zeta")
    assert (third.word, third.part) == ("appended", None)
    assert fourth.part is not None
    assert (fourth.word, fourth.part.key_order_only) == ("changed", True)


def test_one_bad_step_does_not_become_the_new_normal() -> None:
    story = s.Story()
    good = [s.IDENTITY, s.PERSONA]
    story.step(good)
    story.step([s.IDENTITY, s.clock(1), s.PERSONA])
    story.step([s.IDENTITY, s.clock(1), s.PERSONA])
    story.step(good)
    verdicts = [row.verdict for row in story.timeline().requests]
    assert [verdict.word for verdict in verdicts] == ["first", "changed", "appended", "changed"]
    assert [verdict.drift for verdict in verdicts] == [(), ("clock:now",), ("clock:now",), ()]
    assert verdicts[3].part is not None
    assert verdicts[3].part.action == "removed"
    assert verdicts[3].cause_words == "undeclared, but back to what was sent at first"
    assert [verdict.is_drift for verdict in verdicts] == [False, True, False, False]


def test_what_is_declared_is_agreed_anew_and_drift_beside_it_is_not() -> None:
    story = s.Story()
    story.step([s.IDENTITY, s.PERSONA, s.clock(1)])
    story.declare("package", "package notices was started", "notices")
    added = s.Section("notices:all", "End with the notices.", "notices", "package")
    story.step([s.IDENTITY, s.PERSONA, added, s.clock(1)])
    story.declare("package", "package other was started", "other")
    story.step([s.IDENTITY, s.PERSONA, added, s.clock(2)])
    _, declared, drifted = (row.verdict for row in story.timeline().requests)
    assert declared.cause_words == "package notices was started"
    assert declared.pinned == "package notices was started"
    assert not declared.drift
    assert drifted.is_drift, "the package that was started has not written the clock"
    assert drifted.cause_words == "undeclared drift"
    assert drifted.drift == ("clock:now",)


def test_another_model_is_another_route_and_a_setting_is_nothing() -> None:
    story = s.Story()
    story.step([s.IDENTITY])
    story.step([s.IDENTITY], temperature=0.5)
    story.step([s.IDENTITY], model="m2")
    words = [row.verdict.word for row in story.timeline().requests]
    assert words == ["first", "appended", "another route"]
    verdict = story.timeline().requests[2].verdict
    assert verdict.kept == 0
    assert verdict.lost == verdict.before
    assert verdict.cause_words == "model switched from scripted/m1 to scripted/m2"


def test_a_replacement_of_messages_is_the_cause_of_their_change() -> None:
    run = s.Run()
    run.whole_turn("hello", "there")
    run.append("compaction/start", {})
    nodes = run.session.surface.nodes
    run.append("user/message", user("SUMMARY"), Replace(nodes[0], nodes[1]), *nodes)
    run.append("compaction/end", {})
    run.whole_turn("go on", "yes")
    verdict = timeline(run.session.header, run.session.events).requests[1].verdict
    assert verdict.word == "changed"
    assert verdict.part is not None
    assert verdict.part.kind == "message"
    assert verdict.cause_words.startswith("the conversation was compacted")
    assert verdict.groups[0].kept == verdict.groups[0].tokens, "the system text is kept"


def test_without_recorded_owners_the_text_is_cut_by_headings() -> None:
    parts = cut_by_headings("Intro.\n\n# One\na\n```\n# no heading\n```\n## Two\nb\n# One\nc\n<tag>\nd\n")
    assert [part.name for part in parts] == ["beginning", "One", "Two", "One (2)", "<tag>"]
    assert "".join(part.text for part in parts).startswith("Intro.")
    assert all(part.owner is None for part in parts)
    run = s.Run()
    run.whole_turn("a", "b", header("# A\none\n# B\ntwo"))
    run.whole_turn("a", "b", header("# A\none\n# B\nthree"))
    part = timeline(run.session.header, run.session.events).requests[1].verdict.part
    assert part is not None
    assert (part.name, part.place, part.owner_words) == ("B", "2:2", "owner not recorded")


def test_a_record_of_parts_that_does_not_fit_is_left_aside() -> None:
    story = s.Story()
    run = story.run
    run.begin_turn()
    run.begin_step("a")
    of = header("# A\none")
    event = run.append("request/header", {"header": of.to_json(), "reason": "initial"})
    run._header = event.seq, of
    wrong = {"name": "x", "owner": "y"}
    for bad in ({}, {"system": [{**wrong, "length": -1}]}, {"system": [{**wrong, "length": 3}]}):
        run.session.append("request/parts", {"headerSeq": event.seq, **bad}, ignorable=True)
    run.send(of)
    builder = story.builder()
    (row,) = builder.finished().requests
    assert [part.name for part in builder.made_again.parts(row)] == ["A"]


@given(
    st.lists(
        st.tuples(st.lists(st.sampled_from("abcdef"), unique=True, max_size=5), st.integers(0, 2)),
        min_size=2,
        max_size=6,
    )
)
@settings(max_examples=60, deadline=None)
def test_numbers_fit_together_whatever_changes(steps: list[tuple[list[str], int]]) -> None:
    story = s.Story()
    for names, version in steps:
        story.step([s.Section(name, f"{name} says {version} " * 5) for name in names], [s.lookup(version + 1)])
    for row in story.timeline().requests:
        verdict = row.verdict
        assert row.divergence is not None
        assert verdict.word == row.divergence.shown
        assert 0 <= verdict.kept <= verdict.total
        assert 0 <= verdict.lost <= verdict.before
        assert (verdict.part is not None) == (verdict.word == "changed")
        for group in verdict.groups:
            assert 0 <= group.kept <= group.tokens


@pytest.mark.skipif(not RECORDED, reason=NOT_HERE)
def test_both_forked_children_name_their_headers() -> None:
    for name in ("subagent-fork-in-process/session.1.jsonl", "subagent-mixed/session.2.jsonl"):
        log = SessionLog.open_now(SESSIONS / name)
        rows = timeline(log.header, log.events).requests
        assert [row.header_reason for row in rows if row.header_reason] == ["initial", "resume"]
        log.close()
