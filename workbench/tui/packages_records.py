"""Records of packages that are not in this process any more, read from the logs of sessions.

Source: docs/tui.md 11.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.tui.view.packages_data import LifeData, PackageCard, PackageRow, RevisionData
from workbench.tui.view.packages_words import moment
from workbench.tui.view.sizes import counted

if TYPE_CHECKING:
    from workbench.agent.log.session import Session
    from workbench.core import Runtime
    from workbench.dynamic.durable import DurableCard, DurableFold


def record_cards(
    session: str, cards: Iterable[DurableCard], undefined_at: Mapping[str, float] | None = None
) -> list[PackageCard]:
    """One card for each package of a session that is over, and for each refused call; the oldest first.

    `undefined_at`: when a person has undefined one in this process, by id.
    """
    by_series: dict[int, list[DurableCard]] = {}
    for card in cards:
        if card.state != "defined":
            by_series.setdefault(card.series, []).append(card)
    return [_record(session, made, undefined_at or {}) for made in by_series.values()]


def _record(session: str, made: Sequence[DurableCard], undefined_at: Mapping[str, float]) -> PackageCard:
    last = made[-1]
    revisions = tuple(
        RevisionData(each.revision, each.name, each.purpose, each.code, each.client, (), _seconds(each.time))
        for each in made
    )
    state = "lost" if last.state == "defined" else last.state
    row = PackageRow(
        last.id or "–",
        last.name,
        state,
        0.0,
        session,
        last.revision,
        last.revision,
        _fact(made, undefined_at.get(last.id)),
        has_browser_half=last.client is not None,
        record=f"{session}#{last.series}",
    )
    life = tuple(LifeData(_seconds(each.time), each.verb, each.words, each.is_refused) for each in last.life)
    whole = all(each.is_whole for each in made)
    return PackageCard(row, revisions[-1], revisions if len(made) > 1 else (), life=life, is_whole=whole)


def _fact(made: Sequence[DurableCard], undefined_at: float | None) -> str:
    last = made[-1]
    if last.state == "refused":
        return last.error
    revisions = counted(len(made), "revision")
    if last.state == "lost":
        return f"{revisions}, defined {_clock(_seconds(last.time))}".rstrip()
    ended = (each.time for each in last.life if each.verb in ("undefine", "person") and not each.is_refused)
    at = undefined_at or _seconds(max((time for time in ended if time is not None), default=None))
    return f"{revisions}, undefined {_clock(at)}".rstrip()


def _seconds(milliseconds: int | None) -> float:
    return 0.0 if milliseconds is None else milliseconds / 1000


def _clock(at: float) -> str:
    return moment(at) if at else ""


class LiveRecords:
    """Those of the sessions of a runtime, from their logs as they grow. Listens until it is closed."""

    def __init__(self, runtime: Runtime, tell: Callable[[], object]) -> None:
        """`tell`: called when a log has told something of a package."""
        from workbench.agent.sessions import APPENDED

        self._runtime = runtime
        self._tell = tell
        self._folds: dict[str, DurableFold] = {}
        """Also of sessions that are closed, while there is something to tell of them."""
        self._made: dict[str, tuple[object, list[PackageCard]]] = {}
        """What was made of them last."""
        self._stop: Callable[[], object] = runtime.root.on(APPENDED, self._appended)

    def close(self) -> None:
        """Listen no more."""
        self._stop()

    def cards(self, live: Mapping[str, Iterable[str]], undefined: Iterable[Any]) -> list[PackageCard]:
        """Records of all sessions, the oldest of each first.

        `live`: ids in this process by session. `undefined`: the runner's own records, of which those that no log
        holds get a card, too.
        """
        sessions = self._runtime.root.get("sessions")
        for session in () if sessions is None else sessions.all():
            self._fold_of(session)
        gone: dict[str, dict[str, Any]] = {}
        for record in undefined:
            gone.setdefault(record.session, {})[record.id] = record
        found: list[PackageCard] = []
        for session_id, fold in self._folds.items():
            found += self._of_session(
                session_id, fold, frozenset(live.get(session_id, ())), gone.get(session_id, {})
            )
        known = {(card.row.session, card.id) for card in found if card.state == "unloaded"}
        bare = [each for own in gone.values() for each in own.values() if (each.session, each.id) not in known]
        return [*(_bare(each) for each in bare), *found]

    def _of_session(
        self, session_id: str, fold: DurableFold, live: frozenset[str], gone: Mapping[str, Any]
    ) -> list[PackageCard]:
        key = fold.version, live, frozenset(gone)
        known = self._made.get(session_id)
        if known is None or known[0] != key:
            undefined_at = {each: record.at for each, record in gone.items()}
            made = record_cards(session_id, fold.cards(live, gone.keys()), undefined_at)
            known = self._made[session_id] = key, made
        return known[1]

    def _appended(self, session: Session, event: Any) -> None:
        fold = self._folds.get(session.id)
        if fold is None:
            self._fold_of(session)
        elif fold.add(event):
            self._tell()

    def _fold_of(self, session: Session) -> None:
        if session.id in self._folds:
            return
        from workbench.dynamic.durable import DurableFold

        fold = self._folds[session.id] = DurableFold(session.header.seed_length or 0)
        for event in session.events:
            fold.add(event)


def _bare(record: Any) -> PackageCard:
    """Of a package that no log tells of: its session had none, or did not define it through a tool."""
    revision = RevisionData(0, record.name, record.purpose, None, None)
    fact = f"{counted(record.revisions, 'revision')}, undefined {moment(record.at)}"
    key = f"{record.session}#{record.id}"
    row = PackageRow(record.id, record.name, "unloaded", 0.0, record.session, 0, 0, fact, record=key)
    return PackageCard(row, revision)
