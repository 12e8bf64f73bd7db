"""Prompts of four sizes, the same at every run."""

from __future__ import annotations

import random
from dataclasses import dataclass

from workbench.core import Runtime
from workbench.prompt import AssembleContext, PromptConfig, SystemPrompt, ToolProviderResult, ToolSchema

SIZES = {
    "small": (12, 10, 5, 3, 2),
    "typical": (30, 25, 10, 5, 4),
    "large": (300, 200, 50, 30, 20),
    "huge": (3000, 1000, 300, 100, 50),
}
"""Sections, tools, variables, contexts, listeners."""

WORDS = (
    "agent answer ask branch careful change check command commit context edit error exact file first folder "
    "give keep line list look model never one output path plan prompt read reason result run same section "
    "small state step stop test text tool turn value verify word work write"
).split()


@dataclass(frozen=True, slots=True)
class Workload:
    """What is registered. Half of the texts name variables, half of the variables change at each step."""

    sections: dict[str, str]
    contexts: dict[str, str]
    variables: dict[str, str]
    tools: list[ToolSchema]
    listeners: int


def build(size: str) -> Workload:
    """The workload of one size."""
    sections, tools, variables, contexts, listeners = SIZES[size]
    chance = random.Random(size)
    names = [f"v{number}" for number in range(variables)]

    def text(number: int) -> str:
        words = chance.choices(WORDS, k=70)
        if number % 2 == 0:
            for place in (15, 50):
                words[place] = "{{" + chance.choice(names) + "}}"
        return " ".join(words)

    return Workload(
        sections={f"section:{number:04}": text(number) for number in range(sections)},
        contexts={f"context:{number:03}": text(number) for number in range(contexts)},
        variables={name: f"value-{name}-{'x' * chance.randint(0, 16)}" for name in names},
        tools=[_tool(chance, number) for number in range(tools)],
        listeners=listeners,
    )


def _tool(chance: random.Random, number: int) -> ToolSchema:
    arguments = {
        word: {"type": "string", "description": " ".join(chance.choices(WORDS, k=12))}
        for word in chance.sample(WORDS, 6)
    }
    parameters = {"type": "object", "properties": arguments, "required": list(arguments)[:2]}
    return ToolSchema(f"tool_{number:04}", " ".join(chance.choices(WORDS, k=25)), parameters)


async def registry(runtime: Runtime, workload: Workload, *, listeners: bool = True) -> SystemPrompt:
    """A prompt registry of `runtime` that holds the workload and no text of its own."""
    root = runtime.root
    await root.plugin(SystemPrompt, PromptConfig(include_harness_identity=False))
    prompt: SystemPrompt = root.system_prompt
    for order, (name, text) in enumerate(workload.sections.items(), start=1):
        prompt.section(name, order, text)
    for order, (name, text) in enumerate(workload.contexts.items(), start=1):
        prompt.context(name, order, text)
    for number, (name, value) in enumerate(workload.variables.items()):
        prompt.variable(name, _changing(value) if number % 2 else _steady(value))
    prompt.tools(lambda context: ToolProviderResult(workload.tools))
    for _ in range(workload.listeners if listeners else 0):
        root.on("system-prompt/assemble", _pass_on)
    return prompt


def at_step(step: int) -> AssembleContext:
    """The context of one model step."""
    return AssembleContext(extras={"step": step})


def _steady(value: str):
    return lambda context: value


def _changing(value: str):
    return lambda context: f"{value}{context.extras['step']}"


async def _pass_on(assembly, context, next):
    return await next()
