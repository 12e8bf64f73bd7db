"""Subagent tools: what is said of them, and how they follow their provider."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.plugins.schema_rules import broken_rules
from workbench.agent.subagents.contract import SubagentError
from workbench.agent.subagents.registry import PROVIDER_ADDED, PROVIDER_REMOVED
from workbench.core import Context, Fiber, FiberState, Runtime, create_scope
from workbench.plugins import first_party
from workbench.plugins.subagent import Config, described_tool
from workbench.prompt import AssembleContext, PromptConfig, SystemPrompt, ToolSchema
from workbench.tools import ToolRegistry


@dataclass(frozen=True)
class Provider:
    name: str
    inherits_parent_context: bool = False


@pytest.fixture
async def root() -> AsyncIterator[Context]:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig(include_harness_identity=False))
        await runtime.root.plugin(ToolRegistry)
        await runtime.root.plugin(first_party("subagents"))
        yield runtime.root


async def provide(root: Context, provider: Provider) -> Fiber:
    """A plugin that registers this provider."""

    def apply(ctx: Context) -> None:
        ctx.subagents.register(provider)

    apply.inject = ["subagents"]  # type: ignore[attr-defined]
    return await root.plugin(apply)


async def tools(root: Context, scope: object = None) -> dict[str, ToolSchema]:
    return {tool.name: tool for tool in (await root.system_prompt.assemble(AssembleContext(scope=scope))).tools}


async def sections(root: Context, scope: object = None) -> dict[str, str]:
    assembly = await root.system_prompt.assemble(AssembleContext(scope=scope))
    return {section.name: section.text for section in assembly.sections if section.text}


def task_of(tool: ToolSchema) -> str:
    text: str = tool.parameters["properties"]["task"]["description"]
    return text


@pytest.mark.parametrize("mode", ["none", "one-shot", "continuable"])
def test_the_wording_comes_from_the_flag(mode: Any) -> None:
    config = Config(provider="fork", background_mode=mode)
    fresh, inheriting = described_tool(config, False), described_tool(config, True)
    assert "does not see this conversation" in fresh.description
    assert "standalone" in fresh.description
    assert "self-contained" in task_of(fresh)
    assert "completed turns" in inheriting.description
    assert "turn in progress" in inheriting.description
    assert "does not see this conversation" not in inheriting.description
    assert "completed turns" in task_of(inheriting)
    assert "self-contained" not in task_of(inheriting)
    for tool in (fresh, inheriting):
        assert broken_rules(tool.name, tool.parameters) == []
        assert "Only its result returns" in tool.description
        assert ("run_in_background" in tool.parameters["properties"]) == (mode != "none")


async def test_the_name_of_the_provider_says_nothing(root: Context) -> None:
    await provide(root, Provider("fork", inherits_parent_context=False))
    await root.plugin(first_party("subagent"), {"provider": "fork"})
    assert "does not see this conversation" in (await tools(root))["subagent"].description


async def test_without_its_provider_there_is_no_tool(root: Context) -> None:
    fiber = await root.plugin(first_party("subagent"), {"background_mode": "continuable"})
    assert fiber.state is FiberState.ACTIVE
    assert await tools(root) == {}
    assert await sections(root) == {}
    await provide(root, Provider("another"))
    assert await tools(root) == {}
    await provide(root, Provider("spawn"))
    assert list(await tools(root)) == ["subagent"]
    assert list(await sections(root)) == ["tool:subagent"]


async def test_a_provider_that_returns_is_described_anew(root: Context) -> None:
    await root.plugin(first_party("subagent"))
    first = await provide(root, Provider("spawn", inherits_parent_context=False))
    assert "self-contained" in task_of((await tools(root))["subagent"])
    await first.dispose()
    assert await tools(root) == {}
    second = await provide(root, Provider("spawn", inherits_parent_context=True))
    assert "completed turns" in task_of((await tools(root))["subagent"])
    await second.dispose()
    assert await tools(root) == {}


async def test_other_providers_may_come_and_go(root: Context) -> None:
    await provide(root, Provider("spawn"))
    await root.plugin(first_party("subagent"))
    other = await provide(root, Provider("other"))
    await other.dispose()
    assert list(await tools(root)) == ["subagent"]


async def test_two_tools_follow_two_providers(root: Context) -> None:
    await provide(root, Provider("spawn"))
    fork = await provide(root, Provider("fork", inherits_parent_context=True))
    await root.plugin(first_party("subagent"))
    await root.plugin(first_party("subagent"), {"provider": "fork", "tool_name": "subagent_fork"})
    assert list(await tools(root)) == ["subagent", "subagent_fork"]
    await fork.dispose()
    assert list(await tools(root)) == ["subagent"]


async def test_who_is_stopped_while_waiting_never_registers(root: Context) -> None:
    before = root.runtime.snapshot()
    fiber = await root.plugin(first_party("subagent"))
    await fiber.dispose()
    assert root.runtime.snapshot() == before
    await provide(root, Provider("spawn"))
    assert await tools(root) == {}


async def test_a_duplicate_name_raises_and_the_first_stays(root: Context) -> None:
    first = Provider("spawn")
    await provide(root, first)
    with pytest.raises(Exception, match="'spawn' is already registered") as caught:
        await provide(root, Provider("spawn"))
    assert isinstance(caught.value, SubagentError) or isinstance(caught.value.__cause__, SubagentError)
    assert root.subagents.get("spawn") is first


@pytest.mark.parametrize("wrong", [object(), Provider(""), Provider("a", None)])  # type: ignore[arg-type]
async def test_what_is_no_provider_is_refused(root: Context, wrong: Any) -> None:
    with pytest.raises(SubagentError):
        root.subagents.register(wrong)
    assert root.subagents.names() == ()


async def test_an_observer_that_raises_on_added_undoes_the_registration(root: Context) -> None:
    removed: list[str] = []
    await root.plugin(first_party("subagent"))
    root.on(PROVIDER_REMOVED, removed.append)

    def refuse(provider: Provider) -> None:
        raise RuntimeError(f"not {provider.name}")

    refusing = root.on(PROVIDER_ADDED, refuse)
    with pytest.raises(RuntimeError, match="not spawn"):
        root.subagents.register(Provider("spawn"))
    assert root.subagents.names() == ()
    assert removed == ["spawn"]
    assert await tools(root) == {}
    await refusing()
    root.subagents.register(Provider("spawn"))
    assert list(await tools(root)) == ["subagent"]


async def test_an_observer_that_raises_on_removed_is_logged_and_stops_nobody(
    root: Context, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(name: str) -> None:
        raise RuntimeError(f"cannot forget {name}")

    removed: list[str] = []
    root.on(PROVIDER_REMOVED, fail)
    root.on(PROVIDER_REMOVED, removed.append)
    await root.plugin(first_party("subagent"))
    provider = await provide(root, Provider("spawn"))
    with caplog.at_level(logging.ERROR):
        await provider.dispose()
    assert provider.state is FiberState.DISPOSED
    assert removed == ["spawn"]
    assert await tools(root) == {}
    assert "cannot forget spawn" in caplog.text


async def test_a_tool_of_a_scope_follows_a_provider_of_all(root: Context) -> None:
    main = create_scope(root, "main")
    await main.ctx.plugin(first_party("subagent"))
    await provide(root, Provider("spawn"))
    assert list(await tools(root, "main")) == ["subagent"]
    assert await tools(root) == {}


async def test_only_the_continuable_mode_has_a_section_and_only_where_the_tool_is_visible(root: Context) -> None:
    await provide(root, Provider("spawn"))
    await root.plugin(first_party("subagent"), {"tool_name": "helper", "background_mode": "one-shot"})
    await root.plugin(first_party("subagent"), {"tool_name": "child", "background_mode": "continuable"})
    assert list(await sections(root)) == ["tool:child"]
    reviewer = create_scope(root, "reviewer")
    undo = reviewer.ctx.tools.restrict(deny=["child"])
    assert await sections(root, "reviewer") == {}
    await undo()
    assert list(await sections(root, "reviewer")) == ["tool:child"]


async def test_the_registry_can_be_restarted_under_its_users(root: Context) -> None:
    await root.plugin(first_party("subagent_provider"), {"name": "spawn", "inherits_parent_context": True})
    await root.plugin(first_party("subagent"))
    registry = next(fiber for fiber in root.runtime.fibers() if fiber.name == "subagents")
    await registry.restart()
    await root.runtime.quiesce()
    assert "completed turns" in task_of((await tools(root))["subagent"])
    await registry.dispose()
    assert await tools(root) == {}
