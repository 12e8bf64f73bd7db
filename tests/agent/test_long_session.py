"""A session of thousands of steps keeps memory flat: the bodies of its events live on disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

STEPS = 3000
ALLOWED_MB = 8
"""Growth between the first tenth and the end; eight bytes for each event are a tenth of it."""

PROGRAM = """
import asyncio, gc, os, sys
from workbench.agent import AgentOptions, Agents, Sessions
from workbench.agent.compaction import Compaction
from workbench.core import Runtime
from workbench.models import Models
from workbench.models.chunks import block_end, block_start, finish, text_delta, tool_call_delta
from workbench.prompt import PromptConfig, SystemPrompt, ToolSchema
from workbench.tools import ToolRegistry

STEPS, LOG = int(sys.argv[1]), sys.argv[2]
SAID = "some words that are streamed "
ARGUMENTS = '{"text":"' + "x" * 500 + '"}'


class Provider:
    name, calls = "p", 0

    def context_window(self, model):
        return 8000

    def defaults(self, config):
        return {}

    async def stream(self, request, call):
        yield block_start(0, "text")
        for _ in range(20):
            yield text_delta(0, SAID)
        yield block_end(0, {"type": "text", "text": SAID * 20})
        if call.purpose == "step":
            self.calls += 1
            id = f"c{self.calls}"
            yield block_start(1, "tool-call")
            yield tool_call_delta(1, id, "echo", ARGUMENTS)
            yield block_end(1, {"type": "tool-call", "id": id, "name": "echo", "arguments": ARGUMENTS})
        yield finish("tool-calls" if call.purpose == "step" else "stop")


def resident_mb():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


async def main():
    async with Runtime() as runtime:
        root = runtime.root
        await root.plugin(SystemPrompt, PromptConfig())
        for service in (ToolRegistry, Models, Sessions, Agents, Compaction):
            await root.plugin(service)
        provider = Provider()
        root.models.register(provider)
        root.tools.register(ToolSchema("echo", "", {"type": "object"}), lambda arguments, run: arguments["text"])
        agent = await root.agents.create(AgentOptions(provider="p", model="m"), cwd="/w", path=LOG)
        sizes = []

        def watch(payload, next):
            if payload.step in (STEPS // 10, STEPS):
                sizes.append(resident_mb())
            if payload.step == STEPS:
                agent.cancel()
            return next()

        root.on("agent/pre-step", watch)
        agent.followup("go")
        await agent.when_idle()
        print(sizes[1] - sizes[0], len(agent.messages), len(agent.session.events))


asyncio.run(main())
"""


@pytest.mark.deep
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_memory_stays_flat(tmp_path: Path) -> None:
    command = [sys.executable, "-O", "-c", PROGRAM, str(STEPS), str(tmp_path / "log.jsonl")]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    grown, messages, events = map(float, run.stdout.split())
    assert events > 25 * STEPS
    assert messages < 200
    assert grown < ALLOWED_MB
