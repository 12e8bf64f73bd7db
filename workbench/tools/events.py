"""The events of the pipeline, and the one payload that each of them passes.

Source: docs/tools.md 9.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.core import Event
from workbench.tools.calls import CancelLike, ToolResult

if TYPE_CHECKING:
    from workbench.core.scopes import ScopeKey


@dataclass(slots=True)
class Invocation:
    """One call on its way through the pipeline: the payload of `tools/pre-execute` and `tools/execute`."""

    id: str
    name: str
    arguments: Mapping[str, Any] | str
    """Frozen. A text where the model's arguments were no JSON."""
    agent: Any
    """Who calls; None outside of an agent."""
    scope: ScopeKey | None
    turn: int
    step: int
    owner: str
    """The plugin that registered the tool; empty when there is no such tool."""
    signal: CancelLike
    """Cancels the body. A listener of `tools/execute` may put another one in its place, before `next()`."""
    parent_id: str = ""
    """For a sub-call of a program: the call that it belongs to."""
    root_id: str = ""
    """The call of the model that it belongs to; its own id for a call of the model."""

    @property
    def session_id(self) -> str:
        """The session of the agent; empty outside of an agent."""
        return str(getattr(self.agent, "id", "") or "")


@dataclass(frozen=True, slots=True)
class Settled:
    """A call and its result: the payload of `tools/post-execute`, where the result is still a proposal,
    and of `tools/result`, where it is final."""

    call: Invocation
    result: ToolResult

    @property
    def id(self) -> str:
        return self.call.id

    @property
    def name(self) -> str:
        return self.call.name

    @property
    def agent(self) -> Any:
        return self.call.agent


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A call that waits for somebody to allow it."""

    id: str
    """`ask-<n>`, counted per runtime."""
    call: Invocation
    reason: str
    asked_at: float = field(compare=False)
    """`time.time()`."""


PRE_EXECUTE = Event("tools/pre-execute", "waterfall", (Invocation,))
"""Gives a decision: allow, deny or ask. Guards follow, whatever it is."""
EXECUTE = Event("tools/execute", "waterfall", (Invocation,))
"""Around the body; gives its outcome."""
POST_EXECUTE = Event("tools/post-execute", "waterfall", (Settled,))
"""Gives a decision about the result: accept or block."""
RESULT = Event("tools/result", "emit", (Settled,))
"""The final outcome. What an observer raises is only logged."""
CHANGE = Event("tools/change", "emit")
"""Registrations, restrictions, guards or presentations have changed."""
APPROVAL = Event("tools/approval", "emit", (ApprovalRequest, str))
"""An approval is asked for (`pending`), or has ended: `allowed-once`, `denied`, `cancelled`."""
PIPELINE_EVENTS = (PRE_EXECUTE, EXECUTE, POST_EXECUTE, RESULT, APPROVAL)
