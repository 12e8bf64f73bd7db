"""The two sides of a comparison: where their previews come from, and what they are called."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from textual.app import App
from textual.worker import Worker

from workbench.prompt.views import Preview
from workbench.tui.view.compare_sides import (
    Earlier,
    Now,
    OtherFile,
    OtherScope,
    Previous,
    SideChoice,
    SideWords,
    Snapshot,
    Step,
    clock,
)
from workbench.tui.viewing.viewing import Seen, Viewing
from workbench.tui.workers import start_worker
from workbench.values.frozen import FrozenDict

if TYPE_CHECKING:
    from workbench.config.opened import OpenedComposition


class SideError(Exception):
    """A side that cannot be had; the message is outside text, each reason on its own line."""


class Nothing(Exception):
    """There is nothing to compare with yet."""


class Side(NamedTuple):
    """One side, ready to be compared."""

    preview: Preview
    words: SideWords
    messages: Sequence[FrozenDict] | None = None
    """Of a request that was sent."""


class Sides:
    """Loads what is chosen. Other files stay open while they are compared, and are followed."""

    def __init__(self, app: App[Any], viewing: Viewing, changed: Callable[[], None]) -> None:
        """`changed` is called after a change of another file."""
        self._app = app
        self._viewing = viewing
        self._changed = changed
        self._files: dict[str, _OpenFile] = {}
        self._snapshots: dict[str, Side] = {}
        self._scopes: dict[str, tuple[Seen, Preview]] = {}
        self._steps: dict[Step, Side] = {}

    @property
    def open_files(self) -> list[str]:
        """Paths of those that are open."""
        return list(self._files)

    def keep_only(self, *choices: SideChoice) -> None:
        """Closes what none of the two sides needs any more."""
        for path in [path for path in self._files if OtherFile(path) not in choices]:
            self._files.pop(path).close()
        for path in [path for path in self._snapshots if Snapshot(path) not in choices]:
            del self._snapshots[path]
        for step in [step for step in self._steps if step not in choices]:
            del self._steps[step]

    async def load(self, choice: SideChoice) -> Side:
        """The side; raises `SideError` or `Nothing`. May wait for plugins of another scope or file."""
        match choice:
            case Now():
                seen = self._last
                return Side(seen.preview, SideWords("now", f"assembly {seen.number}, scope {seen.scope}"))
            case Previous():
                return _as_side(self._previous)
            case Earlier(number):
                return _as_side(self._earlier(number))
            case OtherScope(label):
                return Side(await self._scope(label), SideWords(f"scope {label}", "now"))
            case OtherFile(path):
                return await self._file(path)
            case Snapshot(path):
                return await self._snapshot(path)
            case Step():
                return await self._step(choice)

    @property
    def _last(self) -> Seen:
        if not self._viewing.history:
            raise Nothing
        return self._viewing.history[-1]

    @property
    def _previous(self) -> Seen:
        last = self._last
        for seen in reversed(self._viewing.history):
            if seen is not last and seen.scope == last.scope:
                return seen
        raise Nothing

    def _earlier(self, number: int) -> Seen:
        for seen in self._viewing.history:
            if seen.number == number:
                return seen
        raise SideError(f"Assembly {number} is not kept any more.")

    async def _scope(self, label: str) -> Preview:
        subject, last = self._viewing.subject, self._last
        if subject is None or label not in {scope.label for scope in subject.scopes}:
            raise SideError(f"There is no scope {label} any more.")
        if label == last.scope:
            return last.preview
        known = self._scopes.get(label)
        if known is None or known[0].preview is not last.preview:
            known = self._scopes[label] = last, await subject.preview(label)
        return known[1]

    async def _step(self, step: Step) -> Side:
        """Its system text, tools and runtime context, made again from the log."""
        from workbench.agent.log.errors import LogError
        from workbench.agent.verdicts.as_preview import preview_of

        feed = self._viewing.subject.sessions if self._viewing.subject is not None else None
        if feed is None or step.track >= len(feed.tracks):
            raise SideError(f"There is no step {step.name} any more.")
        track = feed.tracks[step.track]
        rows = track.timeline.requests if track.timeline is not None else None
        index = rows.at_seq(step.seq) if rows is not None else None
        if rows is None or index is None:
            raise SideError(f"There is no step {step.name} any more.")
        known = self._steps.get(step)
        if known is not None:
            return known
        row = rows[index]
        try:
            rebuilt = await asyncio.to_thread(feed.rebuilt, track, row)
            parts = await asyncio.to_thread(feed.parts, track, row)
        except LogError as error:
            raise SideError(str(error)) from None
        made = feed.looked_at(track, row)
        made = made or preview_of(rebuilt.header, rebuilt.messages, parts, track.label, row.time)
        at = f"{clock(row.time / 1000)}, " if row.time else ""
        said = SideWords(f"step {step.name}", f"{at}{track.label}")
        side = self._steps[step] = Side(made, said, rebuilt.messages)
        return side

    async def _file(self, path: str) -> Side:
        file = self._files.get(path)
        if file is None:
            file = self._files[path] = _OpenFile(self._app, path, self._changed)
        return await file.side(self._viewing.scope)

    async def _snapshot(self, path: str) -> Side:
        side = self._snapshots.get(path)
        if side is None:
            side = self._snapshots[path] = await asyncio.to_thread(_read_snapshot, Path(path))
        return side


def _as_side(seen: Seen) -> Side:
    note = f"{clock(seen.preview.trace.started)}, scope {seen.scope}"
    return Side(seen.preview, SideWords(f"assembly {seen.number}", note))


def _read_snapshot(path: Path) -> Side:
    from workbench.config.snapshots import SUFFIX, SnapshotError, read_snapshot

    try:
        read = read_snapshot(path)
    except SnapshotError as error:
        raise SideError(str(error)) from None
    saved = f"saved {clock(read.saved)}, " if read.saved is not None else ""
    name = path.name.removesuffix(SUFFIX)
    return Side(read.preview, SideWords(f"snapshot {name}", f"{saved}{read.file}, scope {read.scope}"))


class _OpenFile:
    """Another composition, open beside the one that is looked at, until `close`."""

    def __init__(self, app: App[Any], path: str, changed: Callable[[], None]) -> None:
        self._path = path
        self._changed = changed
        self._opened: asyncio.Future[OpenedComposition] = asyncio.get_running_loop().create_future()
        self._worker: Worker[None] = start_worker(app, self._stay_open, group="compare file")

    async def side(self, scope: str) -> Side:
        """Its prompt for the scope of that name, or else for the one that a person most likely means."""
        from workbench.prompt import preview

        opened = await asyncio.shield(self._opened)
        if opened.problems:
            raise SideError("\n".join(map(str, opened.problems)))
        label = scope if scope in {view.label for view in opened.scopes} else opened.default_label
        seen = await preview(opened.prompt, opened.assemble_context(label))
        return Side(seen, SideWords(self._path, f"scope {label}"))

    def close(self) -> None:
        """Nothing of it runs soon after."""
        self._worker.cancel()
        self._opened.cancel()

    async def _stay_open(self) -> None:
        try:
            await self._open()
        except asyncio.CancelledError:
            raise
        except Exception as error:
            if not self._opened.done():
                self._opened.set_exception(SideError(_reasons(error)))
                self._opened.exception()  # it may be that nobody waits for it any more

    async def _open(self) -> None:
        from workbench.config.opened import open_composition
        from workbench.config.samples import locate

        async with open_composition(await asyncio.to_thread(locate, self._path)) as opened:
            opened.watch()
            stop = opened.on_change(self._changed)
            try:
                if not self._opened.done():
                    self._opened.set_result(opened)
                await asyncio.Event().wait()
            finally:
                stop()


def _reasons(error: Exception) -> str:
    from workbench.config.problems import LoadError

    if isinstance(error, LoadError):
        return "\n".join(map(str, error.problems))
    return f"{type(error).__name__}: {error}"
