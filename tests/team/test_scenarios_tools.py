"""Scenarios T45 to T54: the tools of a team's agents, its skills, and the limits that code enforces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agent.scenario import Call, calls, code, error, events, kinds, result_text, results, said, say, text
from tests.agent.test_scenarios_queues import summarizing
from tests.team.scenario import E0, EXPLICIT, TeamWorld, overriding, own_messages, skill, team_world
from workbench.agent.agent import Agent
from workbench.agent.compaction import Compaction
from workbench.agent.log.surface_ops import Replace
from workbench.agent.messages import user_message
from workbench.agent.options import AgentOptions
from workbench.plugins import first_party
from workbench.prompt import ToolSchema
from workbench.team.desk import Candidate
from workbench.team.words import count_words
from workbench.tools.decisions import Allow

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


SHELL = {
    "type": "object",
    "properties": {
        "command": {"type": "string"},
        "timeoutMs": {"type": "integer"},
        "background": {"type": "boolean"},
    },
    "required": ["command"],
}


def shell(ctx: Any, t: TeamWorld, default: int | None = None, name: str = "bash") -> None:
    """A shell tool with a default limit in one scope."""
    timeout = {"type": "integer"} if default is None else {"type": "integer", "default": default}
    schema = {**SHELL, "properties": {**SHELL["properties"], "timeoutMs": timeout}}  # type: ignore[dict-item]
    t.team.tools_in(ctx).register(ToolSchema(name, "Shell", schema), took)


def took(arguments: Any, run: object) -> str:
    """The body: says the time that it was given."""
    return f"ran with {arguments.get('timeoutMs')}"


async def verdicts(t: TeamWorld, agent: Agent) -> list[str | None]:
    await say(agent, "go")
    assert kinds(agent) == ["completed"], "the turn goes on"
    return [code(result) for result in results(agent)]


def shells(*arguments: dict[str, Any]) -> Call:
    return calls(*[("bash", {"command": "ls", **each}, f"c{index}") for index, each in enumerate(arguments)])


async def test_t47_the_effective_timeout_counts(tmp_path: Path) -> None:
    absent = shells({})
    own = [
        [shells({"timeoutMs": 30000}, {"timeoutMs": 30001}, {"timeoutMs": 30001, "background": True}), text("ok")],
        [absent, text("ok")],
        [absent, text("ok")],
        [shells({"timeoutMs": 30001}), text("ok")],
        [absent, text("ok")],
    ]
    async with team_world(tmp_path, sessions=own) as t:
        main = await t.main(also=lambda ctx, agent: shell(ctx, t))
        assert await verdicts(t, main) == [None, "DENIED", None]
        assert "30001 ms" in result_text(results(main)[1])
        main = await t.main(also=lambda ctx, agent: shell(ctx, t, 30000))
        assert await verdicts(t, main) == [None]
        main = await t.main(also=lambda ctx, agent: shell(ctx, t, 120000))
        assert await verdicts(t, main) == ["DENIED"]
        executor = await t.executor(also=lambda ctx, agent: shell(ctx, t, 120000))
        assert await verdicts(t, executor) == [None]
        main = await t.main(also=lambda ctx, agent: shell(ctx, t))
        assert await verdicts(t, main) == [None]
        assert result_text(results(main)[0]) == "ran with 30000", "the scope's own default, where there is none"


async def test_t47_the_main_scope_has_defaults_of_its_own(tmp_path: Path) -> None:
    waits = {"type": "object", "properties": {"waitMs": {"type": "integer", "default": 600_000}}}
    called = calls(("bash", {"command": "ls"}, "c0"), ("job_wait", {}, "c1"), ("job_wait", {"waitMs": 9}, "c2"))
    async with team_world(tmp_path, sessions=[[called, text("ok")]] * 2) as t:
        shell(t.w.root, t, 120_000)
        t.w.root.tools.register(
            ToolSchema("job_wait", "Jobs", waits), lambda given, run: f"waits {given['waitMs']}"
        )
        main = await t.main()
        assert await verdicts(t, main) == [None] * 3
        assert [result_text(each) for each in results(main)] == ["ran with 30000", "waits 5000", "waits 9"]
        shown = {tool["name"]: tool for tool in t.w.requests(main)[0].tools}
        assert shown["bash"]["parameters"]["properties"]["timeoutMs"]["default"] == 30_000
        assert shown["job_wait"]["parameters"]["properties"]["waitMs"]["default"] == 5_000
        executor = await t.executor()
        await say(executor, "go")
        shown = {tool["name"]: tool for tool in t.w.requests(executor)[0].tools}
        assert shown["bash"]["parameters"]["properties"]["timeoutMs"]["default"] == 120_000


@pytest.mark.parametrize(
    ("settings", "scoped", "expected"),
    [({}, False, "NO_SERVICE"), ({}, True, "NO_SERVICE"), ({"timeout_seconds": 31}, True, "DENIED")],
)
async def test_t47_the_shell_of_the_house(
    tmp_path: Path, settings: dict[str, int], scoped: bool, expected: str
) -> None:
    """Without a service behind it, a call that is let through ends as NO_SERVICE."""
    called = calls(("bash", {"command": "ls", "purpose": "look"}, "c0"))
    async with team_world(tmp_path, called, text("ok")) as t:
        plugin, given = first_party("shell"), {"guidance": False, **settings}
        if not scoped:
            await t.w.root.plugin(plugin, given)
        main = await t.main()
        if scoped:
            await main.ctx.plugin(plugin, given)
        assert await verdicts(t, main) == [expected]


async def test_t48_no_sleep(tmp_path: Path) -> None:
    commands = [
        "sleep 1",
        "cd /w && sleep 1",
        "bash -c 'sleep 1'",
        "/bin/sleep 1 &",
        "echo sleep",
        'grep "sleep 5" f',
    ]
    called = shells(*[{"command": command, "timeoutMs": 1000} for command in commands])
    async with team_world(tmp_path, called, text("ok")) as t:
        main = await t.main(also=lambda ctx, agent: shell(ctx, t))
        assert await verdicts(t, main) == ["DENIED"] * 4 + [None] * 2


async def test_t49_no_waiting_for_jobs_and_no_listener_that_lifts_it(tmp_path: Path) -> None:
    waits = [
        ("job_output", {"waitMs": 5000}, "c0"),
        ("job_output", {"waitMs": 5001}, "c1"),
        ("job_output", {}, "c2"),
    ]
    async with team_world(tmp_path, calls(*waits), text("ok")) as t:
        parameters = {"type": "object", "properties": {"waitMs": {"type": "integer"}}}
        t.w.root.tools.register(ToolSchema("job_output", "Jobs", parameters), lambda arguments, run: "read")

        async def allow(call: object, next: Any) -> Allow:
            return Allow()

        t.w.root.on("tools/pre-execute", allow)
        assert await verdicts(t, await t.main()) == [None, "DENIED", None]


async def test_the_first_party_tools_are_guarded_too(tmp_path: Path) -> None:
    given = calls(
        ("bash", {"command": "ls", "purpose": "look", "timeout_seconds": 30}, "c0"),
        ("bash", {"command": "ls", "purpose": "look", "timeout_seconds": 31}, "c1"),
        ("bash", {"command": "ls", "purpose": "look"}, "c2"),
        ("job_output", {"job": "job-1", "wait_seconds": 6}, "c3"),
        ("job_start", {"command": "sleep 100", "purpose": "wait"}, "c4"),
        ("job_stop", {"job": "job-1", "grace_seconds": 6}, "c5"),
        ("job_stop", {"job": "job-1"}, "c6"),
    )
    async with team_world(tmp_path, given, text("ok")) as t:
        for name in ("shell", "jobs"):
            await t.w.root.plugin(first_party(name), {"guidance": False})
        found = await verdicts(t, await t.main())
        assert found == ["NO_SERVICE", "DENIED", "NO_SERVICE", "DENIED", "DENIED", "DENIED", "NO_SERVICE"]


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


async def test_t52_an_executor_never_has_what_asks_people(tmp_path: Path) -> None:
    sessions = [[calls(("present", {}, "c1")), text("ok"), text("ok"), text("ok")], [text("ok")], [text("ok")] * 2]
    async with team_world(tmp_path, sessions=sessions) as t:
        for name in ("ask_user_question", "present", "plugin_manager", "bash"):
            t.w.tool(name)
        executor = await t.executor(also=lambda ctx, agent: own_tool(ctx, t))
        first = await t.step(executor)
        assert [code(result) for result in results(executor)] == ["UNKNOWN_TOOL"]
        t.w.tool("window", traits=["presents_ui"])
        second = await t.step(executor)
        team_tools = {schema.name for schema in t.w.root.tools.visible(executor)} - {"bash"}
        assert all(name.startswith("orchestrator_") or name == "skill" for name in team_tools)
        for request in (first, second):
            assert {tool["name"] for tool in request.tools} - team_tools == {"bash"}
        child = await executor.ctx.agents.create(AgentOptions(provider="scripted", model="m1", parent=executor))
        assert [schema.name for schema in t.w.root.tools.visible(child)] == ["bash"]
        grandchild = await child.ctx.agents.create(AgentOptions(provider="scripted", model="m1", parent=child))
        assert [schema.name for schema in t.w.root.tools.visible(grandchild)] == ["bash"]
        main = await t.main()
        assert {"window", "present"} <= {schema.name for schema in t.w.root.tools.visible(main)}


def own_tool(ctx: Any, t: TeamWorld) -> None:
    t.w.tool("ask_user_question", ctx=_Tools(t, ctx))
    t.w.tool("own_window", ctx=_Tools(t, ctx), traits=["presents_ui"])


class _Tools:
    def __init__(self, t: TeamWorld, ctx: Any) -> None:
        self.tools = t.team.tools_in(ctx)


async def test_t52_under_code_mode_the_sdk_lacks_them(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        for name in ("present", "bash"):
            t.w.tool(name)
        t.w.tool("window", traits=["asks_person"])
        await t.w.root.plugin(first_party("code_mode"), {"presentation": "code"})
        request = await t.step(await t.executor())
        assert request.system is not None
        assert "def bash(" in request.system
        assert "def present(" not in request.system
        assert "def window(" not in request.system


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


async def test_t54_skills_are_loaded_on_demand(tmp_path: Path) -> None:
    load = calls(("skill", {"name": "github"}, "c1"))
    async with team_world(tmp_path, text("ok"), load, text("ok"), text("ok"), text("ok")) as t:
        given = {"skill/github": {"text": "GH"}}
        await t.save(skills=[skill("identities")], overrides=given)
        executor = await t.executor()
        first = await t.step(executor)
        assert said(first)[1] == own_messages(executor, "skill-catalog")[0]
        assert "identities" in said(first)[1]
        await say(executor, "load it")
        assert result_text(results(executor)[0]) == "GH"
        await t.save(skills=[skill("identities", content="Other content")], overrides=given)
        await say(executor, "go on")
        assert len(own_messages(executor, "skill-catalog")) == 1
        await t.save(skills=[skill("identities"), skill("tides")], overrides=given)
        last = await t.step(executor)
        assert len(own_messages(executor, "skill-catalog")) == 2
        assert last.system == first.system


async def test_t54_a_catalog_that_was_taken_away_is_said_again(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        executor = await t.executor()
        await say(executor, "go")
        session = executor.session
        nodes = [event.seq for event in session.events if event.surface_op is not None]
        session.append(
            "user/message",
            user_message("a summary"),
            surface_op=Replace(nodes[0], nodes[-1]),
            source_event_seqs=nodes,
        )
        await say(executor, "go")
        assert len(own_messages(executor, "skill-catalog")) == 2


async def test_t54_a_retry_has_the_newest_catalog_before_its_runtime_context(tmp_path: Path) -> None:
    """Retries read the newest version, too: the catalogue is of the same snapshot as the rest of the request."""
    tide = ["low water"]
    worlds: list[TeamWorld] = []

    async def save(_seconds: float) -> None:
        tide[0] = "high water"
        await worlds[0].save(communication="C1", skills=[skill("tides")])

    async with team_world(tmp_path, error("SERVER"), text("ok"), text("ok"), sleep=save) as t:
        worlds.append(t)
        t.w.root.system_prompt.context("tide", 10, lambda _context: tide[0])
        executor = await t.executor()
        await say(executor, "go")
        sent = [(each.data["revision"], each.data["attempt"]) for each in events(executor, "prompts/revision")]
        assert sent == [(0, 1), (1, 2)], "revision and attempt"
        first, second = t.w.requests(executor)
        assert ["tides" in message for message in said(second)] == [False, False, False, True, False]
        assert said(second)[:3] == said(first)
        assert "high water" in said(second)[4]
        assert second.system == E0.replace("\n\nC\n", "\n\nC1\n")
        await say(executor, "go on")
        assert len(own_messages(executor, "skill-catalog")) == 2
        t.w.check(executor.session)


async def test_t54_a_request_that_is_compacted_keeps_its_catalog(tmp_path: Path) -> None:
    async with team_world(tmp_path, text("one"), error("CONTEXT_WINDOW_EXCEEDED"), text("two")) as t:
        summarizing(t.w)
        await t.w.root.plugin(Compaction)
        executor = await t.executor()
        await say(executor, "x" * 2000)
        await say(executor, "y")
        requests = t.w.requests(executor)
        assert [sum("Skills:" in message for message in said(each)) for each in requests] == [1, 1, 1]
        t.w.check(executor.session)


async def test_t54_the_catalog_stands_before_the_runtime_context(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        t.w.root.system_prompt.context("tide", 10, "high water")
        messages = said(await t.step(await t.executor()))
        assert [("Skills" in each, "high water" in each) for each in messages] == [
            (False, False),
            (True, False),
            (False, True),
        ]


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
