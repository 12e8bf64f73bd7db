"""Scenarios T01 to T18: what each role reads, and what the policy changes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.agent.scenario import events, headers, kinds, said, say
from tests.team.scenario import DOCS, E0, M0, M0_PARTS, overriding, proposal, revisions, rule, team_world
from workbench.agent.log import first_divergence
from workbench.plugins import first_party
from workbench.prompt import NamedText
from workbench.team.compose import MAIN_SECTION, compose_runtime_parts
from workbench.team.seats import SeatError
from workbench.team.tickets import Ticket
from workbench.tools.structured_output import register_structured_output

INFERRED = Ticket("T-7", "inferred", matched_rules=(DOCS,))
RULES = [rule("docs", "Docs", "Fix typos"), rule("x", "X", "No", False), rule("deps", "Deps", "Bump")]


async def test_t01_the_main_session_has_one_complete_section(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        main = await t.main()
        assert await t.system(main) == M0
        prompt = t.w.root.system_prompt
        assembly = await prompt.assemble(await prompt.assemble_context_for(main))
        assert [section.name for section in assembly.sections] == [MAIN_SECTION]
        seat = t.team.seat_of(main)
        assert seat is not None
        parts = compose_runtime_parts("orchestrator", t.team.latest, seat.env)
        assert tuple(part.text for part in parts) == M0_PARTS
        t.w.check(main.session)


async def test_t02_an_executor_reads_its_parts_behind_the_harness(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        executor = await t.executor()
        assert await t.system(executor) == E0
        t.w.check(executor.session)


async def test_t03_the_final_note_of_an_inferred_ticket_is_last(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:

        def also(ctx: Any, _agent: object) -> None:
            register_structured_output(ctx, {"type": "object", "properties": {}})

        setup = t.team.worker(INFERRED, lambda ctx, agent: also(_Declared(t, ctx), agent))
        executor = await t.w.agent(setup=setup)
        system = await t.system(executor)
        before, _, note = system.rpartition("\n\n")
        assert note == "NOTE\n- Docs (docs): Fix typos"
        assert before.startswith(E0 + "\n\n")
        output_duty = before.removeprefix(E0 + "\n\n")
        assert "structured_output" in output_duty
        await t.save(rules=[rule("docs", "Docs", "Fix typos"), rule("more", "More", "All")])
        assert await t.system(executor) == system


class _Declared:
    """A scope's context with the services that a plugin of its own would declare."""

    def __init__(self, t: Any, ctx: Any) -> None:
        self.tools, self.system_prompt, self.on = t.team.tools_in(ctx), t.team.prompt_in(ctx), ctx.on


