"""The named order allocation, against the live service."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from workbench.core import Runtime
from workbench.prompt import CONTEXT_POSITIONS, SECTION_POSITIONS, PromptConfig, PromptFacade, SystemPrompt

ALLOCATION: dict[str, Any] = json.loads(
    (Path(__file__).parent / "prompt-order-allocation.json").read_text(encoding="utf-8")
)


@pytest.fixture
async def prompt() -> AsyncIterator[PromptFacade]:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig())
        yield runtime.root.system_prompt


@pytest.mark.parametrize("entry", ALLOCATION["sections"], ids=lambda entry: entry["key"])
async def test_section_position(entry: dict[str, Any], prompt: PromptFacade) -> None:
    assert prompt.get_section_order(entry["key"]) == entry["order"]


@pytest.mark.parametrize("entry", ALLOCATION["contexts"], ids=lambda entry: entry["key"])
async def test_context_position(entry: dict[str, Any], prompt: PromptFacade) -> None:
    assert prompt.get_context_order(entry["key"]) == entry["order"]


async def test_section_positions_are_integers_at_least_ten_apart(prompt: PromptFacade) -> None:
    orders = sorted(prompt.get_section_order(key) for key in SECTION_POSITIONS)
    assert all(type(order) is int for order in orders)
    assert all(after - before >= 10 for before, after in pairwise(orders))


async def test_context_positions_are_distinct_integers(prompt: PromptFacade) -> None:
    orders = [prompt.get_context_order(key) for key in CONTEXT_POSITIONS]
    assert all(type(order) is int for order in orders)
    assert len(set(orders)) == len(orders)


@pytest.mark.parametrize("key", ["TOOL_SHELL", "tool:bash", "SANDBOX_POLICY"])
async def test_an_unknown_section_key_raises(key: str, prompt: PromptFacade) -> None:
    with pytest.raises(Exception, match=key):
        prompt.get_section_order(key)
