"""A composition in a running Runtime: open is ready, closed is quiet, an edit is applied or refused.

Source: docs/compositions.md 1 and 13.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.config import agent_variables
from workbench.config.checks import GLOBAL_LABEL
from workbench.config.composition import Composition, ReadComposition, read_composition
from workbench.config.composition_plugin import CompositionPlugin, ScopeView
from workbench.config.plan import Plan, plan_nothing, plan_of
from workbench.config.problems import LoadError, LoadProblem, did_you_mean
from workbench.config.settling import settled
from workbench.core import FiberState, Runtime
from workbench.prompt import AssembleContext, PromptConfig, SystemPrompt
from workbench.tools import ToolRegistry

if TYPE_CHECKING:
    from workbench.core import Fiber

log = logging.getLogger("workbench.config")

SETTLE_SECONDS = 2.0
"""How long opening waits for plugins that are slow to load; they go on loading afterwards."""

HALF_SAVED_SECONDS = 0.15
"""A file that is missing, empty or cut off may be about to be written: it is given so long."""

LONG_BYTES = 64 * 1024
"""Of a file that takes a tenth of a second to parse."""


class UnknownScope(LookupError):
    """No layer of the composition has this label."""


class OpenedComposition:
    """A composition and the Runtime that it is loaded in. Made by `open_composition`."""

    def __init__(self, file: str, runtime: Runtime, first: Plan, settle_seconds: float) -> None:
        self.file = file
        """As the person named it."""
        self.runtime = runtime
        self.problems: tuple[LoadProblem, ...] = ()
        """Why the last edit is not in force; () when it is. The state before it is kept until it is mended."""
        self.is_reloading = False
        """Whether an edit is being applied now: what is registered is not whole for this moment."""
        self.files_to_watch: frozenset[Path] = frozenset(first.composition.files)
        """Every file whose change concerns the composition, also those that are missing now."""
        self._settle_seconds = settle_seconds
        self._present = CompositionPlugin(first, settle_seconds)
        self._last_read = first.composition.content_hash
        """What the present state and the present problems come from; empty when nothing could be read."""
        runtime.root.effect(lambda: self._forget_modules, "modules of local plugins")
        self._prompt_fiber = runtime.root.plugin(SystemPrompt, _prompt_config(first.composition))
        runtime.root.plugin(ToolRegistry)
        runtime.root.plugin(agent_variables)
        self._fiber = runtime.root.plugin(self._present)
        self._callbacks: list[Callable[[], None]] = []
        self._reload_lock = asyncio.Lock()
        self._watching: asyncio.Task[None] | None = None
        self._stop_watching = asyncio.Event()
        self._not_watched: tuple[str, ...] = ()

    async def settle(self) -> tuple[LoadProblem, ...]:
        """Wait until the plugins have loaded, or have had their time; the result is what was refused."""
        await settled(self.runtime.fibers, self._settle_seconds)
        return self._present.problems

    # -- what is there -------------------------------------------------------------------------------

    @property
    def composition(self) -> Composition:
        """The composition in force."""
        return self._present.plan.composition

    @property
    def prompt(self) -> Any:
        """The prompt service, as root sees it. Ask for it anew after each change: it may have been restarted."""
        return self.runtime.root.system_prompt

    @property
    def tools(self) -> Any:
        """The tool registry, as root sees it."""
        return self.runtime.root.tools

    @property
    def scopes(self) -> tuple[ScopeView, ...]:
        """The global layer, then every scope and agent, an enclosing one before those inside it."""
        return self._present.scopes

    @property
    def default_label(self) -> str:
        """The layer that a person most likely means: the first agent's, else the global one."""
        agents = self.composition.entries.agents
        return agents[0].name if agents else GLOBAL_LABEL

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not fatal: what an import left out, and plugins that failed or still load or wait."""
        return (*self.composition.notes, *self._notes_on_plugins(), *self._not_watched)

    def assemble_context(self, label: str | None = None) -> AssembleContext:
        """What an assembly for this layer is given. Raises `UnknownScope`."""
        wanted = self.default_label if label is None else label
        for view in self.scopes:
            if view.label == wanted:
                return AssembleContext(scope=view.key, agent=view.key if view.agent is not None else None)
        known = [view.label for view in self.scopes]
        remedy = did_you_mean(wanted, known, f"there are: {', '.join(known)}")
        raise UnknownScope(f'{self.file}: there is no scope "{wanted}"; {remedy}')

    def _notes_on_plugins(self) -> list[str]:
        waits = {waiting.fiber: waiting for waiting in self.runtime.waiting()}
        places = {loaded.fiber: loaded.planned.place for loaded in self._present.plugins}
        notes = []
        for fiber in self.runtime.fibers():
            place = _nearest(fiber, places)
            named = f"{place}: plugin {fiber.name}" if place else f"plugin {fiber.name}"
            if fiber.state == FiberState.FAILED:
                notes.append(f"{named} failed: {fiber.error}")
            elif fiber.state == FiberState.PENDING:
                notes.append(f"{named} is {fiber.status_text}")
            elif fiber.state in (FiberState.LOADING, FiberState.DISPOSING):
                waiting = waits.get(fiber)
                since = f" for {waiting.seconds:.0f} s ({waiting.label})" if waiting else ""
                notes.append(f"{named} is {fiber.state}{since}")
        return notes

    # -- changes -------------------------------------------------------------------------------------

    def on_change(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` after an edit was applied or refused. Returns the function that ends it."""
        self._callbacks.append(callback)

        def end() -> None:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

        return end

    def watch(self) -> None:
        """Follow the files from now on."""
        if self._watching is None:
            from workbench.config.watching import follow  # needed by nothing but a running workbench

            self._watching = asyncio.create_task(self._watch_with(follow), name=f"watch {self.file}")

    async def stop_watching(self) -> None:
        """Follow the files no longer; no reload runs when this returns."""
        self._stop_watching.set()
        if self._watching is not None:
            await self._watching

    async def _watch_with(self, follow: Callable[[OpenedComposition, asyncio.Event], Awaitable[None]]) -> None:
        try:
            await follow(self, self._stop_watching)
        except Exception as error:  # Such as: no more watches on this system.
            log.warning("%s is not watched any more: %s", self.file, error)
            self._not_watched = (f"{self.file}: edits are not followed any more: {error}",)
            self._tell()

    async def reload(self, *, patient: bool = False) -> bool:
        """Read the files again; True when what they say is in force now.

        A broken edit, and one that the registry refuses, leaves the state before it and fills `problems`.
        `patient` reads a second time before it calls a file broken, because it may be half saved.
        """
        async with self._reload_lock:
            before = self.problems
            try:
                read = await self._read(patient)
                if read.composition.content_hash == self._last_read:
                    return not self.problems
                self._last_read = read.composition.content_hash
                is_in_force = self._last_read == self.composition.content_hash
                self.problems = () if is_in_force else await self._replace(plan_of(read))
                changed = True
            except LoadError as error:
                self._last_read = ""
                self.problems = error.problems
                self.files_to_watch |= {*error.files}
                changed = self.problems != before
            if changed:
                self._tell()
            return not self.problems

    async def _read(self, patient: bool) -> ReadComposition:
        try:
            return await self._read_once()
        except LoadError:
            if not patient:
                raise
            await asyncio.sleep(HALF_SAVED_SECONDS)
            return await self._read_once()

    async def _read_once(self) -> ReadComposition:
        """What the files say now. Raises `LoadError` when that is no whole composition."""
        read = await _read(self.file)
        if read.problems:
            plan_of(read)  # Raises, with what is wrong about the plugins, too.
        if not read.composition.document.text.strip() and self.composition.document.text.strip():
            # A file that has lost all its text is more likely half saved than meant.
            remedy = "save it again; `{}` is an empty composition"
            raise LoadError([LoadProblem(self.file, None, None, "", "the file is empty now", remedy)])
        return read

    async def _replace(self, new: Plan) -> tuple[LoadProblem, ...]:
        old = self._present
        self.is_reloading = True
        try:
            refused = await self._exchange(new)
            if refused:
                await self._exchange(old.plan)
                new.forget()
            else:
                old.plan.forget()
            return refused
        finally:
            self.is_reloading = False

    async def _exchange(self, new: Plan) -> tuple[LoadProblem, ...]:
        """Undo what is loaded and load `new`. The root and all that is not of the composition stay."""
        await self._fiber.dispose()
        config = _prompt_config(new.composition)
        if config != self._prompt_fiber.config:
            await self._prompt_fiber.update(config)
        self._present = CompositionPlugin(new, self._settle_seconds)
        self._fiber = self.runtime.root.plugin(self._present)
        self.files_to_watch |= frozenset(new.composition.files)
        return await self.settle()

    def _forget_modules(self) -> None:
        self._present.plan.forget()

    def _tell(self) -> None:
        for callback in tuple(self._callbacks):
            try:
                callback()
            except Exception:
                log.exception("an observer of %s raised", self.file)


