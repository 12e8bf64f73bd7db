"""A composition that runs, from Python: what is opened, and what an edit changes for an agent that lives."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.compositions import Write
from workbench.agent.log import rebuild_all
from workbench.config.live import LiveChoices, open_live
from workbench.config.problems import LoadError

AGENT = """\
persona: You run on {{model}}, {{mood}}.
include_harness_identity: false
models:
  - {name: scripted, script: answers.yml}
agents:
  - {name: main, model: m1}
variables:
  - {name: mood, value: calmly}
sections:
  - {name: own, scope: main, order: 5, text: Only main reads this.}
"""


@pytest.fixture
def opened(write: Write) -> Path:
    calls = [{"text": f"answer {number}"} for number in range(5)]
    write("answers.yml", json.dumps({"sessions": [{"calls": calls}]}))
    return write("agent.yml", AGENT)


def systems(agent: Any) -> list[str | None]:
    return [each.request.system for each in rebuild_all(agent.session.events)]


async def test_an_edit_counts_from_the_next_request_on(opened: Path, write: Write) -> None:
    async with open_live(opened) as live:
        agent = live.agent
        agent.followup("1")
        await agent.when_idle()
        write("agent.yml", AGENT.replace("model: m1", "model: m2, max_tokens: 9").replace("calmly", "loudly"))
        assert await live.opened.reload()
        agent.followup("2")
        await agent.when_idle()
        assert systems(agent) == [
            "You run on m1, calmly.\n\nOnly main reads this.",
            "You run on m2, loudly.\n\nOnly main reads this.",
        ]
        configs = [each.request.config for each in rebuild_all(agent.session.events)]
        assert [(config.model, config.max_tokens, config.provider) for config in configs] == [
            ("m1", None, "scripted"),
            ("m2", 9, "scripted"),
        ]
        reasons = [event.data["reason"] for event in agent.session.events if event.type == "request/header"]
        assert reasons == ["initial", "change"]


async def test_what_the_person_chose_stays_through_an_edit(opened: Path, write: Write) -> None:
    async with open_live(opened, LiveChoices(model="mine")) as live:
        write("agent.yml", AGENT.replace("model: m1", "model: m2"))
        assert await live.opened.reload()
        live.agent.followup("1")
        await live.agent.when_idle()
        assert systems(live.agent) == ["You run on mine, calmly.\n\nOnly main reads this."]


async def test_an_edit_that_loads_everything_anew_leaves_the_agent_in_its_scope(opened: Path, write: Write) -> None:
    async with open_live(opened) as live:
        write(
            "agent.yml",
            AGENT.replace("name: main, model", "name: main, scope: team, model") + "scopes: [{name: team}]\n",
        )
        assert await live.opened.reload()
        live.agent.followup("1")
        await live.agent.when_idle()
        assert systems(live.agent) == ["You run on m1, calmly.\n\nOnly main reads this."]


async def test_a_file_that_cannot_run_says_where(opened: Path, write: Write) -> None:
    write("agent.yml", AGENT.replace("script: answers.yml", "replay: [nowhere.jsonl]"))
    with pytest.raises(LoadError) as refused:
        async with open_live(opened):
            pass
    [problem] = refused.value.problems
    assert (problem.file, problem.line) == ("agent.yml", 4)
    assert "nowhere.jsonl" in problem.message
