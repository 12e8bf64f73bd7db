"""A registry whose tools are presented as code."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from tests.support.tool_calls import Caller
from workbench.core import Context, Runtime
from workbench.plugins import first_party
from workbench.prompt import PromptConfig, SystemPrompt, ToolSchema
from workbench.tools import ToolRegistry
from workbench.tools.pipeline import ToolResult, ToolRun

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
Run = Callable[..., Awaitable[ToolResult]]


@pytest.fixture
async def root() -> AsyncIterator[Context]:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig(include_harness_identity=False))
        await runtime.root.plugin(ToolRegistry)
        await runtime.root.plugin(first_party("code_mode"), {"time_limit_seconds": 60})
        yield runtime.root


@pytest.fixture
def run(caller: Caller) -> Run:
    """Run a program, and give the result of the call."""
    numbers = iter(range(1, 1000))

    async def run(code: str) -> ToolResult:
        return await caller.one("run_code", {"code": code, "description": "a test"}, f"c{next(numbers)}")

    return run


@pytest.fixture
def echoed(root: Context) -> list[str]:
    """A tool `echo`, and what it was asked to say."""
    said: list[str] = []

    async def echo(arguments: Any, _run: ToolRun) -> str:
        await asyncio.sleep(0)
        said.append(arguments["text"])
        return f"echo: {arguments['text']}"

    root.tools.register(ToolSchema("echo", "Says it again.", TEXT), echo, is_concurrency_safe=True)
    return said
