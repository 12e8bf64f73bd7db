"""Fixture D0 of the team's scenarios: short texts in the place of the shipped ones, and two roles on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.agent.scenario import Call, World, say, text, world
from workbench.agent.agent import Agent
from workbench.agent.sessions import SessionsConfig
from workbench.models.request import ModelRequest
from workbench.team.builtin import Builtins
from workbench.team.config import Rule
from workbench.team.parts import PARTS
from workbench.team.plugin import TeamPrompts, TeamSettings
from workbench.team.problems import Problem, Refused
from workbench.team.tickets import Ticket

TEMPLATES = {
    "runtime/environment": "ENV\n{variables}",
    "runtime/policy": "POLICY {version} {mode}\n{rules}",
    "runtime/policy/none": "NOPOLICY {version} {mode}",
}
D0 = Builtins.of(
    {key: TEMPLATES.get(key, f"P:{key}") for key in PARTS},
    {"communication": "C", "ticket_scope": "S", "delivery_requirements": "R"},
    "NOTE\n{rules}",
)
SIZE_LIMIT = 10_000
M0_PARTS = (
    "P:runtime/shared",
    "P:runtime/orchestrator",
    "## Communication\n\nC",
    "## Ticket scope\n\nS",
    "## Delivery requirements\n\nR",
    "P:runtime/subscriptions",
    "P:runtime/replies",
    "P:runtime/dispatch",
    "P:runtime/admission",
    "P:runtime/handoff/orchestrator",
    "ENV\n- region: eu",
    "NOPOLICY 0 manual",
)
M0 = "\n\n".join(M0_PARTS)
E0 = "\n\n".join(
    (
        "CODING",
        "BASH",
        "JOBS",
        "P:runtime/shared",
        "P:runtime/worker",
        "## Communication\n\nC",
        "## Ticket scope\n\nS",
        "## Delivery requirements\n\nR",
        "P:runtime/subscriptions",
        "P:runtime/replies",
        "P:runtime/work",
        "P:runtime/handoff/worker",
        "ENV\n- ticket: T-7",
    )
)
DOCS = Rule(id="docs", name="Docs", instruction="Fix typos", enabled=True)
EXPLICIT = Ticket("T-7")


def proposal(**changed: Any) -> dict[str, Any]:
    """A whole configuration as a save sends it: D0's, but for what is given by its first key.

    `communication`, `ticket_scope` and `delivery_requirements` are sections; `mode` and `rules` of the policy.
    """
    sections = {"communication": "C", "ticket_scope": "S", "delivery_requirements": "R"}
    policy = {"accept_mode": changed.pop("mode", "manual"), "rules": changed.pop("rules", [])}
    sections |= {name: changed.pop(name) for name in list(changed) if name in sections}
    given = {"sections": sections, "skills": [], "overrides": {}, "policy": policy}
    return {**given, **changed}


def rule(id: str, name: str, instruction: str, enabled: bool = True) -> dict[str, Any]:
    return {"id": id, "name": name, "instruction": instruction, "enabled": enabled}


def skill(name: str, description: str = "What it is for", content: str = "Content") -> dict[str, str]:
    return {"name": name, "description": description, "content": content}


def overriding(**texts: str) -> dict[str, Any]:
    """Overrides by the last word of their key, such as `work` for `runtime/work`."""
    return {f"runtime/{key}": {"text": value} for key, value in texts.items()}


@dataclass
class TeamWorld:
    """A runtime with a team, on the scripted model."""

    w: World
    team: TeamPrompts

    async def main(self, **more: Any) -> Agent:
        """The main Session."""
        environment = more.pop("environment", (("region", "eu"),))
        setup = self.team.orchestrator(environment, more.pop("also", None))
        return await self.w.agent(**more, setup=setup)

    async def executor(self, ticket: Ticket = EXPLICIT, **more: Any) -> Agent:
        """The Executor of a Ticket."""
        setup = self.team.worker(ticket, more.pop("also", None))
        return await self.w.agent(**more, setup=setup)

    async def save(self, **changed: Any) -> int:
        """A save from the panel on top of the newest version; gives the revision."""
        newest = await self.team.store.newest_revision()
        return (await self.team.save(proposal(**changed), newest)).version.revision

    async def refused(
        self, given: object = None, *, base: int | None = None, **changed: Any
    ) -> tuple[Problem, ...]:
        """What a save is refused for. No version comes of it."""
        newest = await self.team.store.newest_revision()
        with pytest.raises(Refused) as caught:
            await self.team.save(given or proposal(**changed), newest if base is None else base)
        assert await self.team.store.newest_revision() == newest
        return caught.value.problems

    async def step(self, agent: Agent, said: str = "go") -> ModelRequest:
        """One turn; gives its last request."""
        await say(agent, said)
        return self.w.requests(agent)[-1]

    async def system(self, agent: Agent) -> str:
        """The system text of a turn."""
        return (await self.step(agent)).system or ""

    def upgrade(self, **parts: str | None) -> None:
        """Another release: other defaults, by the last word of the key; None takes the part away."""
        self.team.store.use_builtins(D0.changed({f"runtime/{key}": value for key, value in parts.items()}))


@asynccontextmanager
async def team_world(
    tmp_path: Path,
    *script: Call,
    sessions: Sequence[Sequence[Call]] | None = None,
    builtins: Builtins = D0,
    settings: dict[str, Any] | None = None,
    turns: int = 6,
    sleep: Callable[[float], Awaitable[Any]] | None = None,
) -> AsyncIterator[TeamWorld]:
    """D0 with these scripted calls, or with an answer of one word for each of so many turns, of two agents.

    `sleep` is what happens before each retry.
    """
    sessions = sessions or ([script] if script else [[text("ok")] * turns] * 3)
    logs = SessionsConfig(tmp_path / "logs")
    async with world(persona="CODING", sessions=sessions, logs=logs, sleep=sleep) as w:
        for order, name in ((1000, "BASH"), (1600, "JOBS")):
            w.root.system_prompt.section(f"tool:{name.lower()}", order, name)
        given = {
            "store": str(tmp_path / "team.db"),
            "size_limit": SIZE_LIMIT,
            "card_limit": 100,
            "builtins": builtins,
        }
        await w.root.plugin(TeamPrompts, TeamSettings(**{**given, **(settings or {})}))
        yield TeamWorld(w, w.root.team)


def codes(problems: Iterable[Problem]) -> list[str]:
    return [problem.code for problem in problems]


def revisions(agent: Agent) -> list[int]:
    """The revisions that were recorded, in their order."""
    return [event.data["revision"] for event in agent.session.events if event.type == "prompts/revision"]


def own_messages(agent: Agent, form: str) -> list[str]:
    """Texts of the messages of the team plugin of this form."""
    return [
        event.data["content"][0]["text"]
        for event in agent.session.events
        if event.type == "user/message" and event.data["source"].get("form") == form
    ]
