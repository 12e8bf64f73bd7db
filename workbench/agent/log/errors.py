"""What can be wrong with a session log: one error class, a code, and a message that names line and remedy.

Source: docs/sessions.md 2, 7 and 8.
"""

from __future__ import annotations

from typing import Literal

LogErrorCode = Literal[
    "NOT_JSON",
    "INVALID_HEADER",
    "INVALID_EVENT",
    "INVALID_SURFACE_OP",
    "TOO_LARGE",
    "UNKNOWN_EVENT",
    "NO_REQUEST",
    "NOT_RECORDED",
    "LOG_HEADER",
    "LOG_VERSION",
    "LOG_CORRUPT",
    "LOG_CHANGED",
    "SESSION_EXISTS",
    "SESSION_LOCKED",
    "SESSION_CLOSED",
    "WRITE_FAILED",
]


class LogError(Exception):
    """A rule of the session log was broken; `code` says which."""

    def __init__(self, code: LogErrorCode, message: str, *, line: int | None = None) -> None:
        super().__init__(message)
        self.code: LogErrorCode = code
        self.line = line
        """1-based line of the log file; None when it is not about a line."""
