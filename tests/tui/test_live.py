"""The screen over a real runtime, without a file: what a harness does that embeds it."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.tui.at_rest import settled
from tests.tui.conftest import Screen
from workbench.core import Context, Runtime, create_scope
from workbench.prompt import AssembleContext, PromptConfig, SystemPrompt, ToolSchema
from workbench.tools import ToolRegistry
from workbench.tui.app import WorkbenchApp
from workbench.tui.live import RuntimeSubject


async def test_registrations_and_disposals_are_followed() -> None:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig(persona="Work in {{cwd}}."))
        prompt = runtime.root.system_prompt
        prompt.variable("cwd", lambda context: "/srv/app")
        app = WorkbenchApp(RuntimeSubject(runtime, "my harness"))
        async with app.run_test(size=(120, 40)) as pilot:
            await settled(pilot)
            screen = Screen(pilot, app.viewing.subject)  # type: ignore[arg-type]
            assert "Work in /srv/app." in screen.text()
            added = prompt.section("late:one", 70, "I came later.")
            await settled(pilot)
            assert "I came later." in screen.text()
            await added()
            await settled(pilot)
            assert "I came later." not in screen.text()


async def test_tools_are_followed() -> None:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig())
        app = WorkbenchApp(runtime)
        async with app.run_test(size=(120, 40)) as pilot:
            await settled(pilot)
            screen = Screen(pilot, app.viewing.subject)  # type: ignore[arg-type]
            await runtime.root.plugin(ToolRegistry)
            added = runtime.root.tools.register(ToolSchema("late_tool", "Comes late.", {"type": "object"}))
            await settled(pilot)
            assert "late_tool" in screen.text()
            await added()
            await settled(pilot)
            assert "late_tool" not in screen.text()


async def test_each_event_of_a_registration_is_heard() -> None:
    heard: list[str] = []
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig())
        await runtime.root.plugin(ToolRegistry)
        stop = RuntimeSubject(runtime).subscribe(heard.append)
        for event in ("system-prompt/change", "tools/change"):
            heard.clear()
            runtime.root.emit(event)
            assert heard == ["prompt"], event
        runtime.root.tools.register(ToolSchema("bash", "Runs a command.", {"type": "object"}))
        scope = create_scope(runtime.root, "narrow")
        heard.clear()
        scope.ctx.tools.restrict(deny=["bash"])
        assert "prompt" in heard
        stop()
        heard.clear()
        runtime.root.emit("tools/change")
        assert heard == []


async def test_a_runtime_can_be_given_as_it_is() -> None:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig(persona="Plain."))
        app = WorkbenchApp(runtime)
        async with app.run_test(size=(120, 40)) as pilot:
            await settled(pilot)
            assert "Plain." in Screen(pilot, app.viewing.subject).text()  # type: ignore[arg-type]


async def test_nothing_of_the_screen_is_left_in_the_runtime() -> None:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig())
        before = runtime.snapshot()
        app = WorkbenchApp(runtime)
        async with app.run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            assert runtime.snapshot() != before
        await runtime.quiesce()
        assert runtime.snapshot() == before


async def test_scopes_of_the_program_can_be_chosen() -> None:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig(persona="For all."))
        scope = create_scope(runtime.root, "reviewer")
        scope.ctx.system_prompt.section("deployment:persona", 0, "For the reviewer.")
        contexts = {"(global)": AssembleContext(), "reviewer": AssembleContext(scope="reviewer")}
        app = WorkbenchApp(RuntimeSubject(runtime, contexts=contexts))
        async with app.run_test(size=(120, 40)) as pilot:
            await settled(pilot)
            screen = Screen(pilot, app.viewing.subject)  # type: ignore[arg-type]
            assert "For all." in screen.text()
            await pilot.press("s", "down", "enter")
            await settled(pilot)
            assert "For the reviewer." in screen.text()
            assert "shadowed" in screen.text()


async def test_a_provider_that_registers_while_it_is_asked_does_not_spin() -> None:
    """Each assembly is a change then: the screen follows, but not without pause."""
    asked = 0

    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig())

        def plugin(ctx: Context) -> None:
            def restless(context: Any) -> str:
                nonlocal asked
                asked += 1
                ctx.system_prompt.variable(f"v{asked}", lambda context: "x")
                return "restless"

            ctx.system_prompt.section("restless", 1, restless)

        plugin.inject = ("system_prompt",)  # type: ignore[attr-defined]
        await runtime.root.plugin(plugin)
        app = WorkbenchApp(runtime)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            await asyncio.sleep(1.5)
            assert 1 <= asked <= 12


async def test_a_plugin_that_fails_is_shown_and_goes_when_it_is_gone() -> None:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig())
        app = WorkbenchApp(runtime)
        async with app.run_test(size=(120, 40)) as pilot:
            await settled(pilot)

            def failing(ctx: Context) -> None:
                raise ValueError("no keeper")

            fiber = runtime.root.plugin(failing)
            await asyncio.sleep(0.05)
            await settled(pilot)
            screen = Screen(pilot, app.viewing.subject)  # type: ignore[arg-type]
            assert "1 plugin failed" in screen.text()
            await fiber.dispose()
            await settled(pilot)
            assert "plugin failed" not in screen.text()


async def test_the_loop_keeps_its_task_factory() -> None:
    """Textual starts tasks eagerly where it can; the runtime must not run otherwise under a screen."""
    loop = asyncio.get_running_loop()
    made: list[str] = []

    def factory(loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> asyncio.Task[Any]:
        made.append(str(coroutine))
        return asyncio.Task(coroutine, loop=loop, **options)

    loop.set_task_factory(factory)
    try:
        async with Runtime() as runtime:
            await runtime.root.plugin(SystemPrompt, PromptConfig())
            app = WorkbenchApp(runtime)
            running = asyncio.create_task(app.run_async(headless=True, size=(80, 24)))
            await app.is_painted.wait()
            assert loop.get_task_factory() is factory
            app.exit()
            await running
            assert loop.get_task_factory() is factory
    finally:
        loop.set_task_factory(None)
