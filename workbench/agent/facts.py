"""What the log says now: turn, header, route, snapshot, pending input, compaction. It is a fold of the events.

It is brought up to date with each event, whoever appends it. Nothing here is a truth of its own, so that resume,
fork and compaction need no code.

Source: docs/agents.md 2, 4, 6 and 13.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.agent.log.header import RequestHeader
from workbench.agent.snapshots import is_own

if TYPE_CHECKING:
    from workbench.agent.log.events import LoggedEvent
    from workbench.agent.log.session import Session
    from workbench.values.frozen import FrozenDict


class LogFacts:
    """The newest records that the loop decides by."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._header: RequestHeader | None = None
        self.turn = 0
        """Number of the last turn."""
        self.header_seq: int | None = None
        """Seq of the last `request/header`."""
        self.route: FrozenDict | None = None
        """Data of the last `request/context`."""
        self.revision: Any = None
        """What the last `prompts/revision` names."""
        self.snapshot: LoggedEvent | None = None
        """The newest own snapshot."""
        self.compaction_seq: int | None = None
        """Seq of a `compaction/start` that has no end. The end of a turn and of a seed end it, too."""
        self.vain_compaction: int | None = None
        """Number of the turn in which the last compaction has changed nothing."""
        self.queues: dict[str, list[Any]] = {"next-turn": [], "next-step": []}
        """Pending input: the fold of the splices behind the last `session/end-seed`."""
        self.failed_input: tuple[FrozenDict, ...] = ()
        """What people had said last to the newest turn, if that has failed or was killed: it can be said again."""
        self._claimed: list[FrozenDict] = []
        """What people had said of the last claim of this turn that held anything of theirs."""
        self._claims_on = False
        """Whether the step that is about to begin has claimed some of it."""

    def load(self) -> None:
        """Fold what is there already. May read a whole file."""
        for event in self._session.events:
            self.add(event)

    def add(self, event: LoggedEvent) -> None:
        """Fold one event more."""
        fold = _FOLDS.get(event.type)
        if fold is not None:
            fold(self, event)

    @property
    def header(self) -> RequestHeader | None:
        """What the last `request/header` says."""
        if self._header is None and self.header_seq is not None:
            self._header = RequestHeader.from_json(self._session.events[self.header_seq].data["header"])
        return self._header

    def _spliced(self, event: LoggedEvent) -> None:
        """A record that does not fit, as a foreign log may have it, changes what it can."""
        queue = self.queues.get(event.data.get("target", ""))
        if queue is not None:
            start = event.data.get("start") or 0
            place = slice(start, start + (event.data.get("removedCount") or 0))
            removed, queue[place] = queue[place], event.data.get("inserted") or ()
            if "outcome" not in event.data:
                self._claim(removed)

    def _claim(self, messages: list[Any]) -> None:
        """One step claims both queues, in two records; only what people have said counts."""
        said = [message for message in messages if _is_a_persons(message)]
        if said and not self._claims_on:
            self._claimed = []
        self._claimed += said
        self._claims_on = self._claims_on or bool(said)

    def _step_started(self, _event: LoggedEvent) -> None:
        self._claims_on = False

    def _seed_ended(self, _event: LoggedEvent) -> None:
        self.compaction_seq = None
        self.failed_input, self._claimed = (), []
        for queue in self.queues.values():
            queue.clear()

    def _turn_started(self, event: LoggedEvent) -> None:
        self.turn = event.data["turn"]
        self.failed_input, self._claimed, self._claims_on = (), [], False

    def _turn_ended(self, event: LoggedEvent) -> None:
        self.compaction_seq = None
        reason = event.data.get("reason")
        kind = reason.get("kind") if isinstance(reason, dict) else None
        self.failed_input = tuple(self._claimed) if kind in ("error", "interrupted") else ()

    def _header_recorded(self, event: LoggedEvent) -> None:
        self.header_seq, self._header = event.seq, None

    def _context_recorded(self, event: LoggedEvent) -> None:
        self.route = event.data

    def _revision_recorded(self, event: LoggedEvent) -> None:
        self.revision = event.data.get("revision")

    def _said(self, event: LoggedEvent) -> None:
        if is_own(event.data):
            self.snapshot = event

    def _compaction_started(self, event: LoggedEvent) -> None:
        self.compaction_seq = event.seq

    def _compaction_ended(self, event: LoggedEvent) -> None:
        self.compaction_seq = None
        self.vain_compaction = None if event.data.get("outcome") == "replaced" else event.data.get("turn")


def _is_a_persons(message: Any) -> bool:
    source = message.get("source") if isinstance(message, dict) else None
    return isinstance(source, dict) and source.get("kind") == "user"


_FOLDS = {
    "agent/inbox/spliced": LogFacts._spliced,
    "session/end-seed": LogFacts._seed_ended,
    "turn/start": LogFacts._turn_started,
    "turn/end": LogFacts._turn_ended,
    "step/start": LogFacts._step_started,
    "request/header": LogFacts._header_recorded,
    "request/context": LogFacts._context_recorded,
    "prompts/revision": LogFacts._revision_recorded,
    "user/message": LogFacts._said,
    "compaction/start": LogFacts._compaction_started,
    "compaction/end": LogFacts._compaction_ended,
}
