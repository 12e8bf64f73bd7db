"""An opened composition: open is ready, closed is quiet, an edit is applied or refused.

Source: docs/compositions.md 1 and 13.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from workbench.config.checks import GLOBAL_LABEL
from workbench.config.composition import Composition, ReadComposition, read_composition
from workbench.config.composition_plugin import ScopeView
from workbench.config.in_force import InForce
from workbench.config.plan import Plan, plan_nothing, plan_of
from workbench.config.problems import LoadError, LoadProblem, did_you_mean
from workbench.core import Runtime
from workbench.prompt import AssembleContext

log = logging.getLogger("workbench.config")

SETTLE_SECONDS = 2.0
"""How long opening waits for plugins that are slow to load; they go on loading afterwards."""

HALF_SAVED_SECONDS = 0.15
"""A file that is missing, empty or cut off may be about to be written: it is given so long."""

LONG_BYTES = 64 * 1024
"""Of a file that takes a tenth of a second to parse."""


class UnknownScope(LookupError):
    """No layer of the composition has this label."""


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
            await opened.settle(broken)
            if opened.problems and not even_if_broken:
                raise LoadError(opened.problems)
            yield opened
        finally:
            await opened.stop_watching()


class OpenedComposition:
    """A composition in a runtime of its own, and the file that it follows. Made by `open_composition`."""

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
        self._in_force = InForce(runtime, first, settle_seconds)
        self._last_read = first.composition.content_hash
        """What the present state and the present problems come from; empty when nothing could be read."""
        self._callbacks: list[Callable[[], None]] = []
        self._reload_lock = asyncio.Lock()
        self._watching: asyncio.Task[None] | None = None
        self._stop_watching = asyncio.Event()
        self._not_watched: tuple[str, ...] = ()

    async def settle(self, broken: LoadError | None = None) -> None:
        """Wait until the plugins have loaded, or have had their time. `broken`: why the file is not used."""
        self.problems = await self._in_force.settle()
        if broken is not None:
            self.problems = broken.problems
            self.files_to_watch |= frozenset(broken.files)

    # -- what is there -------------------------------------------------------------------------------

    @property
    def composition(self) -> Composition:
        """The composition in force."""
        return self._in_force.composition

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
        """The global layer, then every scope and agent, each followed by those inside it."""
        return self._in_force.plugin.scopes

    @property
    def default_label(self) -> str:
        """The layer that a person most likely means: the first agent's, else the global one."""
        agents = self.composition.entries.agents
        return agents[0].name if agents else GLOBAL_LABEL

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not fatal: what an import left out, and plugins that failed or still load or wait."""
        return (*self.composition.notes, *self._in_force.notes(), *self._not_watched)

    def assemble_context(self, label: str | None = None) -> AssembleContext:
        """What an assembly for this layer is given. Raises `UnknownScope`."""
        wanted = self.default_label if label is None else label
        for view in self.scopes:
            if view.label == wanted:
                return AssembleContext(scope=view.key, agent=view.key if view.agent is not None else None)
        known = [view.label for view in self.scopes]
        remedy = did_you_mean(wanted, known, f"there are: {', '.join(known)}")
        raise UnknownScope(f'{self.file}: there is no scope "{wanted}"; {remedy}')

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

    async def reload(self, *, patient: bool = False) -> bool:
        """Read the files again; True when what they say is in force now.

        A broken edit, and one that the registry refuses, leaves the state before it and fills `problems`.
        `patient` reads a second time before it calls a file broken, because it may be half saved.
        """
        async with self._reload_lock:
            before = self.problems
            try:
                read = await self._read_whole(patient)
                if read.composition.content_hash == self._last_read:
                    return not self.problems
                self._last_read = read.composition.content_hash
                self.problems = await self._put_in_force(read)
                changed = True
            except LoadError as error:
                self._last_read = ""
                self.problems = error.problems
                self.files_to_watch |= {*error.files}
                changed = self.problems != before
            if changed:
                self._tell()
            return not self.problems

    async def _read_whole(self, patient: bool) -> ReadComposition:
        """What the files say now. Raises `LoadError` when that is no whole composition."""
        try:
            return self._without_problems(await _read(self.file))
        except LoadError:
            if not patient:
                raise
            await asyncio.sleep(HALF_SAVED_SECONDS)
            return self._without_problems(await _read(self.file))

    def _without_problems(self, read: ReadComposition) -> ReadComposition:
        if read.problems:
            plan_of(read)  # Raises, with what is wrong about the plugins, too.
        if not read.composition.document.text.strip() and self.composition.document.text.strip():
            # A file that has lost all its text is more likely half saved than meant.
            remedy = "save it again; `{}` is an empty composition"
            raise LoadError([LoadProblem(self.file, None, None, "", "the file is empty now", remedy)])
        return read

    async def _put_in_force(self, read: ReadComposition) -> tuple[LoadProblem, ...]:
        """The result is what the registry refused."""
        if read.composition.content_hash == self.composition.content_hash:
            return ()  # An edit was taken back.
        new = plan_of(read)
        self.files_to_watch |= frozenset(new.composition.files)
        self.is_reloading = True
        try:
            return await self._in_force.replace(new)
        finally:
            self.is_reloading = False

    async def _watch_with(self, follow: Callable[[OpenedComposition, asyncio.Event], Awaitable[None]]) -> None:
        try:
            await follow(self, self._stop_watching)
        except Exception as error:  # Such as: no more watches on this system.
            log.warning("%s is not watched any more: %s", self.file, error)
            self._not_watched = (f"{self.file}: edits are not followed any more: {error}",)
            self._tell()

    def _tell(self) -> None:
        for callback in tuple(self._callbacks):
            try:
                callback()
            except Exception:
                log.exception("an observer of %s raised", self.file)


async def _read(file: str) -> ReadComposition:
    """Read the files; long ones in a thread, so that the loop and the screen go on meanwhile."""
    try:
        is_long = os.stat(file).st_size > LONG_BYTES
    except (OSError, ValueError):
        is_long = False
    return await asyncio.to_thread(read_composition, file) if is_long else read_composition(file)
