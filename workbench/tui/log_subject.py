"""A recorded session as what the workbench looks at: a log, a tree of logs, or captured requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from workbench.agent.log.errors import LogError
from workbench.agent.log.events import LoggedEvent
from workbench.agent.log.file_events import FileEvents
from workbench.agent.log.follow import follow
from workbench.agent.log.glimpse import glimpse
from workbench.agent.log.rebuild import RebuiltRequest
from workbench.agent.log.rows import RequestRow
from workbench.agent.log.scanning import open_reading, scan_header
from workbench.agent.log.session_log import SessionLog
from workbench.agent.log.timeline import TimelineBuilder
from workbench.agent.verdicts.as_preview import preview_of
from workbench.agent.verdicts.parts import Part
from workbench.config.recorded import is_log
from workbench.config.registry.facts import LedgerEntry, Outcome, Registry
from workbench.config.sessions.story import MOST_EXACT, LogStory, Story, Unusable, open_story, words_of
from workbench.config.sessions.tree import Branch, tree_of
from workbench.dynamic.durable import DurableFold
from workbench.prompt.views import Preview
from workbench.tui import counting
from workbench.tui.log_packages import LogPackages
from workbench.tui.packages_records import record_cards
from workbench.tui.session_feed import Track
from workbench.tui.subject import ScopeChoice
from workbench.tui.view.sizes import Sizes

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from workbench.agent.log.session_log import Refresh

STRIDE = 2_000
"""Events after which it is said how far the reading has come."""


class _GivenUp(Exception):
    """Nobody looks any more."""


class LogSubject:
    """Opened by `open`, read by `run`, which also follows the files; closed by `close`."""

    is_watched = True
    is_changing = False
    is_loaded = True
    edits: None = None
    troubles: Sequence[Any] = ()
    team: None = None
    is_past = True
    """What it shows has happened already."""
    lacks = {  # noqa: RUF012
        "Trace": "A log does not hold how a prompt came to be: which listeners ran, and what each of them changed.",
        "Registry": "A log does not hold what was registered, only what was sent.",
    }
    """Places that cannot answer their question here, and why."""

    def __init__(self, path: Path, name: str, tracks: list[Track]) -> None:
        self.path, self.name = path, name
        self.tracks = tracks
        self.version = 0
        self.progress = "reading"
        self.is_log = True
        self.talk: None = None
        self._changed: Callable[[str], object] | None = None
        self._stories: dict[int, Story] = {}
        self._builders: dict[int, TimelineBuilder] = {}
        self._folds: dict[int, DurableFold] = {}
        self.packages = LogPackages()
        self._gives_up = False
        self._has_other_packages = False

    @classmethod
    def open_now(cls, path: Path, name: str) -> LogSubject:
        """What is known at once. Blocks for a moment. Raises `LogError`, `NoCapture`, `OSError`."""
        if path.is_dir() or is_log(path):
            branches = tree_of(path)
            if branches:
                return cls(path, name, [_track(branch) for branch in branches])
            if path.is_file():
                glimpse(path)  # says what is wrong with its header
        story = open_story(path)  # captured requests: they are read as a whole
        track = Track(path.name, "captured requests", place=path)
        made = cls(path, name, [track])
        made._stories[id(track)] = story
        return made

    @property
    def sessions(self) -> LogSubject:
        """It is its own feed."""
        return self

    async def run(self) -> None:
        """Read every track, then follow the files that may grow. Until cancelled."""
        try:
            for track in self.tracks:
                await asyncio.to_thread(self._read, track, asyncio.get_running_loop())
                self._tell()
            self.progress = ""
            self._tell()
            await asyncio.gather(*(self._follow(track) for track in self.tracks))
        finally:
            self._gives_up = True

    def close(self) -> None:
        """Release the files."""
        self._gives_up = True
        for story in self._stories.values():
            story.close()

    def _tell(self, *, has_news: bool = True) -> None:
        """`has_news`: not only the reading has come further."""
        self.version += has_news
        if self._changed is not None:
            self._changed("session")
            if self._has_other_packages:
                self._has_other_packages = False
                self._changed("packages")

    def _tell_progress(self) -> None:
        self._tell(has_news=False)

    def _read(self, track: Track, loop: asyncio.AbstractEventLoop) -> None:
        """One track, in a thread."""
        story = self._stories.get(id(track))
        try:
            if story is None and _path(track).stat().st_size > MOST_EXACT:
                builder = self._read_long(track, loop)
                track.timeline = builder.finished() if builder is not None else None
            elif story is not None:
                track.timeline = story.timeline()
            else:
                story = self._stories[id(track)] = LogStory(SessionLog.open_now(_path(track)))
                builder = self._builders[id(track)] = story.builder()
                packages = self._folds[id(track)] = DurableFold(story.header.seed_length or 0)
                events = story.log.events
                for event in events:
                    builder.add(event)
                    packages.add(event)
                    if event.seq % STRIDE == STRIDE - 1:
                        self.progress = f"{event.seq + 1:,} of {len(events):,} events"
                        loop.call_soon_threadsafe(self._tell_progress)
                        if self._gives_up:
                            return
                track.timeline = builder.finished()
        except Unusable as error:
            track.problems.append(words_of(error, _path(track)))
            return
        self._take_packages(track)
        track.glimpsed = ()
        if track.timeline is None:
            return
        track.problems = list(self._stories[id(track)].problems)
        if track.timeline.broken is not None:
            track.problems.append(track.timeline.broken)

    def _read_long(self, track: Track, loop: asyncio.AbstractEventLoop) -> TimelineBuilder | None:
        """In one pass, with estimated tokens; None when it is not wanted any more."""
        with open_reading(_path(track)) as file:
            header = scan_header(file).header
        packages = self._folds[id(track)] = DurableFold(header.seed_length or 0)
        builders: list[TimelineBuilder] = []

        def told_to(events: FileEvents) -> Callable[[LoggedEvent], None]:
            builders.append(TimelineBuilder(header, event_of=events.__getitem__))
            return told

        def told(event: LoggedEvent) -> None:
            builders[0].add(event)
            packages.add(event)
            if event.seq % STRIDE == STRIDE - 1:
                self.progress = f"{event.seq + 1:,} events"
                loop.call_soon_threadsafe(self._tell_progress)
                if self._gives_up:
                    raise _GivenUp

        try:
            log = SessionLog.open_told(_path(track), told_to)
        except _GivenUp:
            return None
        builder = builders[0]
        story = self._stories[id(track)] = LogStory(log)
        story.made_again = builder.made_again
        self._builders[id(track)] = builder
        return builder

    async def _follow(self, track: Track) -> None:
        """Takes up what is appended, or a file that was written anew."""
        story = self._stories.get(id(track))
        if not isinstance(story, LogStory):
            return
        try:
            watching = cast("AsyncGenerator[Refresh, None]", follow(story.log))
            async with aclosing(watching) as changes:
                async for found in changes:
                    if found.change == "gone":
                        track.problems = [f"{story.path} is gone; what was read of it stays"]
                    else:
                        await asyncio.to_thread(self._take_up, track, story, found.first_new, found.change)
                    self._tell()
        except (LogError, OSError) as error:
            track.problems.append(words_of(error, story.path))
            self._tell()

    def _take_up(self, track: Track, story: LogStory, first: int, change: str) -> None:
        builder, packages = self._builders.get(id(track)), self._folds.get(id(track))
        if builder is None or packages is None or change != "grown":
            builder = self._builders[id(track)] = story.builder()
            packages = self._folds[id(track)] = DurableFold(story.header.seed_length or 0)
            first = 0
        for event in story.log.events[first:] if first else story.log.events:
            builder.add(event)
            packages.add(event)
        self._take_packages(track)
        track.timeline = builder.finished()
        track.problems = list(story.problems)
        if change in ("truncated", "replaced"):
            track.problems.append(f"{story.path} was {change} while it was open; it was read anew")

    def _take_packages(self, track: Track) -> None:
        """Those that were defined in that session itself, not in the one that it has begun with."""
        fold, story = self._folds.get(id(track)), self._stories.get(id(track))
        if fold is not None and story is not None:
            cards = record_cards(story.header.id, fold.cards())
            self._has_other_packages |= self.packages.take(self.tracks.index(track), cards)

    # -- the feed ------------------------------------------------------------------------------------------

    def rebuilt(self, track: Track, row: RequestRow) -> RebuiltRequest:
        return self._stories[id(track)].rebuilt(row.sent)

    def parts(self, track: Track, row: RequestRow) -> Sequence[Part]:
        return self._stories[id(track)].parts(row)

    def texts(self, track: Track, row: RequestRow) -> tuple[str, str]:
        return self._stories[id(track)].texts(row)

    def looked_at(self, track: Track, row: RequestRow) -> Preview | None:
        return None

    # -- the subject ---------------------------------------------------------------------------------------

    @property
    def scopes(self) -> Sequence[ScopeChoice]:
        return [ScopeChoice(track.label, track.note, has_agent=True) for track in self.tracks]

    @property
    def problems(self) -> Sequence[str]:
        return [problem for track in self.tracks for problem in track.problems]

    @property
    def notes(self) -> Sequence[str]:
        return ()

    def waiting(self) -> Sequence[Any]:
        return ()

    async def preview(self, scope: str) -> Preview:
        """The last request of that session."""
        track = next((track for track in self.tracks if track.label == scope), self.tracks[0])
        rows = track.timeline.requests if track.timeline is not None else None
        if not rows:
            from workbench.agent.log.header import RequestHeader
            from workbench.models.request import CallConfig

            return preview_of(RequestHeader(CallConfig()), (), (), scope, None)
        return await asyncio.to_thread(self._stories[id(track)].preview, rows[-1], scope)

    async def findings(self) -> None:
        """Rules look at a composition."""

    async def reload(self) -> None:
        """It is followed."""

    async def sizes(self, preview: Preview) -> Sizes:
        return await counting.sizes_of(preview)

    def is_quick(self, preview: Preview) -> bool:
        return counting.is_quick(preview)

    def registry(self) -> Registry:
        return Registry()

    def ledger(self, uid: int) -> tuple[LedgerEntry, ...]:
        return ()

    async def end_plugin(self, uid: int, action: Literal["stop", "restart"]) -> Outcome:
        raise LookupError("a log has no plugins that run")

    async def start_plugin(self, uid: int) -> Outcome:
        raise LookupError("a log has no plugins that run")

    def subscribe(self, changed: Callable[[str], object]) -> Callable[[], object]:
        self._changed = changed

        def stop() -> None:
            self._changed = None

        return stop


def _track(branch: Branch) -> Track:
    header = branch.header
    note = ""
    if header.parent_session is not None:
        how = header.origin or "child"
        seed = f", its first {header.seed_length:,} events copied" if header.seed_length else ""
        note = f"{how} of {header.parent_session[:8]}, depth {header.delegation_depth}{seed}"
    try:
        seen = glimpse(branch.path)
    except (LogError, OSError):
        return Track(branch.path.name, note, depth=branch.depth, place=branch.path)
    return Track(branch.path.name, note, glimpsed=seen.requests, depth=branch.depth, place=branch.path)


def _path(track: Track) -> Path:
    assert isinstance(track.place, Path)
    return track.place
