"""Rows of recorded logs that hold many stream chunks. Expand first, then count: nothing else needs to know.

Source: docs/sessions.md 9.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from typing import Any

Record = Mapping[str, Any]


def expanded(record: Record) -> Iterator[Record]:
    """The record itself, or an `assistant/chunk` for each chunk of a packed row.

    Raises `ValueError` for a row that cannot be expanded.
    """
    pieces_and_chunk = _PACKED.get(record.get("type", ""))
    if pieces_and_chunk is None:
        yield record
        return
    key, chunk = pieces_and_chunk
    data = record.get("data")
    pieces = data.get(key) if isinstance(data, Mapping) else None
    if not isinstance(data, Mapping) or not isinstance(pieces, list) or not pieces:
        raise ValueError(f'a {record["type"]} row needs the list "{key}"')
    place = {name: data[name] for name in ("turn", "step") if name in data}
    times = _times(record.get("time"), data.get("dt"), len(pieces))
    for piece, time in zip(pieces, times, strict=True):
        one: dict[str, Any] = {"type": "assistant/chunk", "data": {**place, "chunk": chunk(data, piece)}}
        if time is not None:
            one["time"] = time
        yield one


def _times(first: Any, deltas: Any, count: int) -> list[int | None]:
    """Each chunk's time: that of the row, and the milliseconds since the chunk before."""
    if not isinstance(first, int):
        return [None] * count
    if not isinstance(deltas, list) or len(deltas) != count - 1:
        return [first] * count
    return list(accumulate([first, *deltas]))


def _text(data: Record, piece: Any) -> Record:
    return {"type": "text-delta", "index": data.get("index"), "text": piece}


def _reasoning(data: Record, piece: Any) -> Record:
    return {"type": "reasoning-delta", "index": data.get("index"), "text": piece}


def _tool_call(data: Record, piece: Any) -> Record:
    named = {name: data[name] for name in ("id", "name") if name in data}
    return {"type": "tool-call-delta", "index": data.get("index"), **named, "argumentsDelta": piece}


_PACKED: dict[str, tuple[str, Callable[[Record, Any], Record]]] = {
    "text-chunks": ("texts", _text),
    "reasoning-chunks": ("texts", _reasoning),
    "tool-call-chunks": ("args", _tool_call),
}
"""Type of the row: the key of its pieces, and the chunk that each becomes."""
