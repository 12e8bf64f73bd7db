"""When a failed attempt is tried again: a pure function.

Source: docs/models.md 7.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.models.errors import ModelError


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often, and how long to wait."""

    max_retries: int = 5
    base_ms: int = 500
    """Before the first retry; each further one waits twice as long."""
    max_ms: int = 10_000
    """The longest delay. A server that asks for more is not asked again."""
    jitter: float = 0.1
    """The share by which a delay is made shorter or longer, so that many clients do not come at once."""


DEFAULT_POLICY = RetryPolicy()


def delay_ms(
    error: ModelError, retry_number: int, random: Callable[[], float], policy: RetryPolicy = DEFAULT_POLICY
) -> int | None:
    """Milliseconds to wait before retry `retry_number` (from 1), or None when there is to be none.

    `random` gives a number from 0 up to 1. A `Retry-After` replaces the delay, exactly.
    """
    if not error.is_retryable or retry_number > policy.max_retries:
        return None
    if error.retry_after_ms is not None:
        return error.retry_after_ms if error.retry_after_ms <= policy.max_ms else None
    delay = policy.base_ms << min(retry_number - 1, 64)
    spread = 1 + policy.jitter * (2 * random() - 1)
    return min(policy.max_ms, round(min(delay, policy.max_ms) * spread))
