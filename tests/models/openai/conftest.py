"""Endpoints on loopback, and providers that ask them; their connections are closed at the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest

from tests.support.model_server import Answer, ModelServer
from workbench.models.openai import OpenAIProvider, OpenAISettings

Ask = Callable[..., Awaitable["Endpoint"]]


class Endpoint:
    """A server and a provider that asks it."""

    def __init__(self, server: ModelServer, provider: OpenAIProvider) -> None:
        self.server = server
        self.provider = provider


@pytest.fixture
async def endpoint() -> AsyncIterator[Ask]:
    """Start a server with these answers; further arguments are settings of the provider."""
    async with AsyncExitStack() as stack:

        async def start(*answers: Answer, **settings: Any) -> Endpoint:
            server = await stack.enter_async_context(ModelServer(answers))
            provider = OpenAIProvider(OpenAISettings(server.base_url, **settings))
            stack.push_async_callback(provider.aclose)
            return Endpoint(server, provider)

        yield start
    for _ in range(20):
        await asyncio.sleep(0)
    left = {task for task in asyncio.all_tasks() if task is not asyncio.current_task()}
    assert not left, "tasks outlive the provider"
