"""Scenarios T47 to T49 and T52: what the tools of a role may not do, whatever its prompt says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.agent.scenario import Call, calls, code, kinds, result_text, results, say, text
from tests.team.scenario import TeamWorld, team_world
from workbench.agent.agent import Agent
from workbench.agent.options import AgentOptions
from workbench.plugins import first_party
from workbench.prompt import ToolSchema
from workbench.tools.decisions import Allow

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
