"""Text of others at the door: half surrogate pairs become U+FFFD, so that every later writer can encode it.

Source: docs/models.md 2.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

import orjson

_HALF_PAIR = re.compile("[\ud800-\udfff]")


def clean_text(text: str) -> str:
    """The text with U+FFFD for each half of a surrogate pair; the same object when there is none."""
    return text if text.isascii() else _HALF_PAIR.sub("\ufffd", text)


def clean(value: Any) -> Any:
    """A JSON value with `clean_text` for every text in it, keys included."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(key): clean(each) for key, each in value.items()}
    if isinstance(value, list):
        return [clean(each) for each in value]
    return value


def foreign_json(encoded: str | bytes) -> Any:
    """The value of JSON that others wrote, its texts clean. Raises `ValueError` for anything else."""
    try:
        return orjson.loads(encoded)
    except orjson.JSONDecodeError:
        pass
    # orjson refuses halves of surrogate pairs as well; the standard library takes them, and NaN too.
    try:
        return clean(json.loads(encoded, parse_constant=_refuse))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
