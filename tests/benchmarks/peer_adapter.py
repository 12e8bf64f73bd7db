"""This project's side of a side-by-side run against another implementation of the prompt registry.

A driver that knows nothing of us calls `make_adapter(workload, checkout)` and then the methods below. The
workload is plain data: sections, contexts, variables, tools and listeners. A text that is marked as provider
changes at every step. Everything that a user prepares once is prepared in `__init__`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import orjson


def make_adapter(workload: dict, checkout: Path) -> Adapter:
    """The adapter over the package in `checkout`."""
    sys.path.insert(0, str(checkout))
    return Adapter(workload)


BUILT_IN_SECTIONS = 1
"""The persona, empty here, stands in front of the workload's sections."""


class Registry:
    """One runtime with a prompt service on its root."""

    def __init__(self) -> None:
        from workbench.core import Runtime
        from workbench.prompt import PromptConfig, SystemPrompt

        self.runtime = Runtime()
        self.root = self.runtime.root
        SystemPrompt(self.root, PromptConfig(include_harness_identity=False))
        self.prompt = self.root.system_prompt


class Adapter:
    def __init__(self, workload: dict) -> None:
        from workbench.prompt import (
            AssembleContext,
            ToolProviderResult,
            ToolSchema,
            render_context_snapshot,
            render_prompt,
            tools_json,
        )

        self.context = AssembleContext
        self.render_prompt = render_prompt
        self.render_context_snapshot = render_context_snapshot
        self.tools_json = tools_json
        self.sections = [(e["name"], e["order"], _text(e)) for e in workload["sections"]]
        self.contexts = [(e["name"], e["order"], _text(e)) for e in workload["contexts"]]
        self.variables = [(e["name"], _value(e)) for e in workload["variables"]]
        self.listeners = [_listener(e["edit"]) for e in workload["listeners"]]
        extra = workload["extra_section"]
        self.extra = extra["name"], extra["order"], extra["pre"] + extra["post"]

        schemas = [ToolSchema(t["name"], t["description"], t["parameters"]) for t in workload["tools"]]
        size = workload["tools_per_provider"]
        starts = range(0, len(schemas), size)
        results = [ToolProviderResult(tuple(schemas[at : at + size])) for at in starts]
        self.tools = [lambda context, result=result: result for result in results]
        self.raw_tools = [
            lambda context, schemas=workload["tools"][at : at + size]: ToolProviderResult(schemas) for at in starts
        ]

    def fresh(self) -> Registry:
        return Registry()

    def register_all(self, registry, *, listeners=True, tools=True, raw_tools=False) -> list:
        prompt, root = registry.prompt, registry.root
        disposers = [prompt.section(*section) for section in self.sections]
        disposers += [prompt.context(*context) for context in self.contexts]
        disposers += [prompt.variable(*variable) for variable in self.variables]
        if tools:
            disposers += [prompt.tools(provider) for provider in (self.raw_tools if raw_tools else self.tools)]
        if listeners:
            disposers += [root.on("system-prompt/assemble", listener) for listener in self.listeners]
        return disposers

    def register_extra(self, registry):
        return registry.prompt.section(*self.extra)

    def dispose(self, disposer) -> None:
        disposer()

    def make_scope(self, registry) -> object:
        from workbench.core import create_scope

        key = object()
        scoped = create_scope(registry.root, key).ctx.system_prompt
        for number in range(0, len(self.sections), 10):
            name, order, _ = self.sections[number]
            scoped.section(name, order, f"scoped {number}")
        scoped.variable("v0", lambda context: "scoped")
        return key

    async def assemble(self, registry, step: int, scope=None):
        return await registry.prompt.assemble(self.context(scope=scope, extras={"step": step}))

    def render(self, registry, assembly) -> str:
        return self.render_prompt(assembly)

    def snapshot(self, registry, assembly) -> str:
        return self.render_context_snapshot(assembly)

    def tools_plain(self, registry, assembly) -> list[dict]:
        return orjson.loads(assembly.tools_json)

    def request_json(self, registry, assembly) -> bytes:
        return orjson.dumps(
            {
                "system": self.render(registry, assembly),
                "context": self.snapshot(registry, assembly),
                "tools": orjson.Fragment(assembly.tools_json),
            }
        )


def _text(entry: dict):
    pre, post = entry["pre"], entry["post"]
    if entry["provider"]:
        return lambda context: f"{pre}{context.extras['step']}{post}"
    return f"{pre}0{post}"


def _value(entry: dict):
    value = entry["value"]
    if entry["dynamic"]:
        return lambda context: f"{value}{context.extras['step']}"
    return lambda context: value


def _listener(edited: int | None):
    if edited is None:

        async def pass_on(assembly, context, next):
            return await next()

        return pass_on

    async def edit(assembly, context, next):
        assembly.sections[edited + BUILT_IN_SECTIONS].text += f"\n[edited at step {context.extras['step']}]"
        return await next()

    return edit
