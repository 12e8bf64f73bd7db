"""What a model provider is, and the call that it is asked for.

Source: docs/models.md 3.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from workbench.models.chunks import Chunk
from workbench.models.request import CallConfig, ModelRequest


@dataclass(frozen=True, slots=True)
class ModelCall:
    """Which call of which session this is; a provider may bind recorded answers to it."""

    session_id: str
    turn: int
    step: int
    attempt: int = 1
    """From 1; a retry in the same step has the next number."""
    purpose: Literal["step", "compaction"] = "step"


@runtime_checkable
class ModelProvider(Protocol):
    """Answers requests. One `stream` is one attempt: providers never retry by themselves."""

    @property
    def name(self) -> str:
        """What a call configuration names."""
        ...

    def stream(self, request: ModelRequest, call: ModelCall) -> AsyncIterator[Chunk]:
        """The answer, chunk by chunk; the last one is `finish`.

        A failure is a `ModelError`, or a `finish` of reason `error`. To cancel, cancel the task that
        waits, or close the iterator: when that returns, nothing of the call is left.
        """
        ...

    def context_window(self, model: str) -> int | None:
        """Tokens that the model reads and writes in one call; None when it is not known."""
        ...

    def defaults(self, config: CallConfig) -> Mapping[str, Any]:
        """Attributes of `CallConfig` that this provider fills in where the configuration has none."""
        ...
