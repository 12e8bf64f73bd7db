"""Runs cases of the conformance format against the real prompt service in a real runtime.

Source: docs/cases.md. `workbench test` is this module with a face:

    cases, problems = load_cases(["prompts/tests"])
    for loaded in cases:
        result = await run_case(loaded)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbench.check.case_expectations import Observed, StageFailure, unmet
from workbench.check.case_file import LoadedCase, load_case_file, load_cases
from workbench.check.case_format import Case, ServiceConfig, Stage
from workbench.check.case_world import CaseWorld
from workbench.check.differences import Difference
from workbench.check.error_text import message_of
from workbench.core import FiberState, Runtime
from workbench.prompt import (
    AssembleContext,
    PromptAssembly,
    PromptConfig,
    PromptFacade,
    SystemPrompt,
    render_context_snapshot,
    render_prompt,
)

__all__ = [
    "CaseResult",
    "Difference",
    "LoadedCase",
    "load_case_file",
    "load_cases",
    "run_case",
]

ASSEMBLE_SECONDS = 30.0
"""An assembly that takes longer fails its case."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What came of one case."""

    loaded: LoadedCase
    differences: tuple[Difference, ...]

    @property
    def passed(self) -> bool:
        """Every expectation was met."""
        return not self.differences


async def run_case(loaded: LoadedCase) -> CaseResult:
    """Run one case in a runtime of its own. Whatever the case raises is part of the result."""
    case, observed = loaded.case, Observed()
    try:
        async with _started(loaded) as start:
            observed.refusals = start.world.unmet_refusals
            await _register(case, start.world, observed)
            await _assemble(case, start, observed)
            _render(observed)
    except _StageFailed as failed:
        observed.failure = failed.failure
    return CaseResult(loaded, tuple(unmet(case.expect, observed)))


class PluginsNotActive(Exception):
    """A composition is not whole, so a case that asks what it does not say would pass in vain."""


@dataclass(frozen=True, slots=True)
class _Start:
    """A runtime that is ready for the register entries."""

    world: CaseWorld
    context_for: Callable[[str | None], AssembleContext]
    """What an assembly for that scope is told."""


@asynccontextmanager
async def _started(loaded: LoadedCase) -> AsyncIterator[_Start]:
    async with AsyncExitStack() as stack:
        with _stage("load"):
            if loaded.case.composition is None:
                start = await _bare_service(loaded.case.config or ServiceConfig(), stack)
            else:
                start = await _composition(Path(loaded.file).parent / loaded.case.composition, stack)
        start.world.count_changes()
        yield start


async def _bare_service(config: ServiceConfig, stack: AsyncExitStack) -> _Start:
    runtime = await stack.enter_async_context(Runtime())
    await runtime.root.plugin(SystemPrompt, PromptConfig(**config.model_dump(exclude_unset=True)))
    world = CaseWorld(runtime.root)
    return _Start(world, lambda scope: AssembleContext(scope=world.key(scope)))


async def _composition(path: Path, stack: AsyncExitStack) -> _Start:
    from workbench.config.opened import open_composition

    opened = await stack.enter_async_context(open_composition(path))
    if any(fiber.state is not FiberState.ACTIVE for fiber in opened.runtime.fibers()):
        raise PluginsNotActive("\n".join(opened.notes))
    labels = {scope.label: scope.key for scope in opened.scopes if scope.key is not None}
    world = CaseWorld(opened.runtime.root, keys=dict(labels))

    def context_for(scope: str | None) -> AssembleContext:
        if scope is None:
            return AssembleContext()
        return opened.assemble_context(scope) if scope in labels else AssembleContext(scope=world.key(scope))

    return _Start(world, context_for)


async def _register(case: Case, world: CaseWorld, observed: Observed) -> None:
    with _stage("register"):
        for child, parent in case.scopes.items():
            world.link(child, parent)
        for index, entry in enumerate(case.register_):
            world.perform(entry, index)
            await world.settle()
        for target in case.dispose:
            world.dispose(target)
            await world.settle()
    observed.changes = world.changes


async def _assemble(case: Case, start: _Start, observed: Observed) -> None:
    with _stage("assemble"):
        context = start.context_for(case.assemble.scope)
        context = replace(context, extras={**context.extras, **case.assemble.extras})
        prompt: PromptFacade = start.world.root.system_prompt
        for number in range(1, case.assemble.repeat + 1):
            start.world.assembly_number = number
            assembly = await _in_time(prompt.assemble(context), start.world.root.runtime)
        await start.world.settle()
    observed.assembly = assembly


async def _in_time(assembling: Coroutine[Any, Any, PromptAssembly], runtime: Runtime) -> PromptAssembly:
    """The assembly, or `TimeoutError` with whoever it waits for."""
    task = asyncio.create_task(assembling, name="assembly of a case")
    done, _ = await asyncio.wait({task}, timeout=ASSEMBLE_SECONDS)
    if done:
        return task.result()
    waits = ", ".join(f"{each.fiber.name} ({each.label})" for each in runtime.waiting())
    task.cancel()
    await asyncio.wait({task})
    raise TimeoutError(f"not done after {ASSEMBLE_SECONDS:g} s; it waits for {waits or 'nobody that is known'}")


def _render(observed: Observed) -> None:
    with _stage("render"):
        assert observed.assembly is not None
        observed.system = render_prompt(observed.assembly)
        observed.snapshot = render_context_snapshot(observed.assembly)


class _StageFailed(Exception):
    def __init__(self, failure: StageFailure) -> None:
        self.failure = failure


@contextmanager
def _stage(stage: Stage) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise _StageFailed(StageFailure(stage, message_of(error))) from error
