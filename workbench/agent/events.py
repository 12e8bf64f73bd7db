"""The events of the loop. Each passes one payload object, which names the agent.

Source: docs/agents.md 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from workbench.core import Event

if TYPE_CHECKING:
    from workbench.agent.agent import Agent
    from workbench.agent.cancel import CancelSignal
    from workbench.agent.messages import Message
    from workbench.models.request import CallConfig


@dataclass(slots=True)
class PreStep:
    """A step that is about to begin, with the exact prompt that it will send."""

    agent: Agent
    messages: list[Message]
    """What was claimed, and will be entered. `next()` gives a decision about it."""
    turn: int
    step: int
    signal: CancelSignal
    system: str
    tools: Sequence[Mapping[str, Any]]
    context: str
    """The rendered runtime context; a snapshot of it follows the messages if it is due."""
    due: Sequence[Message] = ()
    """Messages that packages want said with this request, as things stand: they go ahead of the snapshot."""


@dataclass(frozen=True, slots=True)
class Enter:
    """Go on, with these messages."""

    messages: Sequence[Message]


@dataclass(frozen=True, slots=True)
class Reject:
    """End the turn as blocked, before the step begins."""

    reason: str = ""


@dataclass(slots=True)
class RequestProposal:
    """A request whose call configuration listeners may still change: they return another one."""

    agent: Agent
    config: CallConfig
    turn: int
    step: int
    attempt: int
    signal: CancelSignal


@dataclass(slots=True)
class TurnStopping:
    """A turn that is about to end for want of work."""

    agent: Agent
    turn: int
    step: int
    reason: str
    """Kind of the reason that `turn/end` will record."""
    signal: CancelSignal


@dataclass(frozen=True, slots=True)
class StatusChange:
    """An agent has begun to run, or has become idle."""

    agent: Agent
    status: Literal["idle", "running"]


@dataclass(frozen=True, slots=True)
class TurnFailure:
    """A turn has ended with an error. The loop lives on."""

    agent: Agent
    turn: int
    failure: Mapping[str, Any]
    """As `turn/end` records it."""
    error: BaseException


PRE_STEP = Event("agent/pre-step", "waterfall", (PreStep,))
REQUEST = Event("agent/request", "waterfall", (RequestProposal,))
TURN_STOPPING = Event("agent/turn-stopping", "serial", (TurnStopping,))
STATUS = Event("agent/status", "emit", (StatusChange,))
ERROR = Event("agent/error", "emit", (TurnFailure,))
SETUP = Event("agent/setup", "serial", (object,))
"""An agent is set up, and nobody knows of it yet: what a listener registers through `agent.ctx`, or says to it,
is there before its first turn. One that raises ends the creation."""
CREATED = Event("agent/created", "emit", (object,))
"""An agent was published."""
REMOVED = Event("agent/removed", "emit", (object,))
"""An agent is gone: its log is closed, and nothing of it runs."""

ALL_EVENTS = (PRE_STEP, REQUEST, TURN_STOPPING, STATUS, ERROR, SETUP, CREATED, REMOVED)
