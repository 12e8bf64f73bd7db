"""JSON as a log writes and reads it.

Source: docs/sessions.md 2.
"""

from __future__ import annotations

import json
import math
from typing import Any

import orjson

from workbench.agent.log.errors import LogError
from workbench.values.foreign_text import clean
from workbench.values.frozen import NotJson, freeze


def frozen_data(value: object, what: str) -> Any:
    """A deep-frozen copy. Raises `LogError` NOT_JSON, with the place, for what JSON would change or refuse."""
    try:
        return freeze(value)
    except NotJson as error:
        raise LogError("NOT_JSON", f"{what}: {error}; a log holds only what JSON keeps unchanged") from None


def encode_json(value: Any) -> bytes:
    """Compact JSON with its key order, of a value that is frozen or came from JSON."""
    try:
        return orjson.dumps(value)
    except TypeError:  # integers above 64 bits
        return standard_json(value)


def standard_json(value: Any) -> bytes:
    """The same by the standard library."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")


def decode_json(encoded: bytes) -> Any:
    """Plain values from JSON bytes. Raises `ValueError` for what is no JSON, or nested too deep.

    Half surrogate pairs, which some writers escape, become U+FFFD: no text here holds any.
    """
    if _BIG not in encoded.translate(_DIGITS):
        try:
            return orjson.loads(encoded)
        except orjson.JSONDecodeError:
            if b"\\u" not in encoded:
                raise
    try:
        return clean(json.loads(encoded.decode("utf-8"), parse_constant=_no_json, parse_float=_finite))
    except RecursionError:
        raise ValueError("nested too deep") from None


def _no_json(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {digits[:40]} is too large")
    return number


_DIGITS = bytes(b"0"[0] if 48 <= byte <= 57 else byte for byte in range(256))
_BIG = b"0" * 19
"""orjson reads integers above 64 bits as floats; anything as long goes to the standard library."""
