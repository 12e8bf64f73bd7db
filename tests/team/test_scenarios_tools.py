"""Scenarios T45, T46, T50, T51 and T53: the tools of a team's agents, and the limits of what they say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agent.scenario import calls, code, events, result_text, results, say, text
from tests.team.scenario import EXPLICIT, overriding, team_world
from workbench.agent.agent import Agent
from workbench.agent.messages import user_message
from workbench.team.desk import Candidate
from workbench.team.words import count_words

WORDS = " ".join(f"w{number}" for number in range(1, 102))


def words(count: int) -> str:
    return " ".join(WORDS.split()[:count])


def saving(base: int, message: str, **overrides: Any) -> tuple[str, Any, str]:
    given = {f"runtime/{key}": value for key, value in overrides.items()}
    arguments = {"base_revision": base, "overrides": given, "request_message_id": message}
    return ("orchestrator_prompts_save", arguments, "c1")


def request_of_a_person(content: str, id: str) -> dict[str, Any]:
    return {**user_message(content), "id": id}


async def asked(agent: Agent, content: str, id: str) -> None:
    agent.followup(request_of_a_person(content, id))
    await agent.when_idle()


async def test_t45_a_person_asks_for_another_text(tmp_path: Path) -> None:
    call = calls(saving(1, "m1", work={"text": "W9"}, replies=None, dispatch={"text": "D9"}))
    async with team_world(tmp_path, call, text("done")) as t:
        await t.save(overrides=overriding(work="W", replies="Rep"))
        main = await t.main()
        await asked(main, "Change it, please.", "m1")
        assert code(results(main)[0]) is None
        newest = await t.team.store.newest()
        assert (newest.revision, newest.origin) == (2, "tool")
        assert newest.config.overrides["runtime/work"].text == "W9"
        assert "runtime/replies" not in newest.config.overrides
        before, after = t.w.requests(main)
        assert before.system is not None
        assert after.system is not None
        assert "Rep" in before.system
        assert "P:runtime/dispatch" in before.system
        assert "D9" in after.system
        assert "P:runtime/replies" in after.system


async def test_t46_nobody_asked_or_the_base_is_old(tmp_path: Path) -> None:
    wrong = calls(
        saving(1, "nobody", work={"text": "W9"}),
        ("orchestrator_prompts_save", {**saving(0, "m1", work={"text": "W9"})[1]}, "c2"),
        ("orchestrator_prompts_save", {**saving(1, "m1", foo={"text": "x"}, environment={"text": "y"})[1]}, "c3"),
    )
    async with team_world(tmp_path, sessions=[[wrong, text("ok")], [calls(saving(1, "m1")), text("ok")]]) as t:
        await t.save(overrides=overriding(work="W"))
        main = await t.main()
        await asked(main, "Change it, please.", "m1")
        assert [code(result) for result in results(main)] == ["NOT_REQUESTED", "conflict", "refused"]
        assert "unknown_part" in result_text(results(main)[2])
        assert "missing_placeholder" in result_text(results(main)[2])
        assert [json.loads(event.data["arguments"])["overrides"] for event in events(main, "tool/call")][:2] == [
            {"runtime/work": {"text": "W9"}}
        ] * 2
        assert await t.team.store.newest_revision() == 1
        executor = await t.executor()
        assert t.w.root.tools.get("orchestrator_prompts_save", executor) is None
        await asked(executor, "go", "m1")
        assert [code(result) for result in results(executor)] == ["UNKNOWN_TOOL"]


@pytest.mark.parametrize(("automated", "expected"), [(False, None), (True, "NOT_REQUESTED")])
async def test_t46_who_wrote_a_card(tmp_path: Path, automated: bool, expected: str | None) -> None:
    async with team_world(tmp_path, calls(saving(0, "m1", work={"text": "W9"})), text("ok")) as t:
        main = await t.main()
        card = t.team.card("Change it", pointer="chat://1", author="ann", automated=automated)
        main.followup({**card, "id": "m1"})
        await main.when_idle()
        assert [code(result) for result in results(main)] == [expected]


async def test_t50_one_note_too_long_routes_nothing(tmp_path: Path) -> None:
    def routing(second: int, id: str) -> tuple[str, Any, str]:
        notes = (("a", 30), ("b", second), ("c", 5))
        decisions = [{"candidate": name, "to": "new", "note": words(count)} for name, count in notes]
        return ("orchestrator_route", {"decisions": decisions}, id)

    async with team_world(tmp_path, calls(routing(31, "c1")), calls(routing(30, "c2")), text("ok")) as t:
        for name in "abc":
            t.team.desk.add(Candidate(name, f"context of {name}"))
        main = await t.main()
        await say(main, "go")
        refused, routed = results(main)
        assert code(refused) == "TOO_MANY_WORDS"
        for fact in ("note 2", "31", "30", "nothing was routed"):
            assert fact in result_text(refused)
        assert code(routed) is None
        assert [each.candidate for each in t.team.desk.routed] == ["a", "b", "c"]
        assert t.team.desk.waiting() == ()


async def test_t51_words_of_replies_and_notes(tmp_path: Path) -> None:
    def reply(content: str, id: str) -> tuple[str, Any, str]:
        return ("orchestrator_reply", {"under": "m1", "text": content}, id)

    def note(content: str, id: str) -> tuple[str, Any, str]:
        return ("orchestrator_note", {"ticket": "T-7", "text": content}, id)

    three = "One is here. Two is there. " + words(14) + "."
    assert count_words(three) == 20
    given = calls(
        reply(words(100), "c0"),
        reply(words(101), "c1"),
        reply(three, "c2"),
        note(words(100), "c3"),
        note(words(101), "c4"),
    )
    async with team_world(tmp_path, given, text("ok")) as t:
        main = await t.main()
        await say(main, "go")
        assert [code(result) for result in results(main)] == [None, "TOO_MANY_WORDS", None, None, "TOO_MANY_WORDS"]
        assert [each.text for each in t.team.desk.said] == [words(100), three, words(100)]


async def test_t53_three_rounds_and_no_fourth(tmp_path: Path) -> None:
    def answer(submission: str, pull_request: str, id: str, by: str = "R", automated: bool = True) -> Any:
        arguments = {
            "reviewer": by,
            "pull_request": f"o/r#{pull_request}",
            "submission": submission,
            "automated": automated,
            "text": "Fixed.",
        }
        return ("orchestrator_review_reply", arguments, id)

    first = calls(*[answer(f"s{n}", "5", f"c{n}") for n in (1, 2, 3)], answer("s3", "5", "c3b"))
    async with team_world(tmp_path, first, text("ok")) as t:
        executor = await t.executor()
        await say(executor, "go")
        assert [code(result) for result in results(executor)] == [None] * 4
    second = calls(
        answer("s4", "5", "c4", automated=False),  # the platform says that R is a bot, whatever the call says
        answer("s1", "6", "c5"),
        *[answer(f"p{n}", "5", f"d{n}", by="ann", automated=False) for n in (1, 2, 3, 4)],
    )
    async with team_world(tmp_path, second, text("ok"), settings={"bots": ("R",)}) as t:
        executor = await t.executor()
        await say(executor, "go")
        assert [code(result) for result in results(executor)] == ["review_round_limit", *[None] * 5]
        assert len(t.team.desk.said) == 5


async def test_unrelated_threads_and_unknown_candidates(tmp_path: Path) -> None:
    unrelated = calls(("orchestrator_thread_unrelated", {"thread": "th-1", "reason": "Another matter."}, "c1"))
    eval_one = calls(
        ("orchestrator_eval", {"candidate": "a"}, "c1"), ("orchestrator_eval", {"candidate": "z"}, "c2")
    )
    async with team_world(tmp_path, sessions=[[unrelated, text("ok")], [eval_one, text("ok")]]) as t:
        t.team.desk.add(Candidate("a", "context of a"))
        executor = await t.executor(EXPLICIT)
        await say(executor, "go")
        [detached] = t.team.desk.said
        assert (detached.kind, detached.to, detached.by) == ("unrelated", "th-1", executor.id)
        main = await t.main()
        await say(main, "go")
        assert [code(result) for result in results(main)] == [None, "UNKNOWN_CANDIDATE"]
        assert result_text(results(main)[0]) == "context of a"
