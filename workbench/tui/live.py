"""Subjects that are alive: an opened composition, or the runtime of the program around the app."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from workbench.prompt import AssembleContext, preview
from workbench.prompt.views import Owner, Preview
from workbench.tui import counting
from workbench.tui.declaring import declared
from workbench.tui.packages_runners import Runners, follow
from workbench.tui.session_feed import messages_sent
from workbench.tui.subject import ScopeChoice
from workbench.tui.view.answer import Waits
from workbench.tui.view.edits import Waiting
from workbench.tui.view.entries import PluginTrouble
from workbench.tui.view.sizes import Sizes

if TYPE_CHECKING:
    from workbench.check.finding import Finding
    from workbench.config.opened import OpenedComposition
    from workbench.config.problems import LoadProblem
    from workbench.config.registry.facts import LedgerEntry, Outcome, Registry
    from workbench.config.registry.reading import KnownScope, RegistryReader
    from workbench.core import Runtime
    from workbench.tui.live_packages import LivePackages
    from workbench.tui.live_sessions import LiveSessions
    from workbench.tui.live_team import LiveTeam

CHANGES = "system-prompt/change", "tools/change"
"""Events of what is registered: a tool can be restricted without a change of the prompt service."""
NOTICED = frozenset({"plugin", "status", "service", "error"})
"""Events of the runtime after which something else may be shown. An assembly is none of them."""


class _OverRuntime:
    """What a subject knows from its runtime alone."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self._registered = Registered(runtime, self._known_scopes)
        self._team = Teams(runtime)
        self._packages = Runners(runtime)

    def _known_scopes(self) -> list[KnownScope]:
        raise NotImplementedError

    @property
    def troubles(self) -> Sequence[PluginTrouble]:
        return troubles_of(self.runtime)

    def waiting(self) -> Sequence[Waits]:
        return [_Wait(f"{each.fiber.name}: {each.label}", each.seconds) for each in self.runtime.waiting()]

    def registry(self) -> Registry:
        return self._registered.read()

    def ledger(self, uid: int) -> tuple[LedgerEntry, ...]:
        return self._registered.reader.ledger(uid)

    async def end_plugin(self, uid: int, action: Literal["stop", "restart"]) -> Outcome:
        return await declared(self.runtime, self._registered.reader.end_plugin(uid, action))

    async def start_plugin(self, uid: int) -> Outcome:
        return await declared(self.runtime, self._registered.reader.start_plugin(uid))

    @property
    def team(self) -> LiveTeam | None:
        return self._team.read()

    @property
    def packages(self) -> LivePackages | None:
        return self._packages.read()

    def is_quick(self, preview: Preview) -> bool:
        return counting.is_quick(preview)

    def _subscribe(self, changed: Callable[[str], object]) -> Callable[[], object]:
        """Registrations, and what becomes of plugins and packages."""
        runtime = self.runtime

        def on_event(kind: str, _payload: object) -> None:
            if kind in NOTICED:
                changed(kind)

        def on_change() -> None:
            changed("prompt")

        stop_watching = runtime.watch(on_event)
        stop_listening = [runtime.root.on(event, on_change) for event in CHANGES]
        stop_following = follow(runtime, changed)
        self._packages.changed = changed

        def stop() -> None:
            stop_watching()
            stop_following()
            self._packages.close()
            for stop_one in stop_listening:
                stop_one()

        return stop


class RuntimeSubject(_OverRuntime):
    """A runtime with a prompt service. Its program says for which scopes a prompt can be shown."""

    is_past = False
    lacks: Mapping[str, str] = {}
    sessions: None = None

    def __init__(
        self, runtime: Runtime, name: str = "runtime", contexts: dict[str, AssembleContext] | None = None
    ) -> None:
        """`contexts`: what an assembly is given, by the label of its scope; the global one if left out."""
        super().__init__(runtime)
        self.name = name
        self.is_watched = True
        self.is_loaded = True
        self.is_changing = False
        self.edits: None = None
        self.problems: Sequence[object] = ()
        self.notes: Sequence[str] = ()
        self._contexts = contexts or {"(global)": AssembleContext()}

    @property
    def scopes(self) -> Sequence[ScopeChoice]:
        return [
            ScopeChoice(label, has_agent=context.agent is not None) for label, context in self._contexts.items()
        ]

    async def preview(self, scope: str) -> Preview:
        return await preview(self.runtime.root.system_prompt, self._contexts[scope])

    async def findings(self) -> None:
        """Rules look at a composition."""

    def _known_scopes(self) -> list[KnownScope]:
        from workbench.config.registry.reading import KnownScope

        return [
            KnownScope(label, context.scope, "agent" if context.agent is not None else "")
            for label, context in self._contexts.items()
        ]

    async def reload(self) -> None:
        """It has no files."""

    async def sizes(self, preview: Preview) -> Sizes:
        return await counting.sizes_of(preview)

    def subscribe(self, changed: Callable[[str], object]) -> Callable[[], object]:
        return self._subscribe(changed)


class Registered:
    """The registry of a runtime, read when it is first asked for."""

    def __init__(self, runtime: Runtime, scopes: Callable[[], list[KnownScope]]) -> None:
        self._runtime = runtime
        self._scopes = scopes
        self._reader: RegistryReader | None = None

    @property
    def reader(self) -> RegistryReader:
        """Kept, since it remembers what it has read."""
        if self._reader is None:
            from workbench.config.registry.reading import RegistryReader

            self._reader = RegistryReader(self._runtime)
        return self._reader

    def read(self) -> Registry:
        """Everything that is registered now."""
        return self.reader.read(self._scopes())


