"""The format of a composition file: which key is read how.

Source: docs/compositions.md 2 to 9.
"""

from __future__ import annotations

import math
from collections.abc import Mapping as MappingOf

from workbench.config.check_entries import CHECK, limit
from workbench.config.model import (
    AgentEntry,
    CompositionEntries,
    ContextEntry,
    ImportEntry,
    PluginEntry,
    RestrictionEntry,
    ScopeEntry,
    SectionEntry,
    ToolEntry,
    VariableEntry,
)
from workbench.config.model_entries import MODEL, number
from workbench.config.nodes import TEXT_TAGS, Mapping, Node, Path, Scalar, Sequence
from workbench.config.problems import did_you_mean
from workbench.config.readers import (
    Reader,
    Reading,
    Wrong,
    data,
    flag,
    kind_of,
    line,
    listing,
    mapping_data,
    optional,
    shape,
    string,
    text,
)
from workbench.prompt import CONTEXT_POSITIONS, SECTION_POSITIONS


def read_entries(reading: Reading, node: Node) -> CompositionEntries:
    """The whole file, as far as it can be read; what cannot is in `reading.problems`."""
    _refuse_tags(reading, node, reading.prefix, set())
    try:
        return _COMPOSITION(reading, node, reading.prefix)
    except Wrong as wrong:
        reading.report(wrong, reading.prefix)
        return CompositionEntries()


def order_in(positions: MappingOf[str, object]) -> Reader[float | str]:
    """A finite number, or the key of a position."""

    def read_order(reading: Reading, node: Node, path: Path) -> float | str:
        value = node.value if isinstance(node, Scalar) else None
        if isinstance(value, str):
            if value not in positions:
                remedy = did_you_mean(value.upper(), positions, "give a number or the key of a position")
                raise Wrong(node.start, f'there is no position "{value}"', remedy)
            return value
        if isinstance(value, bool) or not isinstance(value, int | float):
            remedy = "give a number or the key of a position"
            raise Wrong(node.start, f"an order was expected, and this is {kind_of(node)}", remedy)
        if not math.isfinite(value):
            raise Wrong(node.start, "an order must be finite")
        return value

    return read_order


def _refuse_tags(reading: Reading, node: Node, path: Path, seen: set[int]) -> None:
    """Tags would call for code; a composition is data."""
    if id(node) in seen:
        return
    seen.add(id(node))
    if node.tag not in TEXT_TAGS:
        remedy = "remove it, or quote a text that begins with an exclamation mark"
        reading.report(Wrong(node.start, f"the tag {node.tag} is not read here", remedy), path)
    if isinstance(node, Mapping):
        for key, entry in node.entries.items():
            _refuse_tags(reading, entry.value, (*path, key), seen)
    elif isinstance(node, Sequence):
        for index, item in enumerate(node.items):
            _refuse_tags(reading, item, (*path, index), seen)


def _include(reading: Reading, node: Node, path: Path) -> tuple[str, ...]:
    """One file, or several."""
    if isinstance(node, Scalar) and isinstance(node.value, str):
        return (line(reading, node, path),)
    return listing(line)(reading, node, path)


def _plugin(reading: Reading, node: Node, path: Path) -> PluginEntry:
    if isinstance(node, Scalar):
        return PluginEntry(at=path, use=line(reading, node, path))
    return _PLUGIN(reading, node, path)


_IN_A_FILE = {"file": "write `text: {file: …}`"}
_ENCLOSING = "name the scope around it with `scope:`"

_SCOPE = shape(
    ScopeEntry,
    {"parent": _ENCLOSING, "in": _ENCLOSING, "within": _ENCLOSING},
    name=line,
    scope=optional(line),
)
_AGENT = shape(
    AgentEntry,
    {"id": "call it `name:`"},
    name=line,
    scope=optional(line),
    parent=optional(line),
    model=optional(string),
    provider=optional(string),
    cwd=optional(string),
    persona=text,
    max_tokens=optional(limit),
    temperature=optional(number),
    reasoning_effort=optional(line),
)
_PLUGIN = shape(
    PluginEntry,
    {"name": "name the plugin with `use:`", "enabled": "write `disabled: true` to switch a plugin off"},
    use=line,
    config=data,
    scope=optional(line),
    disabled=flag,
)
_SECTION = shape(
    SectionEntry,
    _IN_A_FILE,
    name=line,
    order=order_in(SECTION_POSITIONS),
    text=text,
    scope=optional(line),
    literal=flag,
    complete=flag,
)
_CONTEXT = shape(
    ContextEntry,
    _IN_A_FILE | {"complete": "only a section can be complete"},
    name=line,
    order=order_in(CONTEXT_POSITIONS),
    text=text,
    scope=optional(line),
    literal=flag,
)
_VARIABLE = shape(
    VariableEntry,
    {"text": "a variable has a `value:`", "file": "write `value: {file: …}`"},
    name=line,
    value=optional(text),
    scope=optional(line),
)
_TOOL = shape(
    ToolEntry,
    {"inputSchema": "call it `parameters:`", "input_schema": "call it `parameters:`"},
    name=line,
    description=text,
    parameters=mapping_data,
    scope=optional(line),
)
_RESTRICTION = shape(
    RestrictionEntry,
    scope=line,
    allow=optional(listing(line)),
    deny=optional(listing(line)),
)
_IMPORT = shape(
    ImportEntry,
    {"file": "name the file by what it is: `tools:`, `instructions:` or `markdown:`"},
    tools=line,
    instructions=line,
    markdown=line,
    scope=optional(line),
    name=line,
    order=order_in(SECTION_POSITIONS),
    only=listing(line),
    root=line,
    limit=limit,
)
_COMPOSITION = shape(
    CompositionEntries,
    {"includes": "call it `include:`", "extends": "call it `include:`", "import": "call it `imports:`"},
    description=string,
    include=_include,
    imports=listing(_IMPORT),
    persona=text,
    include_harness_identity=flag,
    include_runtime_context=flag,
    tool_order=optional(listing(line)),
    scopes=listing(_SCOPE),
    agents=listing(_AGENT),
    plugins=listing(_plugin),
    sections=listing(_SECTION),
    contexts=listing(_CONTEXT),
    variables=listing(_VARIABLE),
    tools=listing(_TOOL),
    restrictions=listing(_RESTRICTION),
    check=optional(CHECK),
    models=listing(MODEL),
    session_log=optional(line),
)
