"""A world for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.dynamic.world import World, world

PATIENT_BUDGET_MS = 30_000
"""What is not about the budget must not depend on what else the machine does."""


@pytest.fixture
async def w() -> AsyncIterator[World]:
    async with world(PATIENT_BUDGET_MS) as made:
        yield made
