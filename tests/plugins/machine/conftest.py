"""First-party tools with real files and real processes in a temporary working directory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.tool_calls import Caller, FakeAgent
from workbench.core import Context, Runtime
from workbench.plugins import first_party
from workbench.prompt import PromptConfig, SystemPrompt
from workbench.tools import ToolRegistry
from workbench.tools.pipeline import ToolResult

Use = Callable[..., Awaitable[ToolResult]]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The working directory of the agent."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A directory that the agent has no business in."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.txt").write_text("secret\n")
    return folder


@pytest.fixture
def machine() -> dict[str, Any]:
    """Settings of the plugin; a test module may have its own."""
    return {}


@pytest.fixture
async def root(machine: dict[str, Any]) -> AsyncIterator[Context]:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig(include_harness_identity=False))
        await runtime.root.plugin(ToolRegistry)
        await runtime.root.plugin(first_party("machine"), machine)
        for name in ("files", "shell", "jobs", "todo", "web"):
            await runtime.root.plugin(first_party(name))
        yield runtime.root


@pytest.fixture
def caller(root: Context, work: Path) -> Caller:
    return Caller(root, agent=FakeAgent(cwd=str(work)))


@pytest.fixture
def use(caller: Caller) -> Use:
    """Call a tool with these arguments, and give the result."""
    numbers = iter(range(1, 1000))

    async def use(name: str, **arguments: Any) -> ToolResult:
        return await caller.one(name, arguments, f"c{next(numbers)}")

    return use
