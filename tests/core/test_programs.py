"""Whatever happens in between, the same live fibers give the same snapshot (spec: Nothing is left)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.support.program_world import execute
from tests.support.programs import Program, programs
from tests.support.registrations import CALM, REGISTRATIONS
from tests.support.searches import RELAXED, search

PROGRAMS = programs(tuple(REGISTRATIONS), CALM, ("emit", "emit", "waterfall", "waterfall", "serial", "parallel"))


@given(program=PROGRAMS)
@settings(RELAXED, max_examples=150, derandomize=True)
def test_random_programs_leave_nothing(program: Program) -> None:
    execute(program)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("part", range(5))
def test_ten_thousand_random_programs_leave_nothing(part: int) -> None:
    search(execute, PROGRAMS, 2_000, part)
