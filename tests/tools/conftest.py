"""A running tool registry."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.plugins import Key
from tests.support.tool_calls import Caller, Echo
from workbench.core import Context, Runtime, Scope, create_scope
from workbench.prompt import PromptConfig, SystemPrompt
from workbench.tools import ToolRegistry, ToolsFacade


@pytest.fixture
async def rt() -> AsyncIterator[Runtime]:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig())
        await runtime.root.plugin(ToolRegistry)
        yield runtime


@pytest.fixture
def root(rt: Runtime) -> Context:
    return rt.root


@pytest.fixture
def tools(root: Context) -> ToolsFacade:
    facade: ToolsFacade = root.tools
    return facade


@pytest.fixture
def outer(root: Context) -> Scope:
    return create_scope(root, Key("outer"))


@pytest.fixture
def inner(root: Context, outer: Scope) -> Scope:
    """A scope below `outer`."""
    return create_scope(root, Key("inner"), parent=outer.key)


@pytest.fixture
def caller(root: Context) -> Caller:
    return Caller(root)


@pytest.fixture
def echo(tools: ToolsFacade) -> Echo:
    return Echo(tools)
