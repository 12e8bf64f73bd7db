"""When a failed attempt is tried again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.models import ModelError, RetryPolicy, delay_ms
from workbench.models.errors import RETRYABLE

BUSY = ModelError("SERVER", "busy")


def middle() -> float:
    return 0.5


def test_delays_double_up_to_their_limit() -> None:
    assert [delay_ms(BUSY, number, middle) for number in range(1, 7)] == [500, 1000, 2000, 4000, 8000, None]
    patient = RetryPolicy(max_retries=1000)
    assert delay_ms(BUSY, 6, middle, patient) == 10_000
    assert delay_ms(BUSY, 1000, middle, patient) == 10_000


@given(st.integers(1, 5), st.floats(0, 1, exclude_max=True))
def test_jitter_is_a_tenth(number: int, chance: float) -> None:
    delay = delay_ms(BUSY, number, lambda: chance)
    exact = 500 * 2 ** (number - 1)
    assert delay is not None
    assert exact * 0.9 - 1 <= delay <= min(10_000, exact * 1.1 + 1)


@pytest.mark.parametrize(("asked", "delay"), [(0, 0), (1000, 1000), (10_000, 10_000), (10_001, None)])
def test_what_the_server_asks_for_replaces_the_delay(asked: int, delay: int | None) -> None:
    error = ModelError("RATE_LIMIT", "slow down", 429, asked)
    assert delay_ms(error, 3, lambda: pytest.fail("no chance is needed")) == delay
    assert delay_ms(error, 6, middle) is None


def test_only_some_codes_are_tried_again() -> None:
    assert {"RATE_LIMIT", "SERVER", "TIMEOUT", "TRANSPORT", "EMPTY_RESPONSE"} == RETRYABLE
    for code in ("AUTH", "QUOTA", "STREAM_CLOSED", "MALFORMED_RESPONSE", "ABORTED", "NO_ROUTE", "of others"):
        assert delay_ms(ModelError(code, "no", None, 5), 1, middle) is None
