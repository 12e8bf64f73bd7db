"""Error answers of an endpoint as model errors. Source: docs/models.md 6 and 8."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from workbench.models.errors import (
    AUTH,
    CONTEXT_WINDOW_EXCEEDED,
    INVALID_REQUEST,
    QUOTA,
    RATE_LIMIT,
    SERVER,
    ModelError,
)
from workbench.values.foreign_text import foreign_json

LONGEST_MESSAGE = 1_000
"""Characters of a server's message that are kept."""

_CONTEXT_LENGTH = re.compile(
    r"context[ _-]?(?:length|window|size)|prompt is too long|too many (?:input )?tokens"
    r"|maximum (?:input|prompt) length|exceed_context",
    re.IGNORECASE,
)
_NO_QUOTA = re.compile(r"insufficient[ _](?:quota|balance|credit|funds)|billing", re.IGNORECASE)


def error_of_status(
    status: int, content: bytes, headers: Mapping[str, str], now: datetime | None = None
) -> ModelError:
    """The error of an answer whose status is not 2xx."""
    message, code = _said(content)
    wait = retry_after_ms(headers, now)
    shown = f"HTTP {status}" + (f": {message}" if message else "")
    return ModelError(_code_of_status(status, f"{code} {message}"), shown, status, wait)


def error_in_stream(error: Any) -> ModelError:
    """The error that an endpoint sends inside an answer that began well."""
    fields = error if isinstance(error, Mapping) else {"message": error}
    status = next((fields[key] for key in ("status", "code") if _is_status(fields.get(key))), None)
    message = _cut(str(fields.get("message") or "the endpoint reported an error without a message"))
    words = f"{fields.get('code')} {fields.get('type')} {message}"
    if status is not None:
        return ModelError(_code_of_status(status, words), message, status)
    if _CONTEXT_LENGTH.search(words):
        return ModelError(CONTEXT_WINDOW_EXCEEDED, message)
    if _NO_QUOTA.search(words):
        return ModelError(QUOTA, message)
    if "rate_limit" in words:
        return ModelError(RATE_LIMIT, message)
    return ModelError(INVALID_REQUEST if "invalid_request" in words else SERVER, message)


def retry_after_ms(headers: Mapping[str, str], now: datetime | None = None) -> int | None:
    """What `Retry-After` asks for, in seconds or as a date; None without a valid one."""
    value = (headers.get("retry-after") or "").strip()
    if re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,9})?", value):
        return round(float(value) * 1000)
    if not value or value[0].isdigit():
        return None
    try:
        moment = parsedate_to_datetime(value)
    except (ValueError, IndexError, TypeError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    seconds = (moment - (now or datetime.now(UTC))).total_seconds()
    return max(0, round(seconds * 1000))


def _code_of_status(status: int, words: str) -> str:
    if status in (401, 403):
        return AUTH
    if status == 402 or (status in (400, 429) and _NO_QUOTA.search(words)):
        return QUOTA
    if status == 429:
        return RATE_LIMIT
    if status in (400, 413):
        return CONTEXT_WINDOW_EXCEEDED if _CONTEXT_LENGTH.search(words) else INVALID_REQUEST
    if 500 <= status <= 599:
        return SERVER
    return f"HTTP_{status}"


def _is_status(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 400 <= value <= 599


def _said(content: bytes) -> tuple[str, str]:
    """Message and code of an error body, in the forms that endpoints use."""
    try:
        data = foreign_json(content)
    except ValueError:
        return _cut(" ".join(content.decode("utf-8", "replace").split())), ""
    error = data.get("error", data) if isinstance(data, Mapping) else data
    if not isinstance(error, Mapping):
        return _cut(error if isinstance(error, str) else ""), ""
    message = next((error[key] for key in ("message", "detail") if isinstance(error.get(key), str)), "")
    return _cut(message), f"{error.get('code')} {error.get('type')}"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else f"{text[:LONGEST_MESSAGE]}…"
