"""Cards from the log alone: what was defined, refused and undefined, whether or not its process still lives.

A card belongs to its define call, not to the id, which a later process may have given again: a result with
revision 1 opens a new series of its id, and an undefine ends the series before it.

Source: docs/dynamic-packages.md 16.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

DurableState = Literal["defined", "refused", "unloaded", "lost"]
REFUSED = "refused"


class Event(Protocol):
    """An event of a session log."""

    @property
    def type(self) -> str: ...
    @property
    def seq(self) -> int: ...
    @property
    def data(self) -> Mapping[str, Any]: ...


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

    @property
    def has_controls(self) -> bool:
        return self.state == "defined"


def durable_cards(events: Iterable[Event], live: Mapping[str, int] | None = None) -> tuple[DurableCard, ...]:
    """The cards of one session, in the order of their calls.

    `live`: ids of this session's packages in the present process, with their number of revisions; None: the process
    is another one.
    """
    cards: list[DurableCard] = []
    calls: dict[str, tuple[int, str, Any]] = {}
    series: dict[str, list[int]] = {}
    """Indices of the cards of the present series of an id."""
    for event in events:
        data = event.data
        if event.type == "tool/call" and str(data.get("name", "")).startswith("cordis_"):
            calls[str(data.get("callId"))] = event.seq, str(data["name"]), data.get("arguments")
        elif event.type == "tool/result":
            call = calls.pop(_call_id(data), None)
            if call is None:
                continue
            seq, name, arguments = call
            if name == "cordis_define":
                cards.append(_card(seq, arguments, data))
                card = cards[-1]
                if card.state != REFUSED:
                    if card.revision == 1:
                        series[card.id] = []
                    series.setdefault(card.id, []).append(len(cards) - 1)
            elif name == "cordis_undefine" and data.get("error") is None:
                for index in series.pop(str(_arguments(arguments).get("id", "")), []):
                    cards[index] = replace(cards[index], state="unloaded")
    alive = live or {}
    current = {index for package_id, each in series.items() if package_id in alive for index in each}
    return tuple(
        replace(card, state="lost") if card.state == "defined" and index not in current else card
        for index, card in enumerate(cards)
    )


def _card(seq: int, raw: Any, data: Mapping[str, Any]) -> DurableCard:
    arguments = _arguments(raw)
    is_whole = bool(arguments)
    known = {key: arguments.get(key) if isinstance(arguments.get(key), str) else None for key in _TEXTS}
    name = known["name"] or ("" if is_whole else str(raw or "").partition("\n")[0][:200])
    meta = data.get("meta")
    package_id, revision = ("", 0)
    if isinstance(meta, Mapping) and isinstance(meta.get("id"), str):
        number = meta.get("revision")
        package_id, revision = meta["id"], number if isinstance(number, int) else 0
    error = data.get("error")
    refused = "" if not isinstance(error, Mapping) else str(error.get("message", "")).partition("\n")[0]
    state: DurableState = "defined" if package_id else "refused"
    return DurableCard(
        seq,
        state,
        package_id,
        revision,
        name.strip(),
        (known["purpose"] or "").strip(),
        known["code"],
        known["client"],
        refused,
        is_whole,
    )


_TEXTS = ("name", "purpose", "code", "client")


def _arguments(raw: Any) -> Mapping[str, Any]:
    if isinstance(raw, Mapping):
        return raw
    try:
        read = json.loads(raw or "{}")
    except (ValueError, TypeError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def _call_id(data: Mapping[str, Any]) -> str:
    message = data.get("message")
    source = message.get("source") if isinstance(message, Mapping) else None
    return str(source.get("callId")) if isinstance(source, Mapping) else ""
