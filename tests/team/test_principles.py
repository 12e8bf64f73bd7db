"""Scenario T55: what the shipped texts must say, and must not say twice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.agent.scenario import calls, result_text, results, say, text
from tests.team.scenario import team_world
from workbench.team.builtin import shipped_builtins
from workbench.team.compose import RuntimeEnv, compose_runtime_parts
from workbench.team.config import default_config
from workbench.team.desk import Candidate
from workbench.team.parts import PARTS, SECTION_HEADINGS, missing_placeholders
from workbench.team.snapshot import TeamSnapshot
from workbench.team.tools.desk_tools import EVAL

PROBES = {
    "P1": ("orchestrator dispatch worker", "30 words", "original Trigger"),
    "P2": ("orchestrator dispatch", "sleep", "30 seconds", "5 seconds"),
    "P3": ("replies shared", "one sentence", "100 words"),
    "P4": ("work replies handoff/orchestrator handoff/worker", "hand back", "stop"),
    "P5": ("subscriptions dispatch", "100 words", "authority"),
    "P6": ("dispatch subscriptions admission", "exactly one", "orchestrator_thread_unrelated"),
    "P7": ("replies work", "expected result"),
    "P8": ("work handoff/worker handoff/orchestrator", "human_action", "unchanged"),
    "P9": ("work handoff/worker", "draft", "before screenshot"),
    "P10": ("shared dispatch work", "pause"),
    "P11": ("shared", "format"),
    "P12": ("replies work skill/github", "three rounds"),
    "P13": ("work", "close"),
}
"""By principle: the parts that carry it, and what is looked for."""


def snapshot() -> TeamSnapshot:
    builtins = shipped_builtins()
    return TeamSnapshot(0, 0, default_config(builtins, "manual"), builtins)


def collapsed(text: str) -> str:
    return re.sub(r"\s+", " ", text).lower()


@pytest.mark.parametrize("principle", PROBES)
def test_t55_every_probe_is_found_in_every_part_that_carries_it(principle: str) -> None:
    names, *probes = PROBES[principle]
    for name in names.split():
        key = name if name.startswith("skill/") else f"runtime/{name}"
        found = collapsed(snapshot().effective(key))
        missing = [probe for probe in probes if probe.lower() not in found]
        if principle == "P4":  # whoever routes hands nothing back, and says what happens to what was
            missing = [probe for probe in missing if (name, probe) != ("handoff/orchestrator", "hand back")]
        assert missing == [], f"{principle} in {key}"


def test_t55_headings_are_referred_to_and_no_section_is_repeated() -> None:
    builtins = shipped_builtins()
    whole = "\n".join(each.text for each in builtins.parts.values())
    for name, heading in SECTION_HEADINGS.items():
        assert f"*{heading}*" in whole
        for paragraph in builtins.sections[name].split("\n\n"):
            assert collapsed(paragraph) not in collapsed(whole)
    assert "This is by an automated agent, not a human" in builtins.sections["communication"]


async def test_t55_the_admission_text_is_in_the_prompt_alone(tmp_path: Path) -> None:
    asked = calls(("orchestrator_eval", {"candidate": "a"}, "c1"))
    async with team_world(tmp_path, asked, text("ok"), builtins=shipped_builtins()) as t:
        t.team.desk.add(Candidate("a", "An export loses its columns."))
        main = await t.main()
        await say(main, "go")
        [result] = results(main)
        assert result_text(result) == "An export loses its columns."
        assert "# Admission" in (t.w.requests(main)[0].system or "")
    admission = shipped_builtins().parts["runtime/admission"].text
    assert not any(line in EVAL.description for line in admission.splitlines() if line)
    main = compose_runtime_parts("orchestrator", snapshot(), RuntimeEnv())
    assert [part.name for part in main if part.text == admission] == ["runtime/admission"]


def test_templates_hold_their_tokens_and_state_the_exemption() -> None:
    builtins = shipped_builtins()
    assert tuple(builtins.parts) == tuple(PARTS)
    assert all(missing_placeholders(key, each.text) == () for key, each in builtins.parts.items())
    for key in ("runtime/policy", "runtime/policy/none"):
        assert "explicit request" in builtins.parts[key].text
    assert "no rule is enabled" in collapsed(builtins.parts["runtime/policy/none"].text)
    assert "{rules}" in builtins.inferred_note


def test_the_order_of_precedence_and_every_limit_are_stated() -> None:
    shared = collapsed(snapshot().effective("runtime/shared"))
    steps = [
        "what code enforces",
        "this text and the parts",
        "inferred ticket",
        "sections that the team",
        "outside",
    ]
    places = [shared.index(step) for step in steps]
    assert places == sorted(places)
    whole = collapsed("\n".join(each.text for each in shipped_builtins().parts.values()))
    for limit in ("30 words", "100 words", "30 seconds", "5 seconds", "three rounds", "sleep"):
        assert limit in whole


async def test_every_tool_of_a_role_is_named_in_what_that_role_reads(tmp_path: Path) -> None:
    """A tool that no text speaks of is used by chance; one that only the other role has confuses."""
    async with team_world(tmp_path, builtins=shipped_builtins()) as t:
        agents = {"orchestrator": await t.main(), "worker": await t.executor()}
        has = {role: {tool.name for tool in t.w.root.tools.visible(agent)} for role, agent in agents.items()}
    assert all(has.values())
    for role, other in (("orchestrator", "worker"), ("worker", "orchestrator")):
        parts = compose_runtime_parts(role, snapshot(), RuntimeEnv())
        named = set(re.findall(r"`(\w+)`", "\n".join(part.text for part in parts)))
        assert has[role] - named == set(), role
        others = (has[other] - has[role]) & named
        in_shared_parts = {"orchestrator_thread_unrelated", "orchestrator_review_reply"}  # they say who has it
        assert others <= in_shared_parts, role


def test_what_a_setting_leaves_open_is_said_by_a_built_in_text() -> None:
    github = collapsed(snapshot().effective("skill/github"))
    assert "no-reply address" in github, "commits whose author no section names"
    assert "pointer" in collapsed(snapshot().effective("runtime/shared")), "cards that were cut"