@asynccontextmanager
async def open_composition(
    path: str | os.PathLike[str], *, settle_seconds: float = SETTLE_SECONDS, even_if_broken: bool = False
) -> AsyncIterator[OpenedComposition]:
    """Open a composition, a prompt file or a harness config, with `async with`.

    Inside, it is ready; afterwards nothing of it runs. Entering raises `LoadError` when the file cannot be
    used. With `even_if_broken` it gives an empty composition instead, whose `problems` say why, and which
    can follow the file until it is mended.
    """
    file = os.fspath(path)
    broken: LoadError | None = None
    try:
        first = plan_of(await _read(file))
    except LoadError as error:
        if not even_if_broken:
            raise
        broken, first = error, plan_nothing(file)
    async with Runtime() as runtime:
        opened = OpenedComposition(file, runtime, first, settle_seconds)
        try:
            opened.problems = await opened.settle()
            if opened.problems and not even_if_broken:
                raise LoadError(opened.problems)
            if broken is not None:
                opened.problems = broken.problems
                opened.files_to_watch |= frozenset(broken.files)
            yield opened
        finally:
            await opened.stop_watching()


async def _read(file: str) -> ReadComposition:
    """Read the files; long ones in a thread, so that the loop and the screen go on meanwhile."""
    try:
        is_long = os.stat(file).st_size > LONG_BYTES
    except (OSError, ValueError):
        is_long = False
    return await asyncio.to_thread(read_composition, file) if is_long else read_composition(file)


def _prompt_config(composition: Composition) -> PromptConfig:
    entries = composition.entries
    return PromptConfig(
        persona=entries.persona.value if entries.persona else "",
        include_harness_identity=entries.include_harness_identity,
        include_runtime_context=entries.include_runtime_context,
        tool_order=None if entries.tool_order is None else list(entries.tool_order),
        persona_source=entries.persona.source if entries.persona else None,
    )


def _nearest(fiber: Fiber, places: dict[Fiber, str]) -> str:
    """The place of the entry that this fiber, or the one that loaded it, came from."""
    around: Fiber | None = fiber
    while around is not None:
        if around in places:
            return places[around]
        around = around.parent
    return ""
