"""A world for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.dynamic.world import World, world


@pytest.fixture
async def w() -> AsyncIterator[World]:
    async with world() as made:
        yield made
