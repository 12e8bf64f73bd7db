"""FILE as a command gets it: opened, assembled for one scope, and everything amiss said on standard error."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from workbench.cli.diagnostics import print_error, print_failures, print_notes, print_problems
from workbench.cli.exit_codes import ExitCode
from workbench.cli.log import log_on
from workbench.cli.output import Output
from workbench.config.opened import UnknownScope, open_composition
from workbench.config.problems import LoadError
from workbench.config.samples import locate
from workbench.core import FiberState, Runtime
from workbench.prompt import Preview, preview

PATIENCE_SECONDS = 5.0
"""An assembly that takes longer is told about on standard error."""


class Unusable(Exception):
    """A command cannot go on. Why has been printed."""


@dataclass(frozen=True, slots=True)
class Look:
    """One assembly of a composition."""

    scope: str
    """Label of the layer that it was made for."""
    preview: Preview
    notes: tuple[str, ...]
    code: ExitCode
    """Whether the prompt can be sent, and is all that the composition means."""


async def look_at(file: str, scope: str | None, errors: Output) -> Look:
    """Open, assemble, and print what is amiss. Raises `Unusable`.

    Without a scope it is the layer that a person most likely means: the first agent's, else the global one.
    """
    try:
        with log_on(errors):
            async with open_composition(locate(file)) as opened:
                label = opened.default_label if scope is None else scope
                async with _telling_what_is_awaited(opened.runtime, errors):
                    seen = await preview(opened.prompt, opened.assemble_context(label))
                notes = opened.notes
                is_whole = all(fiber.state is FiberState.ACTIVE for fiber in opened.runtime.fibers())
    except LoadError as error:
        print_problems(error.problems, errors)
        raise Unusable from None
    except UnknownScope as error:
        print_error(str(error), errors)
        raise Unusable from None
    print_notes(notes, errors)
    print_failures(seen, errors)
    if not is_whole:
        print_error("not every plugin is active, so this may not be all that the model reads", errors)
    code = ExitCode.OK if is_whole and not seen.failures else ExitCode.FOUND
    return Look(label, seen, notes, code)


@asynccontextmanager
async def _telling_what_is_awaited(runtime: Runtime, errors: Output) -> AsyncIterator[None]:
    """Name whoever keeps an assembly waiting, so that nobody looks at a silent terminal."""

    async def tell() -> None:
        while True:
            await asyncio.sleep(PATIENCE_SECONDS)
            print_notes((f"waiting for {each.fiber.name}: {each.label}" for each in runtime.waiting()), errors)

    telling = asyncio.create_task(tell(), name="tell what is awaited")
    try:
        yield
    finally:
        telling.cancel()
        await asyncio.gather(telling, return_exceptions=True)