async def test_t04_nobody_adds_to_the_main_prompt(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        t.w.tool("bash")
        t.w.root.system_prompt.section("late", 1, "LATE")

        async def append(assembly: Any, context: Any, next: Any) -> Any:
            assembly = await next()
            assembly.sections.append(NamedText("appended", "APPENDED"))
            return assembly

        t.w.root.on("system-prompt/assemble", append)
        main, executor = await t.main(), await t.executor()
        request = await t.step(main)
        assert request.system == M0
        assert "bash" in [tool["name"] for tool in request.tools]
        request = await t.step(executor)
        assert request.system is not None
        assert request.system == E0.replace("CODING", "CODING\n\nLATE") + "\n\nAPPENDED"
        assert "bash" in [tool["name"] for tool in request.tools]


@pytest.mark.parametrize("presentation", ["code", "both"])
async def test_t05_a_code_mode_is_refused_at_creation(tmp_path: Path, presentation: str) -> None:
    async with team_world(tmp_path) as t:
        seat = t.team.orchestrator()

        def setup(ctx: Any, agent: Any) -> Any:
            t.team.tools_in(ctx).present(presentation)
            return seat(ctx, agent)

        with pytest.raises(SeatError, match=presentation):
            await t.w.agent(setup=setup)
        assert t.w.root.agents.service.all() == ()
        assert t.team.seats() == ()
        assert list((tmp_path / "logs").glob("*")) == []


async def test_t06_a_repositorys_instructions_are_a_message_of_executors(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("RULES", encoding="utf-8")
    async with team_world(tmp_path) as t:
        await t.w.root.plugin(first_party("instructions"), {"delivery": "message"})
        executor = await t.executor(cwd=str(tmp_path))
        main = await t.main(cwd=str(tmp_path))
        request = await t.step(executor, "the assignment")
        messages = said(request)
        assert sum(message.count("RULES") for message in messages) == 1
        assert "RULES" in messages[0]
        assert messages[1] == "the assignment"
        assert request.system == E0
        assert not any("RULES" in message for message in said(await t.step(main)))


async def test_t07_braces_of_a_team_are_no_variables(tmp_path: Path) -> None:
    text = "Use ${{ secrets.X }} and {{model}}"
    async with team_world(tmp_path) as t:
        await t.save(communication=text)
        for agent in (await t.main(), await t.executor()):
            assert f"## Communication\n\n{text}\n\n## Ticket scope" in await t.system(agent)
            assert kinds(agent) == ["completed"]


async def test_t08_empty_texts(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        await t.save(ticket_scope="", overrides=overriding(replies=""))
        for agent, following in ((await t.main(), "dispatch"), (await t.executor(), "work")):
            system = await t.system(agent)
            assert "## Ticket scope\n\n## Delivery requirements\n\nR" in system
            assert f"P:runtime/subscriptions\n\nP:runtime/{following}" in system


async def test_t09_t10_an_override_changes_one_part_of_its_readers(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        main, executor = await t.main(), await t.executor()
        await t.save(overrides=overriding(admission="ADM"))
        assert await t.system(main) == M0.replace("P:runtime/admission", "ADM")
        assert await t.system(executor) == E0
        await t.save(overrides=overriding(worker="W"))
        assert await t.system(main) == M0
        assert await t.system(executor) == E0.replace("P:runtime/worker", "W")


async def test_t11_each_token_is_filled(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        main = await t.main(environment=(("a", "1"), ("b", "2")))
        await t.save(overrides=overriding(environment="A {variables} B {variables}"))
        assert "A - a: 1\n- b: 2 B - a: 1\n- b: 2" in await t.system(main)


async def test_t12_no_environment(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        assert "\n\nENV\n(none)\n\n" in await t.system(await t.main(environment=()))


async def test_t13_cards_are_cut_at_the_limit_and_point_to_the_rest(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        executor = await t.executor()
        for length, pieces in ((101, 2), (100, 1)):
            text = "".join(chr(ord("a") + index % 26) for index in range(length))
            executor.followup(t.team.card(text, pointer="ticket://T-7/1", author="ann", automated=False))
            await executor.when_idle()
            cards = [event.data for event in events(executor, "user/message")]
            card = [each for each in cards if each["source"]["kind"] == "trigger"][-1]
            assert card["role"] == "user"
            assert card["content"][0]["text"] == text[:100]
            assert len(card["content"]) == pieces
            assert sum("ticket://T-7/1" in block["text"] for block in card["content"]) == pieces - 1


async def test_t14_t15_t18_the_policy_section(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        main = await t.main()
        await t.save(mode="automatic", rules=RULES)
        policy = "POLICY 1 automatic\n- Docs (docs): Fix typos\n- Deps (deps): Bump"
        assert (await t.system(main)).endswith(f"\n\n{policy}")
        await t.save(mode="automatic", rules=RULES, communication="C2")
        system = await t.system(main)
        assert system.endswith(f"\n\n{policy}")
        assert "C2" in system
        await t.save(mode="automatic", rules=[{**each, "enabled": False} for each in RULES])
        assert (await t.system(main)).endswith("\n\nNOPOLICY 3 automatic")


async def test_t15_all_rules_disabled_in_the_next_save(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        await t.save(mode="automatic", rules=RULES)
        await t.save(mode="automatic", rules=[{**each, "enabled": False} for each in RULES])
        assert (await t.system(await t.main())).endswith("\n\nNOPOLICY 2 automatic")


async def test_t16_a_policy_change_leaves_all_earlier_bytes(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        main = await t.main()
        before = await t.step(main)
        await t.save(mode="automatic", rules=RULES)
        after = await t.step(main)
        divergence = first_divergence(before, after)
        assert divergence.kind == "system"
        assert before.system is not None
        assert after.system is not None
        stable = before.system.rindex("NOPOLICY")
        assert before.system[:stable] == after.system[:stable]
        assert headers(main) == ["initial", "change"]


async def test_t17_a_policy_change_is_nothing_to_an_executor(tmp_path: Path) -> None:
    async with team_world(tmp_path) as t:
        executor = await t.executor()
        before = await t.step(executor)
        await t.save(mode="automatic", rules=RULES)
        after = await t.step(executor)
        assert first_divergence(before, after).kind == "none"
        assert headers(executor) == ["initial"]
        assert revisions(executor) == [0, 1]


async def test_t19_rules_that_are_no_rules(tmp_path: Path) -> None:
    wrong: list[dict[str, Any]] = [
        {"rules": [rule("a", "A", "one\ntwo")]},
        {"rules": [rule("a", "", "text")]},
        {"rules": [rule("a b", "A", "text")]},
        {"rules": [rule("a", "A", "text"), rule("a", "B", "text")]},
        {"mode": "maybe"},
    ]
    async with team_world(tmp_path) as t:
        for changed in wrong:
            [problem] = await t.refused(proposal(**changed))
            assert problem.code == "invalid_rule"
            assert problem.path.startswith("policy.")
        await say(await t.main(), "go")
