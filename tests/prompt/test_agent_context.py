"""The context of an agent's assembly: docs/prompt-assembly.md 2."""

from __future__ import annotations

import asyncio

import pytest

from workbench.core import Runtime, create_scope
from workbench.prompt import AssembleContext, SystemPrompt, render_prompt


class Agent:
    label = "main"


async def test_listeners_fetch_what_providers_cannot_await() -> None:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt)
        agent = Agent()
        scope = create_scope(runtime.root, agent)

        async def fetch(context: AssembleContext) -> None:
            await asyncio.sleep(0)
            context.extras["revision"] = "41"

        runtime.root.on("agent/assemble-context", fetch)
        scope.ctx.system_prompt.section("team:revision", 10, lambda context: context.extras.get("revision", "?"))

        context = await runtime.root.system_prompt.assemble_context_for(agent, signal="stop")

        assert (context.scope, context.agent, context.signal) == (agent, agent, "stop")
        assembly = await runtime.root.system_prompt.assemble(context)
        assert render_prompt(assembly).endswith("\n\n41")


async def test_only_listeners_of_the_agents_chain_hear_it() -> None:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt)
        heard: list[str] = []
        agent, other = Agent(), Agent()
        create_scope(runtime.root, agent).ctx.on("agent/assemble-context", lambda context: heard.append("agent"))
        create_scope(runtime.root, other).ctx.on("agent/assemble-context", lambda context: heard.append("other"))

        await runtime.root.system_prompt.assemble_context_for(agent)

        assert heard == ["agent"]


async def test_a_listener_that_raises_fails_the_context() -> None:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt)

        def fails(context: AssembleContext) -> None:
            raise ValueError("no store")

        runtime.root.on("agent/assemble-context", fails)
        with pytest.raises(ExceptionGroup) as caught:
            await runtime.root.system_prompt.assemble_context_for(Agent())
        assert str(caught.value.exceptions[0]) == "no store"
