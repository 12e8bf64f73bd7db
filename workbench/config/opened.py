"""An opened composition: open is ready, closed is quiet, an edit is applied or refused.

Source: docs/compositions.md 1 and 13.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.config.checks import GLOBAL_LABEL
from workbench.config.composition import Composition, ReadComposition, read_composition
from workbench.config.in_force import InForce, Service
from workbench.config.plan import Plan, plan_nothing, plan_of
from workbench.config.problems import LoadError, LoadProblem, did_you_mean
from workbench.config.scope_views import ScopeView
from workbench.core import Runtime
from workbench.prompt import AssembleContext, Preview, preview

if TYPE_CHECKING:
    from workbench.config.difference.first_change import FirstChange
    from workbench.config.edits import AppliedEdit, PendingEdit

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
    path: str | os.PathLike[str],
    *,
    settle_seconds: float = SETTLE_SECONDS,
    even_if_broken: bool = False,
    services: Iterable[Service] = (),
) -> AsyncIterator[OpenedComposition]:
    """Open a composition, a prompt file or a harness config, with `async with`.

    Inside, it is ready; afterwards nothing of it runs. Entering raises `LoadError` when the file cannot be
    used. With `even_if_broken` it gives an empty composition instead, whose `problems` say why, and which
    can follow the file until it is mended. `services` are loaded before what the file names.
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
        opened = OpenedComposition(file, runtime, first, settle_seconds, services)
        try:
            await opened.settle(broken)
            if opened.problems and not even_if_broken:
                raise LoadError(opened.problems)
            yield opened
        finally:
            await opened.stop_watching()


