"""What the model is told of the limits is what is enforced; and looking at a prompt loads none of it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from tests.support.tool_calls import FakeAgent
from workbench.plugins.machine import policy
from workbench.plugins.machine.places import Places
from workbench.plugins.machine.policy import policy_text

ALL = ("fs", "shell", "web")


@pytest.mark.parametrize("enforces", [True, False])
def test_the_text_says_what_holds(monkeypatch: pytest.MonkeyPatch, enforces: bool) -> None:
    monkeypatch.setattr(policy, "confines_commands", lambda: enforces)
    agent: Any = FakeAgent(cwd="/w")
    confined = policy_text(ALL, Places(True, ("/extra",), ("/docs",)), agent)
    assert "working directory /w, and below /extra" in confined
    assert "read below /docs" in confined
    assert ("the system refuses" in confined) == enforces
    assert ("Nothing but this rule" in confined) != enforces
    free = policy_text(ALL, Places(False), agent)
    assert "every path" in free
    assert "all the rights" in free
    assert "the working directory" in policy_text(("fs",), Places(), None)
    assert policy_text(("web",), Places(), agent) == ""


def test_looking_at_a_prompt_loads_nothing_that_only_calls_need() -> None:
    program = """
import asyncio, sys
from workbench.core import Runtime
from workbench.plugins import first_party
from workbench.prompt import PromptConfig, SystemPrompt
from workbench.tools import ToolRegistry
async def main():
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig())
        await runtime.root.plugin(ToolRegistry)
        for name in "machine tool_policy files shell jobs todo web code_mode structured_output".split():
            await runtime.root.plugin(first_party(name))
        await runtime.root.system_prompt.assemble()
asyncio.run(main())
heavy = {"jsonschema", "httpx", "pathspec", "bs4", "workbench.models", "workbench.tools.executor"}
print(sorted(heavy & sys.modules.keys()))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
