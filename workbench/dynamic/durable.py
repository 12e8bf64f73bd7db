"""Cards from the log alone: what was defined, refused and undefined, whether or not its process still lives.

A card belongs to its define call, not to the id, which a later process may have given again: a result with
revision 1 opens a new series of its id, and an undefine ends the series before it.

Source: docs/dynamic-packages.md 16.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple, Protocol

DurableState = Literal["defined", "refused", "unloaded", "lost"]
REFUSED: Final = "refused"
NOTE_FORM = "package-note"
"""Of a message that tells the owner what a person has done."""
NO_ANSWER = "the log holds no answer to it"
LONGEST = 200
"""Characters of a line that is kept of a call or an answer."""


class Event(Protocol):
    """An event of a session log."""

    @property
    def type(self) -> str: ...
    @property
    def seq(self) -> int: ...
    @property
    def time(self) -> int | None: ...
    def glance(self, key: str) -> Any:
        """One value of its data."""


class DurableFact(NamedTuple):
    """What a later call, or a person, has done with a package. All texts are from outside."""

    seq: int
    time: int | None
    """Milliseconds since 1970."""
    verb: str
    """`run`, `stop`, `undefine`, or `person`."""
    words: str
    """First line of the answer, or of the refusal."""
    is_refused: bool


@dataclass(frozen=True, slots=True)
class DurableCard:
    """One define call. Everything in it is outside text."""

    seq: int
    """Of the `tool/call`."""
    state: DurableState
    """`defined`: live facts come from the runner. `lost`: its process is gone, and its memory with it."""
    id: str
    """Empty for a refused call."""
    revision: int
    name: str
    purpose: str
    code: str | None
    client: str | None
    error: str
    """First line of the refusal; empty otherwise."""
    is_whole: bool
    """False: the logged call was cut, and only its first line is known."""
    series: int = 0
    """`seq` of the call that opened the series it belongs to: the revisions of one package."""
    time: int | None = None
    """Of the answer, in milliseconds since 1970."""
    life: tuple[DurableFact, ...] = ()
    """What was done with the package afterwards; the same for all revisions of a series."""

    @property
    def has_controls(self) -> bool:
        return self.state == "defined"


class DurableFold:
    """Reads the events of one session in order; its cards can be had at any time."""

    def __init__(self, seed_length: int = 0) -> None:
        """`seed_length`: events that another session has lent; what they tell is its own."""
        self._seed_length = seed_length
        self.version = 0
        """Another number when a card has come or is another one."""
        self._cards: list[DurableCard] = []
        self._calls: dict[str, tuple[int, int | None, str, Any]] = {}
        """Calls without an answer yet."""
        self._series: dict[str, list[int]] = {}
        """Indices of the cards of the present series of an id."""
        self._life: dict[int, list[DurableFact]] = {}
        """By the series."""

    def add(self, event: Event) -> bool:
        """Take one more event; True when a card has come or is another one."""
        is_news = event.seq >= self._seed_length and self._is_news(event)
        self.version += is_news
        return is_news

    def _is_news(self, event: Event) -> bool:
        if event.type == "tool/call":
            name = str(event.glance("name"))
            if name in _VERBS:
                call_id = str(event.glance("callId"))
                self._calls[call_id] = event.seq, event.time, name, event.glance("arguments")
        elif event.type == "tool/result":
            call = self._calls.pop(_call_id(event.glance("message")), None) if self._calls else None
            if call is not None:
                self._answered(event, call)
                return True
        elif event.type == "tool/code-dispatch":
            name = str(event.glance("name"))
            if name in _VERBS:
                self._answered(event, (event.seq, event.time, name, event.glance("arguments")))
                return True
        elif event.type == "user/message":
            return self._noted(event)
        return False

    def cards(
        self, live: Collection[str] | None = None, forgotten: Collection[str] = ()
    ) -> tuple[DurableCard, ...]:
        """In the order of their calls.

        `live`: ids of this session's packages in the present process; None: the process is another one.
        `forgotten`: ids that a person has undefined in it.
        """
        alive = live or ()
        current = {index for package_id, each in self._series.items() if package_id in alive for index in each}
        gone = {index for package_id, each in self._series.items() if package_id in forgotten for index in each}
        found = []
        for index, card in enumerate(self._cards):
            state = card.state
            if state == "defined" and index not in current:
                state = "unloaded" if index in gone else "lost"
            found.append(replace(card, state=state, life=tuple(self._life.get(card.series, ()))))
        if live is None:
            found += [_unanswered(*call) for call in self._calls.values() if call[2] == "cordis_define"]
            found.sort(key=lambda card: card.seq)
        return tuple(found)

    def _answered(self, event: Event, call: tuple[int, int | None, str, Any]) -> None:
        seq, _, name, raw = call
        if name == "cordis_define":
            self._defined(_card(seq, event, raw))
            return
        error = event.glance("error")
        told = _first_line(error.get("message") if isinstance(error, Mapping) else _answer_of(event))
        package_id = _id_of(raw)
        fact = DurableFact(seq, event.time, name.removeprefix("cordis_"), told, error is not None)
        self._tell(package_id, fact)
        if name == "cordis_undefine" and error is None:
            self._end(package_id)

    def _defined(self, card: DurableCard) -> None:
        if card.state != REFUSED:
            if card.revision == 1:
                self._series[card.id] = []
            indices = self._series.setdefault(card.id, [])
            if indices:
                card = replace(card, series=self._cards[indices[0]].series)
            indices.append(len(self._cards))
        self._cards.append(card)

    def _noted(self, event: Event) -> bool:
        source = event.glance("source")
        if not isinstance(source, Mapping) or source.get("form") != NOTE_FORM:
            return False
        package_id, words = str(source.get("package")), _text_of({"content": event.glance("content")})
        self._tell(package_id, DurableFact(event.seq, event.time, "person", _first_line(words), False))
        if source.get("happened") == "undefined":
            self._end(package_id)
        return True

    def _tell(self, package_id: str, fact: DurableFact) -> None:
        indices = self._series.get(package_id)
        if indices:
            self._life.setdefault(self._cards[indices[0]].series, []).append(fact)

    def _end(self, package_id: str) -> None:
        for index in self._series.pop(package_id, []):
            self._cards[index] = replace(self._cards[index], state="unloaded")


def durable_cards(
    events: Iterable[Event], live: Collection[str] | None = None, forgotten: Collection[str] = ()
) -> tuple[DurableCard, ...]:
    """The cards of one session, as `DurableFold.cards` gives them."""
    fold = DurableFold()
    for event in events:
        fold.add(event)
    return fold.cards(live, forgotten)


_VERBS = frozenset({"cordis_define", "cordis_run", "cordis_stop", "cordis_undefine"})


def _card(seq: int, event: Event, raw: Any) -> DurableCard:
    meta, error = event.glance("meta"), event.glance("error")
    package_id, revision = "", 0
    if isinstance(meta, Mapping) and isinstance(meta.get("id"), str):
        number = meta.get("revision")
        package_id, revision = meta["id"], number if isinstance(number, int) else 0
    elif event.type == "tool/code-dispatch" and error is None and (said := _DEFINED.match(_answer_of(event))):
        package_id, revision = said["id"], int(said["revision"])  # a program's call has no metadata in the log
    refused = _first_line(error.get("message")) if isinstance(error, Mapping) else ""
    state: DurableState = "defined" if package_id else "refused"
    return replace(_called(seq, raw, state, refused), id=package_id, revision=revision, time=event.time)


def _called(seq: int, raw: Any, state: DurableState, error: str) -> DurableCard:
    """What the call alone says."""
    arguments = _arguments(raw)
    is_whole = bool(arguments)
    known = {key: arguments.get(key) if isinstance(arguments.get(key), str) else None for key in _TEXTS}
    name = known["name"] or ("" if is_whole else _first_line(raw))
    purpose = (known["purpose"] or "").strip()
    code, client = known["code"], known["client"]
    return DurableCard(seq, state, "", 0, name.strip(), purpose, code, client, error, is_whole, seq)


def _unanswered(seq: int, time: int | None, _: str, raw: Any) -> DurableCard:
    return replace(_called(seq, raw, "refused", NO_ANSWER), time=time)


_DEFINED = re.compile(r"(?P<id>dyn-\d{1,9}) r(?P<revision>\d{1,9}) \(")
"""How the answer of a define begins."""
_TEXTS = ("name", "purpose", "code", "client")


def _arguments(raw: Any) -> Mapping[str, Any]:
    if isinstance(raw, Mapping):
        return raw
    try:
        read = json.loads(raw or "{}")
    except (ValueError, TypeError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def _answer_of(event: Event) -> str:
    """The text of a result, of a model's call or of a program's."""
    return _text_of(event.glance("message") or {"content": event.glance("content")})


def _id_of(raw: Any) -> str:
    return str(_arguments(raw).get("id", ""))


def _call_id(message: Any) -> str:
    source = message.get("source") if isinstance(message, Mapping) else None
    return str(source.get("callId")) if isinstance(source, Mapping) else ""


def _text_of(message: Any) -> str:
    """The first text block of a message, those of its results included."""
    for block in _blocks(message):
        for inside in (block, *_blocks(block)):
            if isinstance(inside.get("text"), str):
                return str(inside["text"])
    return ""


def _blocks(holder: Any) -> list[Mapping[str, Any]]:
    content = holder.get("content") if isinstance(holder, Mapping) else None
    if isinstance(content, str):
        return [{"text": content}]
    return [each for each in content if isinstance(each, Mapping)] if isinstance(content, list | tuple) else []


def _first_line(text: Any) -> str:
    return str(text or "").partition("\n")[0][:LONGEST]