class OpenedComposition:
    """A composition in a runtime of its own, and the file that it follows. Made by `open_composition`."""

    def __init__(
        self, file: str, runtime: Runtime, first: Plan, settle_seconds: float, services: Iterable[Service] = ()
    ) -> None:
        self.file = file
        """As the person named it."""
        self.runtime = runtime
        self.problems: tuple[LoadProblem, ...] = ()
        """Why the last edit is not in force; () when it is. The state before it is kept until it is mended."""
        self.is_reloading = False
        """Whether an edit is being applied now: what is registered is not whole for this moment."""
        self.files_to_watch: frozenset[Path] = frozenset(first.composition.files)
        """Every file whose change concerns the composition, also those that are missing now."""
        self.auto_apply = True
        """False: an edit that can be used becomes `pending`, and comes into force with `apply()`."""
        self.pending: PendingEdit | None = None
        """The edit that waits."""
        self.observed_scope: str | None = None
        """Label of a layer for which each applied edit fills `last_change`; None spares the assemblies."""
        self.last_change: FirstChange | None = None
        """What the last applied edit changes first in the prompt of the observed scope; None: nothing."""
        self._settle_seconds = settle_seconds
        self._in_force = InForce(runtime, first, settle_seconds, services)
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

    @property
    def last_edit(self) -> AppliedEdit | None:
        """What the last edit that came into force has changed; None before the first one."""
        return self._in_force.last_edit

    def assemble_context(self, label: str | None = None) -> AssembleContext:
        """What an assembly for this layer is given. Raises `UnknownScope`."""
        wanted = self.default_label if label is None else label
        return assemble_context_in(self.file, self.scopes, wanted)

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
                    return not self.problems and self.pending is None
                self.problems = await self._take(read)
                self._last_read = read.composition.content_hash
                changed = True
            except LoadError as error:
                self._last_read = ""
                self.pending = None
                self.problems = error.problems
                self.files_to_watch |= {*error.files}
                changed = self.problems != before
            if changed:
                self._tell()
            return not self.problems and self.pending is None

    async def apply(self) -> bool:
        """Put the pending edit in force; True when what the files said is in force now."""
        async with self._reload_lock:
            if self.pending is not None:
                read, self.pending = self.pending.read, None
                try:
                    self.problems = await self._put_in_force(read)
                except LoadError as error:  # A plugin has gone since the edit was read.
                    self._last_read = ""
                    self.problems = error.problems
                self._tell()
            return not self.problems

    def discard(self) -> None:
        """Let the pending edit be; the next one is judged anew."""
        if self.pending is not None:
            self.pending = None
            self._tell()

    async def pending_preview(self, label: str | None = None) -> Preview:
        """The prompt as the pending edit would make it, from a runtime of its own; without one, as it is.

        Raises `UnknownScope`, and `LoadError` for what the registry would refuse.
        """
        wanted = self.default_label if label is None else label
        if self.pending is None:
            return await preview(self.prompt, self.assemble_context(wanted))
        async with Runtime() as runtime:
            trial = InForce(runtime, plan_of(self.pending.read), self._settle_seconds)
            problems = await trial.settle()
            if problems:
                raise LoadError(problems)
            context = assemble_context_in(self.file, trial.plugin.scopes, wanted)
            return await preview(runtime.root.system_prompt, context)

    async def first_change(self, label: str | None = None) -> FirstChange | None:
        """What the pending edit changes first in the prompt of a layer; None: nothing. Raises as above."""
        from workbench.config.difference.first_change import first_change

        wanted = self.default_label if label is None else label
        before = await preview(self.prompt, self.assemble_context(wanted))
        return first_change(before, await self.pending_preview(wanted))

    async def _read_whole(self, patient: bool) -> ReadComposition:
        """What the files say now. Raises `LoadError` when that is no whole composition."""
        try:
            return self._without_problems(await _read(self.file, self.composition))
        except LoadError:
            if not patient:
                raise
            await asyncio.sleep(HALF_SAVED_SECONDS)
            return self._without_problems(await _read(self.file, self.composition))

    def _without_problems(self, read: ReadComposition) -> ReadComposition:
        if read.problems:
            plan_of(read)  # Raises, with what is wrong about the plugins, too.
        if not read.composition.document.text.strip() and self.composition.document.text.strip():
            # A file that has lost all its text is more likely half saved than meant.
            remedy = "save it again; `{}` is an empty composition"
            raise LoadError([LoadProblem(self.file, None, None, "", "the file is empty now", remedy)])
        return read

    async def _take(self, read: ReadComposition) -> tuple[LoadProblem, ...]:
        """Put it in force, or let it wait. The result is what the registry refused."""
        self.pending = None
        if read.composition.content_hash == self.composition.content_hash:
            return ()  # An edit was taken back.
        self.files_to_watch |= frozenset(read.composition.files)
        if self.auto_apply:
            return await self._put_in_force(read)
        from workbench.config.edits import PendingEdit

        plan_of(read).forget()  # Raises when it cannot be used.
        self.pending = PendingEdit(read)
        return ()

    async def _put_in_force(self, read: ReadComposition) -> tuple[LoadProblem, ...]:
        new = plan_of(read, self._in_force.plugin.running)
        before = await self._observed()
        self.is_reloading = True
        try:
            refused = await self._in_force.replace(new)
        finally:
            self.is_reloading = False
        after = None if refused else await self._observed()
        if before is not None and after is not None:
            from workbench.config.difference.first_change import first_change

            self.last_change = first_change(before, after)
        elif not refused:
            self.last_change = None
        return refused

    async def _observed(self) -> Preview | None:
        """The prompt of the observed scope; None when nobody looks, or when it does not exist."""
        if all(view.label != self.observed_scope for view in self.scopes):
            return None
        return await preview(self.prompt, self.assemble_context(self.observed_scope))

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


def assemble_context_in(file: str, scopes: Iterable[ScopeView], label: str) -> AssembleContext:
    """What an assembly for the layer of that label is given. Raises `UnknownScope`."""
    views = {view.label: view for view in scopes}
    if label not in views:
        remedy = did_you_mean(label, views, f"there are: {', '.join(views)}")
        raise UnknownScope(f'{file}: there is no scope "{label}"; {remedy}')
    view = views[label]
    return AssembleContext(scope=view.key, agent=view.key if view.agent is not None else None)


async def _read(file: str, earlier: Composition | None = None) -> ReadComposition:
    """Read the files; long ones in a thread, so that the loop and the screen go on meanwhile."""
    try:
        is_long = os.stat(file).st_size > LONG_BYTES
    except (OSError, ValueError):
        is_long = False
    return await asyncio.to_thread(read_composition, file, earlier) if is_long else read_composition(file, earlier)
