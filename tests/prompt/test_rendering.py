"""Whatever is registered, edited and undone in between: an assembly gives what a naive join gives (spec 6, 10)."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings

from tests.prompt.steps import PROGRAMS, Step
from tests.prompt.world import run
from tests.support.searches import RELAXED


@given(program=PROGRAMS)
@settings(RELAXED, max_examples=250, derandomize=True)
def test_random_registries_render_as_the_model_says(program: tuple[Step, ...]) -> None:
    asyncio.run(run(program))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@given(program=PROGRAMS)
@settings(RELAXED, max_examples=10_000)
def test_ten_thousand_random_registries(program: tuple[Step, ...]) -> None:
    asyncio.run(run(program))
