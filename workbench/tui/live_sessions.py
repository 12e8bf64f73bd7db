"""Sessions of the agents of a composition while they run: the timeline as it grows, and talking to one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from workbench.agent.agent import Agent
from workbench.agent.events import CREATED, PRE_STEP, REMOVED, STATUS
from workbench.agent.log.errors import LogError
from workbench.agent.log.events import LoggedEvent
from workbench.agent.log.made_again import MadeAgain
from workbench.agent.log.rebuild import RebuiltRequest
from workbench.agent.log.rows import RequestRow
from workbench.agent.log.session import Session
from workbench.agent.log.timeline import TimelineBuilder
from workbench.agent.options import AgentError
from workbench.agent.sessions import APPENDED
from workbench.agent.verdicts.parts import Part
from workbench.config.live import start_live
from workbench.config.problems import LoadError
from workbench.config.sessions.story import counting_for
from workbench.prompt.views import Preview
from workbench.tui.session_feed import Track
from workbench.tui.stepping import Stepping

if TYPE_CHECKING:
    from workbench.config.opened import OpenedComposition

STREAMED = 400
"""Characters of an answer that comes in that are kept for the screen."""


class LiveSessions:
    """The feed of a composition that was opened with `live_services`; it belongs to its runtime."""

    is_log = False

    def __init__(self, opened: OpenedComposition) -> None:
        self._opened = opened
        self.tracks: list[Track] = []
        self.version = 0
        self.progress = ""
        self._builders: dict[str, TimelineBuilder] = {}
        self._made_again: dict[str, MadeAgain] = {}
        """Of agents that are gone, too."""
        self._changed: Callable[[str], object] | None = None
        self.talk = LiveTalk(opened, self._tell)
        root = opened.runtime.root
        root.on(APPENDED, self._appended)
        root.on(CREATED, self._created)
        root.on(REMOVED, self._removed)
        root.on(STATUS, self._tell_any)
        self._composition: object = opened.composition
        opened.on_change(self._files_changed)

    def subscribe(self, changed: Callable[[str], object]) -> Callable[[], object]:
        """Calls `changed("session")` after each change, on the loop."""
        self._changed = changed

        def stop() -> None:
            self._changed = None

        return stop

    @property
    def problems(self) -> Sequence[str]:
        return [problem for track in self.tracks for problem in track.problems]

    def rebuilt(self, track: Track, row: RequestRow) -> RebuiltRequest:
        return self._made_again[_agent(track).id].rebuilt(row.sent)

    def parts(self, track: Track, row: RequestRow) -> Sequence[Part]:
        return self._made_again[_agent(track).id].parts(row)

    def texts(self, track: Track, row: RequestRow) -> tuple[str, str]:
        return self._made_again[_agent(track).id].texts(row)

    def looked_at(self, track: Track, row: RequestRow) -> Preview | None:
        return _agent(track).requests.looked_at.get(row.sent.seq)

    # -- what happens --------------------------------------------------------------------------------------

    def _tell(self, *, has_news: bool = True) -> None:
        """`has_news`: not only the answer that comes in is longer."""
        self.version += has_news
        if self._changed is not None:
            self._changed("session")

    def _tell_any(self, *_: Any) -> None:
        self._tell()

    def _created(self, agent: Any) -> None:
        parent = agent.session.header.parent_session
        note = f"child of {parent[:8]}, depth {agent.depth}" if parent else ""
        track = Track(agent.label, note, depth=agent.depth, place=agent)
        events = agent.session.events
        builder = TimelineBuilder(agent.session.header, counting_for(agent.options.model, 0), events.__getitem__)
        self._made_again[agent.id] = builder.made_again
        for event in events:
            builder.add(event)
        track.timeline = builder.finished()
        self._builders[agent.id] = builder
        self.tracks.append(track)
        self._tell()

    def _removed(self, agent: Any) -> None:
        """A child that is done stays on the screen; what it was sent can be read as long as its log can."""
        self._builders.pop(agent.id, None)
        self._tell()

    def _appended(self, session: Session, event: LoggedEvent) -> None:
        builder = self._builders.get(session.id)
        if builder is None:
            return
        builder.add(event)
        self.talk.hear(session, event)
        if event.type in _SUMMED:
            track = next(track for track in self.tracks if _agent(track).id == session.id)
            track.timeline = builder.finished()
            broken = track.timeline.broken
            track.problems = [broken] if broken is not None else []
        self._tell(has_news=event.type != "assistant/chunk")

    def _files_changed(self) -> None:
        """An edit that came into force is declared: its break is no drift."""
        if self._opened.composition is self._composition:
            return
        self._composition = self._opened.composition
        for track in self.tracks:
            agent = _agent(track)
            if agent.id in self._builders:
                agent.declare("edit", "the files were edited and read again")


_SUMMED = frozenset({"request/sent", "assistant/message", "turn/start", "turn/end", "step/end"})
"""Events after which the timeline is looked at as a whole."""


def _agent(track: Track) -> Agent:
    assert isinstance(track.place, Agent)
    return track.place


class LiveTalk:
    """What can be said to the first agent of the composition; it is started by the first word."""

    def __init__(self, opened: OpenedComposition, tell: Callable[[], None]) -> None:
        self._opened = opened
        self._tell = tell
        self._agent: Agent | None = None
        self._stepping = Stepping(tell)
        opened.runtime.root.on(PRE_STEP, self._before_step, prepend=True, everywhere=True)
        self.streamed = ""
        self.error = ""

    @property
    def name(self) -> str:
        if self._agent is not None:
            return self._agent.label
        agents = self._opened.composition.entries.agents
        return agents[0].name if agents else "the agent"

    @property
    def is_running(self) -> bool:
        return self._agent is not None and self._agent.status == "running"

    @property
    def is_held(self) -> bool:
        return self._stepping.is_held

    @property
    def steps_singly(self) -> bool:
        return self._stepping.is_on

    @property
    def failed_message(self) -> str | None:
        said = self._agent.failed_input if self._agent is not None else ()
        if not said:
            return None
        blocks = [block for message in said for block in message["content"]]
        texts = [block.get("text") for block in blocks if block.get("type") == "text"]
        return "\n".join(text for text in texts if isinstance(text, str))

    async def say(self, text: str) -> None:
        agent = await self._started()
        if agent is None:
            return
        self.error = ""
        if self.is_running:
            agent.steer(text)
        else:
            agent.followup(text)
        self._tell()

    def next_step(self) -> bool:
        return self._stepping.one_more(is_running=self.is_running)

    def let_run(self) -> None:
        self._stepping.let_run()

    def cancel(self) -> bool:
        return self._agent is not None and self._agent.cancel("user")

    async def resend(self) -> bool:
        if self._agent is None or self._agent.say_again() is None:
            return False
        self.error = ""
        self._tell()
        return True

    async def _started(self) -> Agent | None:
        if self._agent is None:
            try:
                self._agent = (await start_live(self._opened)).agent
            except (LoadError, AgentError, LogError, OSError) as error:
                problems = error.problems if isinstance(error, LoadError) else [error]
                self.error = str(problems[0])
                self._tell()
        return self._agent

    async def _before_step(self, payload: Any, next: Any) -> Any:
        """A step of the agent that is spoken to waits for the person, where it is to."""
        if payload.agent is self._agent:
            await self._stepping.wait()
        return await next()

    def hear(self, session: Session, event: LoggedEvent) -> None:
        """What its log says now."""
        if self._agent is not None and session.id != self._agent.id:
            return
        match event.type:
            case "request/sent" | "assistant/message":
                self.streamed = ""
            case "assistant/chunk":
                chunk = event.glance("chunk")
                if isinstance(chunk, dict) and chunk.get("type") in ("text-delta", "reasoning-delta"):
                    self.streamed = (self.streamed + str(chunk.get("text", chunk.get("delta", ""))))[-STREAMED:]
            case "turn/end":
                self._ended(event)

    def _ended(self, event: LoggedEvent) -> None:
        self.streamed, self.error = "", ""
        reason = event.data.get("reason")
        if not isinstance(reason, dict) or reason.get("kind") != "error":
            return
        error = reason.get("error")
        if isinstance(error, dict):
            self.error = " ".join(str(error[key]) for key in ("code", "message") if error.get(key))
