"""What listeners of `agent/pre-step` and `agent/request` answer, and how an answer is read.

A plain mapping says the same as the classes: `{"kind": "reject", "reason": "no"}`,
`{"kind": "enter", "messages": [...]}`; a mapping of `agent/request` is a call configuration as a log has it.

Source: docs/agents.md 3.
"""

from __future__ import annotations

from collections.abc import Mapping

from workbench.agent.events import Enter, Reject
from workbench.agent.messages import user_message
from workbench.agent.options import AgentError
from workbench.core import Event
from workbench.models.request import CallConfig

LISTENER_NO_RESULT = "LISTENER_NO_RESULT"
INVALID_DECISION = "INVALID_DECISION"


def read_entry(event: Event, given: object) -> Enter | Reject:
    """The answer of `agent/pre-step`. Raises `AgentError`."""
    if isinstance(given, Mapping) and given.get("kind") == "reject":
        return Reject(str(given.get("reason") or ""))
    if isinstance(given, Mapping) and given.get("kind") == "enter":
        given = Enter(given.get("messages") or ())
    if isinstance(given, Reject):
        return given
    if isinstance(given, Enter):
        try:
            return Enter([user_message(message) for message in given.messages])
        except TypeError as error:
            raise AgentError(
                "INVALID_DECISION", f"a listener of {event.name} enters what is no message: {error}"
            ) from error
    raise no_result(event, given, "Enter(messages) or Reject()")


def read_config(event: Event, given: object) -> CallConfig:
    """The answer of `agent/request`. Raises `AgentError`."""
    if isinstance(given, CallConfig):
        return given
    if isinstance(given, Mapping):
        try:
            return CallConfig.from_json(given)
        except ValueError as error:
            raise AgentError(
                "INVALID_DECISION", f"a listener of {event.name} gave a wrong configuration: {error}"
            ) from error
    raise no_result(event, given, "a CallConfig")


def no_result(event: Event, given: object, wanted: str) -> AgentError:
    """The error for a listener that returned nothing, or something else."""
    what = "returned nothing" if given is None else f"gave a {type(given).__name__}"
    code = LISTENER_NO_RESULT if given is None else INVALID_DECISION
    return AgentError(
        code, f"a listener of {event.name} {what}: it must return {wanted}, such as `return await next()`"
    )
