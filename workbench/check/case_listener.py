"""Listeners of `system-prompt/assemble` that do what a case lists."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from copy import deepcopy
from typing import Any, assert_never

from workbench.check.case_format import ops
from workbench.check.case_format.entries import ListenerEntry
from workbench.check.case_format.values import Schema, TextEntry
from workbench.prompt import AssembleContext, NamedText, PromptAssembly, ToolSchema

Next = Callable[[], Awaitable[PromptAssembly]]
Listener = Callable[[PromptAssembly, AssembleContext, Next], Awaitable[PromptAssembly]]


class CaseRaised(Exception):
    """What a case makes one of its providers, listeners or observers raise."""


def waterfall_listener(entry: ListenerEntry, assembly_number: Callable[[], int]) -> Listener:
    """The listener that performs the entry's ops in order on the current assembly, and returns that.

    `assembly_number` tells which assembly of the case is running, for `only_assembly`.
    """

    async def case_listener(assembly: PromptAssembly, context: AssembleContext, next: Next) -> PromptAssembly:
        if entry.only_assembly not in (None, assembly_number()):
            return await next()
        current = assembly
        for op in entry.ops:
            match op:
                case ops.Next():
                    current = await next()
                case ops.Stop():
                    break
                case ops.Raise():
                    raise CaseRaised(op.message)
                case ops.NewAssembly():
                    current = _new_assembly(op)
                case _:
                    _edit(current, op)
        return current

    return case_listener


Edit = (
    ops.AppendSection
    | ops.RemoveSection
    | ops.ReplaceSection
    | ops.ClearSections
    | ops.AppendContext
    | ops.SetVariable
    | ops.AppendTool
    | ops.DropTool
    | ops.SetToolParameter
)


def _edit(assembly: PromptAssembly, op: Edit) -> None:
    match op:
        case ops.AppendSection():
            assembly.sections.append(NamedText(op.name, op.text, literal=op.literal))
        case ops.RemoveSection():
            assembly.sections[:] = [section for section in assembly.sections if section.name != op.name]
        case ops.ReplaceSection():
            for section in assembly.sections:
                if section.name == op.name:
                    section.text = op.text
                    section.literal = section.literal if op.literal is None else op.literal
        case ops.ClearSections():
            assembly.sections.clear()
        case ops.AppendContext():
            assembly.contexts.append(NamedText(op.name, op.text, literal=op.literal))
        case ops.SetVariable():
            assembly.variables[op.name] = op.value
        case ops.AppendTool():
            assembly.tools.append(_tool(op.schema_))
        case ops.DropTool():
            assembly.tools[:] = [tool for tool in assembly.tools if tool.name != op.name]
        case ops.SetToolParameter():
            for tool in assembly.tools:
                if tool.name == op.tool:
                    _set_inside(tool.parameters, op.path, op.value)
        case _:
            assert_never(op)


def _set_inside(parameters: dict[str, Any], path: list[str | int], value: Any) -> None:
    holder: Any = parameters
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = deepcopy(value)


def _new_assembly(op: ops.NewAssembly) -> PromptAssembly:
    return PromptAssembly(
        sections=[_named_text(entry) for entry in op.sections],
        contexts=[_named_text(entry) for entry in op.contexts],
        tools=[_tool(schema) for schema in op.tools],
        variables=dict(op.variables),
    )


def _named_text(entry: TextEntry) -> NamedText:
    return NamedText(entry.name, entry.text, literal=entry.literal)


def _tool(schema: Schema) -> ToolSchema:
    return ToolSchema(schema.name, schema.description, deepcopy(schema.parameters))
