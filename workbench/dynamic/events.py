"""The events of the runner, for views and pages. What an observer raises is logged, and stops nothing.

Source: docs/dynamic-packages.md 3, 6 and 9.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from workbench.core import Event
from workbench.dynamic.sandbox.prints import PrintedLine


@dataclass(frozen=True, slots=True)
class RequestNotice:
    """A package waits for a person. It never carries code."""

    request: str
    session: str
    id: str
    revision: int
    name: str
    purpose: str


@dataclass(frozen=True, slots=True)
class PackageCall:
    """A call of a tool that a package has registered, when its body begins and when it has ended."""

    id: str
    run: str
    session: str
    """Who calls; empty outside of a session."""
    call_id: str
    tool: str
    arguments: Any
    """JSON, frozen."""
    state: Literal["running", "done", "failed"]
    result: Any = None
    """Of `done` its value, JSON; of `failed` a message."""


STATE = Event("cordis/package-state", "emit", (str, str, str))
"""(id, old, new): the state of a package has changed. New packages come from the state ``""``."""
CHANGE = Event("cordis/package-change", "emit", (str,))
"""(id): some fact of a package has changed; its card is to be read again."""
REQUEST_RUN = Event("cordis/request-run", "emit", (RequestNotice,))
REQUEST_RESOLVED = Event("cordis/request-run-resolved", "emit", (str, str))
"""(request, outcome): `approved`, `rejected`, `failed` or `cancelled`."""
OUTPUT = Event("cordis/package-output", "emit", (str, PrintedLine))
"""(id, line): a package has printed."""
CALL = Event("cordis/package-call", "emit", (PackageCall,))
NOTE = Event("cordis/package-note", "emit", (str, str))
"""(session, text): the owner of a package is told something at its next step."""

ALL_EVENTS = (STATE, CHANGE, REQUEST_RUN, REQUEST_RESOLVED, OUTPUT, CALL, NOTE)
