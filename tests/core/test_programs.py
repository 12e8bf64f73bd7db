"""Whatever happens in between, the same live fibers give the same snapshot (spec: Nothing is left)."""

from __future__ import annotations

import asyncio
import gc

import pytest
from hypothesis import HealthCheck, given, settings

from tests.support.clock import ClockLoop
from tests.support.programs import PROGRAMS, Program, run

RELAXED = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck), print_blob=False)


def execute(program: Program) -> None:
    gc.disable()  # so that one look at the youngest finds all that the program has left
    try:
        with asyncio.Runner(loop_factory=ClockLoop) as runner:
            runner.run(run(program))
    finally:
        gc.enable()
        gc.collect(1)


@given(program=PROGRAMS)
@settings(RELAXED, max_examples=150, derandomize=True)
def test_random_programs_leave_nothing(program: Program) -> None:
    execute(program)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("part", range(5))
@given(program=PROGRAMS)
@settings(RELAXED, max_examples=2_000)
def test_ten_thousand_random_programs_leave_nothing(part: int, program: Program) -> None:
    """In parts, since the search remembers every program that it has tried."""
    execute(program)