class Teams:
    """The team prompts of a runtime, while a plugin provides them."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._live: LiveTeam | None = None

    def read(self) -> LiveTeam | None:
        """The same object as long as it is the same plugin."""
        prompts = self._runtime.root.get("team")
        if prompts is None:
            self._live = None
        elif self._live is None or self._live.prompts is not prompts:
            from workbench.tui.live_team import LiveTeam

            self._live = LiveTeam(prompts)
        return self._live


class CompositionSubject(_OverRuntime):
    """A composition that was opened, with its files."""

    is_past = False
    lacks: Mapping[str, str] = {}
    sessions: LiveSessions | None = None
    """Set where agents of it can run."""

    def __init__(self, opened: OpenedComposition, name: str | None = None) -> None:
        super().__init__(opened.runtime)
        self._opened = opened
        self.name = opened.file if name is None else name
        self.is_watched = True
        self.edits = CompositionEdits(opened, self._conversation)
        self._was_good = not opened.problems

    def _conversation(self, scope: str) -> int:
        """Tokens of the messages that the agent of that scope has sent last; 0 where none runs."""
        return 0 if self.sessions is None else messages_sent(self.sessions.tracks, scope)

    @property
    def is_loaded(self) -> bool:
        self._was_good = self._was_good or not self._opened.problems
        return self._was_good

    @property
    def is_changing(self) -> bool:
        return self._opened.is_reloading

    @property
    def scopes(self) -> Sequence[ScopeChoice]:
        return [_choice(view) for view in self._opened.scopes]

    @property
    def problems(self) -> Sequence[LoadProblem]:
        return self._opened.problems

    @property
    def notes(self) -> Sequence[str]:
        return self._opened.notes

    async def preview(self, scope: str) -> Preview:
        return await preview(self._opened.prompt, self._opened.assemble_context(scope))

    async def findings(self) -> Sequence[Finding]:
        checking = await asyncio.to_thread(import_module, "workbench.check.checking")
        found: Sequence[Finding] = await checking.findings_of(self._opened)
        return found

    def _known_scopes(self) -> list[KnownScope]:
        from workbench.config.registry.scopes import scopes_of

        return scopes_of(self._opened)

    async def reload(self) -> None:
        await self._opened.reload()

    async def sizes(self, preview: Preview) -> Sizes:
        check = self._opened.composition.entries.check
        return await counting.sizes_of(preview, check.budgets if check else None)

    def subscribe(self, changed: Callable[[str], object]) -> Callable[[], object]:
        def on_files() -> None:
            changed("files")

        stop_files = self._opened.on_change(on_files)
        stop_runtime = self._subscribe(changed)
        stop_sessions = self.sessions.subscribe(changed) if self.sessions is not None else lambda: None

        def stop() -> None:
            stop_sessions()
            stop_files()
            stop_runtime()

        return stop


class CompositionEdits:
    """The edits of an opened composition."""

    def __init__(self, opened: OpenedComposition, conversation: Callable[[str], int] = lambda _: 0) -> None:
        """`conversation`: tokens of the messages that the agent of a scope has sent last."""
        self._opened = opened
        self._conversation = conversation

    @property
    def are_held(self) -> bool:
        return not self._opened.auto_apply

    def hold(self, are_held: bool) -> None:
        self._opened.auto_apply = not are_held

    @property
    def pending(self) -> object | None:
        return self._opened.pending

    async def pending_change(self, scope: str) -> Waiting:
        from workbench.config.difference.request import request_difference
        from workbench.config.opened import UnknownScope
        from workbench.config.problems import LoadError
        from workbench.tui.view.edit_cost import cost_sentence

        opened = self._opened
        try:
            before = await preview(opened.prompt, opened.assemble_context(scope))
            after = await opened.pending_preview(scope)
        except (LoadError, UnknownScope) as error:
            return Waiting(str(error), is_refused=isinstance(error, LoadError))
        if after.failures:
            return Waiting(f"the request could not be sent any more: {after.failures[0].message}")
        difference = await asyncio.to_thread(request_difference, before, after)
        return Waiting(cost_sentence(difference, self._conversation(scope)))

    async def apply(self) -> None:
        await self._opened.apply()

    def discard(self) -> None:
        self._opened.discard()


def troubles_of(runtime: Runtime) -> list[PluginTrouble]:
    """Plugins that failed, wait for a service, or have not come back from loading or stopping."""
    troubles = []
    for fiber in runtime.fibers():
        state = _TROUBLES.get(str(fiber.state))
        if state is not None:
            error = fiber.error
            reason = f"{type(error).__name__}: {error}" if error is not None else fiber.status_text
            troubles.append(PluginTrouble(Owner(fiber.name, fiber.uid or 0), state, reason))
    return troubles


_TROUBLES: dict[str, Literal["failed", "waiting", "loading", "stopping"]] = {
    "failed": "failed",
    "pending": "waiting",
    "loading": "loading",
    "disposing": "stopping",
}


class _Wait:
    def __init__(self, label: str, seconds: float) -> None:
        self.label = label
        self.seconds = seconds


def _choice(view: Any) -> ScopeChoice:
    notes = []
    if view.agent is not None:
        notes.append("agent")
    if view.parent_label is not None:
        notes.append(f"inside {view.parent_label}")
    return ScopeChoice(view.label, ", ".join(notes), has_agent=view.agent is not None)
