"""What goes wrong with a model call: a code, a message, and what a log keeps of it.

Source: docs/models.md 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.errors import text_of_error
from workbench.models.chunks import Failure
from workbench.values.foreign_text import clean_text

MISSING_CREDENTIAL = "MISSING_CREDENTIAL"
NO_ADAPTER = "NO_ADAPTER"
NO_ROUTE = "NO_ROUTE"
AUTH = "AUTH"
QUOTA = "QUOTA"
INVALID_REQUEST = "INVALID_REQUEST"
RATE_LIMIT = "RATE_LIMIT"
SERVER = "SERVER"
TIMEOUT = "TIMEOUT"
TRANSPORT = "TRANSPORT"
EMPTY_RESPONSE = "EMPTY_RESPONSE"
STREAM_CLOSED = "STREAM_CLOSED"
MALFORMED_RESPONSE = "MALFORMED_RESPONSE"
CONTEXT_WINDOW_EXCEEDED = "CONTEXT_WINDOW_EXCEEDED"
ABORTED = "ABORTED"
SCRIPT_EXHAUSTED = "SCRIPT_EXHAUSTED"
REPLAY_MISS = "REPLAY_MISS"
UNKNOWN = "UNKNOWN"

RETRYABLE = frozenset({RATE_LIMIT, SERVER, TIMEOUT, TRANSPORT, EMPTY_RESPONSE})
"""Codes after which the same request may succeed."""


class ModelError(Exception):
    """One attempt failed. The message is for people and for the log; it never holds a key."""

    def __init__(
        self, code: str, message: str, status: int | None = None, retry_after_ms: int | None = None
    ) -> None:
        message = clean_text(message)
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        """Of the HTTP answer, if there was one."""
        self.retry_after_ms = retry_after_ms
        """What a valid `Retry-After` asked for."""

    @property
    def is_retryable(self) -> bool:
        """Whether the same request may succeed later. How often and when, is for `retry.delay_ms` to say."""
        return self.code in RETRYABLE

    @property
    def failure(self) -> Failure:
        """The failure record."""
        record: Failure = {"message": self.message, "code": self.code}
        if self.status is not None:
            record["status"] = self.status
        if self.retry_after_ms is not None:
            record["retryAfterMs"] = self.retry_after_ms
        return record

    @classmethod
    def from_failure(cls, record: Mapping[str, Any]) -> ModelError:
        """The error of a failure record, also of one that another harness wrote."""
        code, message = record.get("code"), record.get("message")
        return cls(
            code if isinstance(code, str) and code else UNKNOWN,
            message if isinstance(message, str) else "",
            _whole(record.get("status")),
            _whole(record.get("retryAfterMs")),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, self.message, self.status, self.retry_after_ms)


def failure_of(error: BaseException) -> Failure:
    """The failure record of anything that was raised: of a `ModelError` its own, else code `UNKNOWN` and
    the messages of the cause chain, outermost first."""
    if isinstance(error, ModelError):
        return error.failure
    return {"message": clean_text(": ".join(_messages(error))), "code": UNKNOWN}


def _messages(error: BaseException) -> list[str]:
    messages: list[str] = []
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        text = text_of_error(cause)
        messages.append(f"{type(cause).__name__}: {text}" if text else type(cause).__name__)
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
    return messages


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
