"""Whatever happens in between, the same live fibers give the same bytes of the prompt.

The programs are those of the core; their plugins also contribute to the prompt, and it is assembled
between the steps, so that nothing may remain in what the registry remembers either.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings

from tests.support.plugins import Boom, Key
from tests.support.program_world import World, execute
from tests.support.programs import Program, programs
from tests.support.registrations import CALM, REGISTRATIONS, Activation, Registration
from tests.support.searches import RELAXED, search
from workbench.core import Context, CoreError, create_scope
from workbench.prompt import (
    AssembleContext,
    NamedText,
    PromptAssembly,
    PromptConfig,
    PromptError,
    SystemPrompt,
    ToolProviderResult,
    ToolSchema,
    render_context_snapshot,
    render_prompt,
)

Next = Callable[[], Awaitable[PromptAssembly]]


def name_of(at: Activation) -> str:
    """Different for what one plugin registers, and possibly the same as that of a plugin of the same name."""
    return f"{at.fiber.name}_{at.registered}"


def section(at: Activation, ctx: Context) -> None:
    ctx.system_prompt.section(name_of(at), 100, f"{name_of(at)} runs on {{{{host}}}}")


def late_section(at: Activation, ctx: Context) -> None:
    ctx.system_prompt.section(name_of(at), -5, lambda _context: f"late: {at.fiber.name}")


def scoped_section(at: Activation, ctx: Context) -> None:
    scope = create_scope(ctx, at.world.keys[0])
    scope.ctx.system_prompt.section(name_of(at), 100, "in the scope alone, on {{host}}")
    scope.ctx.system_prompt.variable(name_of(at), lambda _context: "scoped")


def variable(at: Activation, ctx: Context) -> None:
    ctx.system_prompt.variable(name_of(at), lambda _context: f"«{at.fiber.name}»")


def runtime_context(at: Activation, ctx: Context) -> None:
    ctx.system_prompt.context(name_of(at), 10, f"context of {at.fiber.name}")


def tools(at: Activation, ctx: Context) -> None:
    schema = ToolSchema(f"tool_{name_of(at)}", "does it", {"type": "object", "properties": {}})
    ctx.system_prompt.tools(lambda _context: ToolProviderResult([schema]))


def model(at: Activation, ctx: Context) -> None:
    """Only one plugin can give it; the others fail to load."""
    ctx.system_prompt.variable("model", lambda _context: f"the model of {at.fiber.name}")


def reference(at: Activation, ctx: Context) -> None:
    """Cannot be rendered unless somebody gives the model."""
    ctx.system_prompt.section(name_of(at), 1, "{{model}}")


def suppressor(at: Activation, ctx: Context) -> None:
    ctx.system_prompt.suppress_runtime_context()


def complete(at: Activation, ctx: Context) -> None:
    ctx.system_prompt.section(name_of(at), 0, "takes over", complete=True)


def raising(at: Activation, ctx: Context) -> None:
    def provider(_context: AssembleContext) -> str:
        raise Boom("provider")

    ctx.system_prompt.section(name_of(at), 0, provider)


def listener(at: Activation, ctx: Context) -> None:
    async def add(assembly: PromptAssembly, _context: AssembleContext, next: Next) -> PromptAssembly:
        assembly.sections.append(NamedText("added", f"added by {at.fiber.name}"))
        return await next()

    ctx.on("system-prompt/assemble", add)


def slow_listener(at: Activation, ctx: Context) -> None:
    async def wait(_assembly: PromptAssembly, _context: AssembleContext, next: Next) -> PromptAssembly:
        await asyncio.sleep(0.4)
        return await next()

    ctx.on("system-prompt/assemble", wait)


def observer(at: Activation, ctx: Context) -> None:
    ctx.on("system-prompt/change", lambda: at.enter("observer"))


OURS: dict[str, Registration] = {
    "section": section,
    "late section": late_section,
    "scoped section": scoped_section,
    "variable": variable,
    "context": runtime_context,
    "tools": tools,
    "model": model,
    "reference": reference,
    "suppressor": suppressor,
    "complete": complete,
    "raising": raising,
    "listener of the prompt": listener,
    "slow listener of the prompt": slow_listener,
    "observer of the prompt": observer,
}
RESTLESS = {"model", "reference", "complete", "raising", "slow listener of the prompt"}
CALM_OURS = tuple(name for name in OURS if name not in RESTLESS)


class PromptWorld(World):
    """A world with the prompt service, whose plugins all require it."""

    registrations: ClassVar[dict[str, Registration]] = {**REGISTRATIONS, **OURS}
    inject: ClassVar[tuple[str, ...]] = ("timer", "system_prompt")
    expected: ClassVar[tuple[type[Exception], ...]] = (Boom, CoreError, PromptError)

    async def prepare(self) -> None:
        await self.rt.root.plugin(SystemPrompt, PromptConfig(persona="Persona."))
        self.rt.root.system_prompt.variable("host", lambda _context: "the host")

    def dispatch(self, mode: str, target: Key | None) -> Awaitable[Any]:
        if mode == "assemble":
            assembly: Awaitable[Any] = self.rt.root.system_prompt.assemble(AssembleContext(scope=target))
            return assembly
        return super().dispatch(mode, target)

    async def picture(self) -> str:
        return "\n\n".join([await self._picture(scope) for scope in (None, *self.keys)])

    async def _picture(self, scope: Key | None) -> str:
        try:
            assembly = await self.rt.root.system_prompt.assemble(AssembleContext(scope=scope))
            parts = [render_prompt(assembly), render_context_snapshot(assembly), assembly.tools_json.decode()]
        except self.expected as error:
            parts = [repr(error)]
        return "\n".join([f"— {scope}", *parts])


PROGRAMS = programs(
    (*OURS, *OURS, *REGISTRATIONS),
    (*CALM_OURS, *CALM_OURS, *CALM),
    ("assemble", "assemble", "assemble", "emit", "waterfall"),
)


@given(program=PROGRAMS)
@settings(RELAXED, max_examples=100, derandomize=True)
def test_random_programs_leave_the_prompt_as_it_was(program: Program) -> None:
    execute(program, PromptWorld)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("part", range(5))
def test_ten_thousand_random_programs_leave_the_prompt_as_it_was(part: int) -> None:
    search(lambda program: execute(program, PromptWorld), PROGRAMS, 2_000, part)
