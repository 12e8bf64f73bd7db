"""Failure records: what a log and a person are told of an exception.

Source: docs/agents.md 3.
"""

from __future__ import annotations

from typing import Any

from workbench.agent.options import AgentError
from workbench.models.errors import failure_of as model_failure_of
from workbench.values.foreign_text import clean_text


def failure_of(error: BaseException) -> dict[str, Any]:
    """`{message, code, …}`. What is no provider's own error has the code `UNKNOWN` and its whole cause chain.

    Listeners that run together raise a group; where only one of them failed, it is told of that one.
    """
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    record: dict[str, Any] = dict(model_failure_of(error))
    if isinstance(error, AgentError):
        record = {"message": clean_text(str(error)), "code": error.code}
    return record
