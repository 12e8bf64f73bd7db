"""The first line of a session log: whose session it is. It stands beside the events, not among them.

Source: docs/sessions.md 1.
"""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from workbench.agent.log.errors import LogError

VERSION = 0
"""The version that this module writes, and the newest that it reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHeader:
    """What does not change in a session. Raises `LogError` INVALID_HEADER for values without a meaning."""

    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    created_at: int = field(default_factory=lambda: time.time_ns() // 1_000_000)
    """Milliseconds since 1970."""
    cwd: str | None = None
    """Absolute, or as a recorded log has it."""
    parent_session: str | None = None
    seed_length: int | None = None
    """Events at the start that were copied from the parent."""
    origin: str | None = None
    """"subagent", or nothing."""
    delegation_depth: int = 0
    version: int = VERSION

    def checked_for_creation(self) -> SessionHeader:
        """The header itself. Raises `LogError` when no new session can have it: for a relative `cwd`."""
        if self.cwd is not None and not _is_absolute(self.cwd):
            raise LogError("INVALID_HEADER", f"the working directory {self.cwd!r} of a session must be absolute")
        return self

    def to_json(self) -> dict[str, Any]:
        """The record of the first line. What is absent has no key."""
        record: dict[str, Any] = {"type": "session", "version": self.version, "id": self.id}
        record["createdAt"] = self.created_at
        optional = {
            "cwd": self.cwd,
            "parentSession": self.parent_session,
            "seedLength": self.seed_length,
            "origin": self.origin,
        }
        record |= {key: value for key, value in optional.items() if value is not None}
        record["delegationDepth"] = self.delegation_depth
        return record

    def line(self) -> bytes:
        """The first line of the log, with its line end."""
        return json.dumps(self.to_json(), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    @classmethod
    def from_json(cls, record: object) -> SessionHeader:
        """A header that was recorded. Raises `LogError`: LOG_VERSION when it is newer, LOG_HEADER otherwise."""
        if not isinstance(record, Mapping) or record.get("type") != "session":
            raise LogError("LOG_HEADER", 'line 1 is no session header (an object with "type": "session")', line=1)
        version = record.get("version")
        if type(version) is not int or version < 0:
            raise LogError(
                "LOG_HEADER", f"line 1: the version of a session log is a number, not {version!r}", line=1
            )
        if version > VERSION:
            raise LogError(
                "LOG_VERSION",
                f"line 1: this log has version {version}, newer than {VERSION}, which is the newest that is read "
                "here; a newer workbench is needed",
                line=1,
            )
        for key, kind, is_needed in _FIELDS:
            value = record.get(key)
            if value is None and not is_needed:
                continue
            if type(value) is not kind or (isinstance(value, int) and value < 0) or (key == "id" and not value):
                raise LogError("LOG_HEADER", f'line 1: "{key}" of a session header cannot be {value!r}', line=1)
        return cls(
            id=record["id"],
            created_at=record.get("createdAt") or 0,
            cwd=record.get("cwd"),
            parent_session=record.get("parentSession"),
            seed_length=record.get("seedLength"),
            origin=record.get("origin"),
            delegation_depth=record.get("delegationDepth") or 0,
            version=version,
        )


_FIELDS: tuple[tuple[str, type, bool], ...] = (
    ("id", str, True),
    ("createdAt", int, False),
    ("cwd", str, False),
    ("parentSession", str, False),
    ("seedLength", int, False),
    ("origin", str, False),
    ("delegationDepth", int, False),
)


def _is_absolute(path: str) -> bool:
    pure = PureWindowsPath(path) if os.name == "nt" else PurePosixPath(path)
    return pure.is_absolute()
