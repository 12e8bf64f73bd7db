"""The events of the pipeline, and the one payload that each of them passes.

Plain classes, since every command loads this module: a dataclass takes longer to make than all of it.

Source: docs/tools.md 9.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.core import Event

if TYPE_CHECKING:
    from workbench.core.scopes import ScopeKey
    from workbench.tools.calls import CancelLike, ToolResult


class Invocation:
    """One call on its way through the pipeline: the payload of `tools/pre-execute` and `tools/execute`.

    Nothing of it can be changed but `signal`.
    """

    __slots__ = (
        "agent",
        "arguments",
        "id",
        "name",
        "owner",
        "parent_id",
        "root_id",
        "scope",
        "signal",
        "step",
        "turn",
    )

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
    parent_id: str
    """For a sub-call of a program: the call that it belongs to; else empty."""
    root_id: str
    """The call of the model that it belongs to; its own id for a call of the model."""

    def __init__(
        self,
        id: str,
        name: str,
        arguments: Mapping[str, Any] | str,
        *,
        agent: Any,
        scope: ScopeKey | None,
        turn: int,
        step: int,
        owner: str,
        signal: CancelLike,
        parent_id: str = "",
        root_id: str = "",
    ) -> None:
        given = {"id": id, "name": name, "arguments": arguments, "agent": agent, "scope": scope, "turn": turn}
        given |= {"step": step, "owner": owner, "signal": signal, "parent_id": parent_id}
        for field, value in given.items():
            object.__setattr__(self, field, value)
        object.__setattr__(self, "root_id", root_id or id)

    def __setattr__(self, name: str, value: object) -> None:
        if name != "signal":
            raise AttributeError(f"{name!r} of a call cannot be changed; only its signal can be replaced")
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"Invocation({self.id!r}, {self.name!r})"

    @property
    def session_id(self) -> str:
        """The session of the agent; empty outside of an agent."""
        return str(getattr(self.agent, "id", "") or "")


class Settled:
    """A call and its result: the payload of `tools/post-execute`, where the result is still a proposal,
    and of `tools/result`, where it is final."""

    __slots__ = ("_call", "_result")

    def __init__(self, call: Invocation, result: ToolResult) -> None:
        self._call = call
        self._result = result

    @property
    def call(self) -> Invocation:
        return self._call

    @property
    def result(self) -> ToolResult:
        return self._result

    @property
    def id(self) -> str:
        return self._call.id

    @property
    def name(self) -> str:
        return self._call.name

    @property
    def agent(self) -> Any:
        return self._call.agent


class ApprovalRequest:
    """A call that waits for somebody to allow it."""

    __slots__ = ("asked_at", "call", "id", "reason")

    def __init__(self, id: str, call: Invocation, reason: str, asked_at: float) -> None:
        self.id = id
        """`ask-<n>`, counted per registry."""
        self.call = call
        self.reason = reason
        self.asked_at = asked_at
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
"""Registrations, restrictions, presentations or guards have changed."""
APPROVAL = Event("tools/approval", "emit", (ApprovalRequest, str))
"""An approval is `pending`, or has ended: `allowed-once`, `denied`, `cancelled`."""
ALL_EVENTS = (CHANGE, PRE_EXECUTE, EXECUTE, POST_EXECUTE, RESULT, APPROVAL)
