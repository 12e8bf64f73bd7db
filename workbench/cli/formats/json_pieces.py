"""A long JSON document piece by piece, so that it is never held as a whole."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any


def json_pieces(document: Mapping[str, Any]) -> Iterator[str]:
    """As `json.dumps` writes it with an indent of two; a value that is an iterator is a list, item by item."""
    lead = "{\n"
    for key, value in document.items():
        yield f"{lead}  {json.dumps(key, ensure_ascii=False)}: "
        lead = ",\n"
        if isinstance(value, Iterator):
            yield from _items(value)
        else:
            yield _inside(value, "  ")
    yield "\n}" if document else "{}"


def _items(items: Iterator[Any]) -> Iterator[str]:
    lead = "["
    for item in items:
        yield f"{lead}\n    {_inside(item, '    ')}"
        lead = ","
    yield "[]" if lead == "[" else "\n  ]"


def _inside(value: Any, indent: str) -> str:
    """Line ends in a JSON text are those of its indent: inside a string they are escaped."""
    return json.dumps(value, ensure_ascii=False, indent=2).replace("\n", f"\n{indent}")
