"""What the place Session reads: sessions as tracks of one timeline, and what can be said to a live one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from workbench.agent.log.glimpse import GlimpsedRequest
    from workbench.agent.log.rebuild import RebuiltRequest
    from workbench.agent.log.rows import RequestRow
    from workbench.agent.log.timeline import Timeline
    from workbench.agent.verdicts.parts import Part
    from workbench.prompt.views import Preview


@dataclass(slots=True, eq=False)
class Track:
    """One session of the timeline."""

    label: str
    """Such as `session 7f3a` or `session.1.jsonl`. Outside text."""
    note: str = ""
    """Whose child it is, and how deep. Outside text."""
    timeline: Timeline | None = None
    """None: it is still being read."""
    glimpsed: Sequence[GlimpsedRequest] = ()
    """The last requests, while it is being read."""
    depth: int = 0
    place: object = None
    """For the feed that made it."""
    problems: list[str] = field(default_factory=list)


def messages_sent(tracks: Sequence[Track], label: str) -> int:
    """Tokens of the messages in the last request of the agent that is called so; 0 where none has sent one."""
    for track in tracks:
        rows = track.timeline.requests if track.label == label and track.timeline is not None else None
        if rows:
            return next((group.tokens for group in rows[-1].verdict.groups if group.name == "messages"), 0)
    return 0


class Talk(Protocol):
    """A live agent."""

    @property
    def name(self) -> str: ...

    @property
    def is_running(self) -> bool: ...

    @property
    def is_held(self) -> bool:
        """It stands before its next step."""
        ...

    @property
    def steps_singly(self) -> bool:
        """It waits before each step for a person."""
        ...

    @property
    def streamed(self) -> str:
        """The end of the answer that is coming in."""
        ...

    @property
    def failed_message(self) -> str | None:
        """What opened the last turn, if that has failed: it can be sent again."""
        ...

    @property
    def error(self) -> str:
        """Why there is no agent, or what its last turn ended with. Outside text."""
        ...

    async def say(self, text: str) -> None:
        """Opens a turn, or steers the one that runs."""
        ...

    def next_step(self) -> bool:
        """Lets one more step begin; False: there is nothing to do."""
        ...

    def let_run(self) -> None:
        """Steps follow each other again."""
        ...

    def cancel(self) -> bool:
        """Ends the turn; False: none runs."""
        ...

    async def resend(self) -> bool:
        """Says once more what the last turn failed on; False: nothing failed."""
        ...


class SessionFeed(Protocol):
    """The sessions of a subject."""

    @property
    def tracks(self) -> Sequence[Track]: ...

    @property
    def version(self) -> int:
        """Grows with each change of a track; not while only an answer comes in."""
        ...

    @property
    def progress(self) -> str:
        """What is being read; empty when all is there."""
        ...

    @property
    def problems(self) -> Sequence[str]:
        """What is wrong with the files. Outside text."""
        ...

    @property
    def is_log(self) -> bool:
        """It was recorded: nothing can be run."""
        ...

    @property
    def talk(self) -> Talk | None:
        """Whom one can talk to; None: nobody."""
        ...

    def rebuilt(self, track: Track, row: RequestRow) -> RebuiltRequest:
        """A request made again; for threads. Raises `LogError`."""
        ...

    def parts(self, track: Track, row: RequestRow) -> Sequence[Part]:
        """System text and tools of a request; for threads. Raises `LogError`."""
        ...

    def texts(self, track: Track, row: RequestRow) -> tuple[str, str]:
        """The part that changed first, as it was and as it is; quick where it is short. Raises `LogError`."""
        ...

    def looked_at(self, track: Track, row: RequestRow) -> Preview | None:
        """How the prompt of a request came to be, where somebody looked when it did."""
        ...
