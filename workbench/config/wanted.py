"""What the entries of a composition ask the registries for, each under the identity that an edit leaves it.

Source: docs/compositions.md 2 to 9 and 13.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.config.composition import Composition
from workbench.config.model import ContextEntry, SectionEntry, Text, ToolEntry, VariableEntry
from workbench.config.nodes import Path
from workbench.prompt import ToolSchema
from workbench.prompt.source import TextSource
from workbench.tools.registration import RUN_CODE

if TYPE_CHECKING:
    from workbench.core import Context, Effect
    from workbench.prompt import AssembleContext

PERSONA = "deployment:persona"


class EntryKey(NamedTuple):
    """Which entry it is."""

    kind: str
    """`section`, `context`, `variable` or `tool`."""
    layer: str | None
    """Label of its scope; None is the global layer."""
    name: str


class Wanted(NamedTuple):
    """One registration that an entry asks for."""

    content: str
    """All that the registry is given but the place; equal for equal registrations."""
    source: TextSource
    path: Path
    """Where the registry's complaint belongs."""
    register: Callable[[Context], Effect]
    """Registers it in the layer of a context. Raises what the registry raises."""


def wanted_entries(composition: Composition) -> dict[EntryKey, Wanted]:
    """In the order of the file, kind by kind."""
    return dict(_wanted(composition))


def _wanted(composition: Composition) -> Iterator[tuple[EntryKey, Wanted]]:
    entries = composition.entries
    for agent in entries.agents:
        if agent.persona is not None:
            persona = SectionEntry(PERSONA, "DEPLOYMENT_PERSONA", agent.persona)
            yield EntryKey("section", agent.name, PERSONA), _section(persona, (*agent.at, "persona"))
    for section in entries.sections:
        yield EntryKey("section", section.scope, section.name), _section(section, (*section.at, "name"))
    for context in entries.contexts:
        yield EntryKey("context", context.scope, context.name), _context(context)
    for variable in entries.variables:
        key = EntryKey("variable", variable.scope, variable.name)
        if variable.value is not None:
            source = variable.value.source
        else:
            place = composition.document.position(composition.document.offset(variable.at))
            source = TextSource(place.file, place.line, place.column, None)
        yield key, _variable(variable, source)
    for tool in entries.tools:
        yield EntryKey("tool", tool.scope, tool.name), _tool(tool)


def _section(entry: SectionEntry, path: Path) -> Wanted:
    def register(ctx: Context) -> Effect:
        prompt = ctx.system_prompt
        effect: Effect = prompt.section(
            entry.name,
            _order(entry.order, prompt.get_section_order),
            entry.text.value,
            complete=entry.complete,
            literal=entry.literal,
            source=entry.text.source,
        )
        return effect

    content = f"{entry.order!r} {entry.complete} {entry.literal} {entry.text.value}"
    return Wanted(content, entry.text.source, path, register)


def _context(entry: ContextEntry) -> Wanted:
    def register(ctx: Context) -> Effect:
        prompt = ctx.system_prompt
        effect: Effect = prompt.context(
            entry.name,
            _order(entry.order, prompt.get_context_order),
            entry.text.value,
            literal=entry.literal,
            source=entry.text.source,
        )
        return effect

    content = f"{entry.order!r} {entry.literal} {entry.text.value}"
    return Wanted(content, entry.text.source, (*entry.at, "name"), register)


def _variable(entry: VariableEntry, source: TextSource) -> Wanted:
    value = None if entry.value is None else entry.value.value

    def register(ctx: Context) -> Effect:
        effect: Effect = ctx.system_prompt.variable(entry.name, _constant(entry.value), source=source)
        return effect

    return Wanted(repr(value), source, (*entry.at, "name"), register)


def _tool(entry: ToolEntry) -> Wanted:
    parameters = {"type": "object", "properties": {}} if entry.parameters is None else entry.parameters

    def register(ctx: Context) -> Effect:
        schema = ToolSchema(entry.name, entry.description.value, parameters)
        # Of a request that another harness sent, `run_code` can be shown; only code mode can call it.
        take = ctx.tools.show if entry.name == RUN_CODE else ctx.tools.register
        effect: Effect = take(schema, source=entry.description.source)
        return effect

    content = f"{entry.description.value!r} {parameters!r}"
    return Wanted(content, entry.description.source, (*entry.at, "name"), register)


def _order(order: float | str, lookup: Callable[[str], int]) -> float:
    return lookup(order) if isinstance(order, str) else order


def _constant(value: Text | None) -> Callable[[AssembleContext], Any]:
    text = None if value is None else value.value
    return lambda _: text
