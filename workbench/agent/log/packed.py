"""Rows of recorded logs that hold many stream chunks. Expand first, then count: nothing else needs to know.

Source: docs/sessions.md 9.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

from workbench.models.recording import PACKED, chunks_of

Record = Mapping[str, Any]


def expanded(record: Record) -> Iterator[Record]:
    """The record itself, or an `assistant/chunk` for each chunk of a packed row.

    Raises `ValueError` for a row that cannot be expanded.
    """
    key = PACKED.get(record["type"])
    if key is None:
        yield record
        return
    data = record["data"]
    try:
        pieces = data[key]
        place = {"turn": data["turn"], "step": data["step"]}
        chunks = list(chunks_of(record))
    except (KeyError, TypeError) as error:
        raise ValueError(f"a row of {record['type']} that cannot be expanded ({error!r})") from None
    if not isinstance(pieces, list) or not pieces:
        raise ValueError(f"a row of {record['type']} without chunks")
    for chunk, time in zip(chunks, _times(record.get("time"), data.get("dt"), len(pieces)), strict=True):
        one: dict[str, Any] = {"type": "assistant/chunk", "data": {**place, "chunk": chunk}}
        if time is not None:
            one["time"] = time
        yield one


def _times(first: Any, deltas: Any, count: int) -> list[int | None]:
    """Each chunk's time: that of the row, and the milliseconds since the chunk before."""
    if not isinstance(first, int):
        return [None] * count
    if not isinstance(deltas, list) or len(deltas) != count - 1 or any(type(each) is not int for each in deltas):
        return [first] * count
    return list(accumulate([first, *deltas]))
