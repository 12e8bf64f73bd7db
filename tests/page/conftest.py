"""One browser for all tests of a session; each test has a context of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from tests.support.browser import Web, chromium, web, why_not

if TYPE_CHECKING:
    from playwright.async_api import Browser


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    reason = why_not()
    if reason:
        pytest.skip(reason)
    async with chromium() as started:
        yield started


@pytest_asyncio.fixture(loop_scope="session")
async def opened(browser: Browser) -> AsyncIterator[Web]:
    """A world whose page can be opened."""
    async with web(browser) as made:
        yield made
