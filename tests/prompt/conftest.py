"""A running prompt service for every test of the room."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.plugins import Key
from workbench.core import Context, Runtime
from workbench.prompt import PromptConfig, PromptFacade, SystemPrompt


@pytest.fixture
async def rt() -> AsyncIterator[Runtime]:
    """A runtime with the prompt service, without its built-in identity."""
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig(include_harness_identity=False))
        yield runtime


@pytest.fixture
def root(rt: Runtime) -> Context:
    return rt.root


@pytest.fixture
def prompt(root: Context) -> PromptFacade:
    facade: PromptFacade = root.system_prompt
    return facade


@pytest.fixture
def a() -> Key:
    return Key("a")


@pytest.fixture
def b() -> Key:
    return Key("b")
