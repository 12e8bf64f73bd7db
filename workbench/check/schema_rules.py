"""What a provider's profile can demand of a tool: one function for each kind of rule.

A function gets the numbers and names that the profile gives, and answers with a function of a tool. Adding
a kind here and its name to a profile is all it takes. Source: docs/checks.md 5.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from workbench.check.json_pointer import step
from workbench.check.schema_nodes import SchemaNode


class ToolSchemaNodes(NamedTuple):
    """A tool as rules see it."""

    name: str
    parameters: Any
    nodes: tuple[SchemaNode, ...]


class Refusal(NamedTuple):
    """Why a tool would be refused."""

    pointer: str
    message: str
    remedy: str


Judge = Callable[[ToolSchemaNodes], Iterator[Refusal]]
Options = Mapping[str, Any]


def name(options: Options) -> Judge:
    """`pattern`: what a name must match over its whole length."""
    pattern = re.compile(options["pattern"])

    def judge(tool: ToolSchemaNodes) -> Iterator[Refusal]:
        if pattern.fullmatch(tool.name) is None:
            yield Refusal("", f"the name must match {pattern.pattern}", "rename the tool")

    return judge


def object_at_top(options: Options) -> Judge:
    """The parameters are of type object."""

    def judge(tool: ToolSchemaNodes) -> Iterator[Refusal]:
        written = tool.parameters.get("type") if isinstance(tool.parameters, dict) else None
        if written != "object":
            message = "the parameters must be of type object at the top"
            yield Refusal("", message, "make the top an object, and other things its properties")

    return judge


def plain_top(options: Options) -> Judge:
    """`keywords`: what must not stand at the top."""
    keywords = tuple(options["keywords"])

    def judge(tool: ToolSchemaNodes) -> Iterator[Refusal]:
        if isinstance(tool.parameters, dict):
            for keyword in keywords:
                if keyword in tool.parameters:
                    remedy = "describe one object, and say in the descriptions what goes together"
                    yield Refusal(step("", keyword), f"{keyword} must not stand at the top", remedy)

    return judge


def of_each_node(look: Callable[[SchemaNode], Iterator[Refusal]]) -> Judge:
    """A rule about every schema inside the parameters."""

    def judge(tool: ToolSchemaNodes) -> Iterator[Refusal]:
        for node in tool.nodes:
            yield from look(node)

    return judge


def array_items(options: Options) -> Judge:
    """An array says what its items are."""

    def look(node: SchemaNode) -> Iterator[Refusal]:
        if "array" in node.types and "items" not in node.schema and "prefixItems" not in node.schema:
            yield Refusal(node.pointer, "an array must have items", "add `items`, such as `{type: string}`")

    return of_each_node(look)


def closed_objects(options: Options) -> Judge:
    """Every object has `additionalProperties: false`."""

    def look(node: SchemaNode) -> Iterator[Refusal]:
        if node.is_object and node.schema.get("additionalProperties") is not False:
            message = "an object must have additionalProperties: false"
            yield Refusal(node.pointer, message, "add `additionalProperties: false`")

    return of_each_node(look)


def all_required(options: Options) -> Judge:
    """Every property of an object is required."""

    def look(node: SchemaNode) -> Iterator[Refusal]:
        required = node.schema.get("required")
        listed = required if isinstance(required, list) else []
        missing = [each for each in node.properties if each not in listed]
        if missing:
            remedy = "list them; what may be left out becomes a union with null"
            yield Refusal(node.pointer, f"required must list every property, and lacks {_some(missing)}", remedy)

    return of_each_node(look)


def refused_keywords(options: Options) -> Judge:
    """`keywords`: what must not stand anywhere."""
    keywords = frozenset(options["keywords"])

    def look(node: SchemaNode) -> Iterator[Refusal]:
        for keyword in node.schema.keys() & keywords:
            yield Refusal(step(node.pointer, keyword), f"{keyword} is not supported", "describe it without")

    return of_each_node(look)


def known_keywords(options: Options) -> Judge:
    """`keywords`: the only ones that are known; any other is refused."""
    keywords = frozenset(options["keywords"])

    def look(node: SchemaNode) -> Iterator[Refusal]:
        for keyword in node.schema:
            if keyword not in keywords:
                remedy = "remove it from what is sent, and say it in a description"
                yield Refusal(step(node.pointer, keyword), f"{keyword} is not known", remedy)

    return of_each_node(look)


def property_keys(options: Options) -> Judge:
    """`pattern`: what the key of a property must match; `where: top` looks at the top alone."""
    pattern = re.compile(options["pattern"])
    at_top = options.get("where") == "top"

    def look(node: SchemaNode) -> Iterator[Refusal]:
        if at_top and node.pointer:
            return
        for key in node.properties:
            if pattern.fullmatch(key) is None:
                pointer = step(step(node.pointer, "properties"), key)
                yield Refusal(pointer, f"the key of a property must match {pattern.pattern}", "rename it")

    return of_each_node(look)


def string_formats(options: Options) -> Judge:
    """`formats`: the only ones that a string may have."""
    formats = frozenset(options["formats"])

    def look(node: SchemaNode) -> Iterator[Refusal]:
        written = node.schema.get("format")
        if "string" in node.types and isinstance(written, str) and written not in formats:
            known = " and ".join(sorted(formats))
            message = f"format {written} is not known for strings, only {known}"
            yield Refusal(step(node.pointer, "format"), message, "say the format in the description")

    return of_each_node(look)


def string_enums(options: Options) -> Judge:
    """An enum stands at a string and lists strings."""

    def look(node: SchemaNode) -> Iterator[Refusal]:
        values = node.schema.get("enum")
        if not isinstance(values, list):
            return
        if node.types != ("string",) or not all(isinstance(each, str) for each in values):
            message = "enum is allowed for type string alone, with texts as values"
            yield Refusal(
                step(node.pointer, "enum"), message, "make it a string, or say the values in the description"
            )

    return of_each_node(look)


def defined_required(options: Options) -> Judge:
    """What is required is a property, too."""

    def look(node: SchemaNode) -> Iterator[Refusal]:
        required = node.schema.get("required")
        if isinstance(required, list):
            for index, key in enumerate(required):
                if not isinstance(key, str) or key not in node.properties:
                    pointer = step(step(node.pointer, "required"), index)
                    yield Refusal(pointer, f"{key} is required and is no property", "define it, or require it not")

    return of_each_node(look)


def valid_2020_12(options: Options) -> Judge:
    """What older drafts wrote differently, or what no draft allows."""
    return of_each_node(_not_2020_12)


def _not_2020_12(node: SchemaNode) -> Iterator[Refusal]:
    schema = node.schema
    remedy = "write it as JSON Schema draft 2020-12 does"
    if isinstance(schema.get("items"), list):
        yield Refusal(
            step(node.pointer, "items"), "items is a list: draft 2020-12 has prefixItems for that", remedy
        )
    for keyword in ("exclusiveMinimum", "exclusiveMaximum"):
        if isinstance(schema.get(keyword), bool):
            yield Refusal(step(node.pointer, keyword), f"{keyword} must be a number", remedy)
    if "required" in schema and not _is_texts(schema["required"]):
        yield Refusal(step(node.pointer, "required"), "required must be a list of names", remedy)
    if "properties" in schema and not isinstance(schema["properties"], dict):
        yield Refusal(step(node.pointer, "properties"), "properties must be an object", remedy)
    if "enum" in schema and not isinstance(schema["enum"], list):
        yield Refusal(step(node.pointer, "enum"), "enum must be a list", remedy)
    if "type" in schema and not (node.types and set(node.types) <= _TYPES):
        yield Refusal(step(node.pointer, "type"), "type must be one of the seven types, or a list of them", remedy)


def property_count(options: Options) -> Judge:
    """`most`: properties in all."""
    return _counted("properties", options["most"], lambda node: len(node.properties))


def enum_count(options: Options) -> Judge:
    """`most`: values of all enums."""

    def values(node: SchemaNode) -> int:
        written = node.schema.get("enum")
        return len(written) if isinstance(written, list) else 0

    return _counted("enum values", options["most"], values)


def depth(options: Options) -> Judge:
    """`most`: objects inside each other."""
    most: int = options["most"]

    def judge(tool: ToolSchemaNodes) -> Iterator[Refusal]:
        deepest = max((node for node in tool.nodes if node.is_object), key=lambda node: node.depth, default=None)
        if deepest is not None and deepest.depth >= most:
            message = f"objects are nested {deepest.depth + 1} levels deep, and {most} are allowed"
            yield Refusal(deepest.pointer, message, "flatten them")

    return judge


def _counted(what: str, most: int, count: Callable[[SchemaNode], int]) -> Judge:
    def judge(tool: ToolSchemaNodes) -> Iterator[Refusal]:
        total = sum(map(count, tool.nodes))
        if total > most:
            yield Refusal("", f"it has {total:,} {what}, and {most:,} are allowed", "split the tool")

    return judge


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _some(names: list[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


_TYPES = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})

KINDS: dict[str, Callable[[Options], Judge]] = {
    "name": name,
    "object-at-top": object_at_top,
    "plain-top": plain_top,
    "array-items": array_items,
    "closed-objects": closed_objects,
    "all-required": all_required,
    "refused-keywords": refused_keywords,
    "known-keywords": known_keywords,
    "property-keys": property_keys,
    "string-formats": string_formats,
    "string-enums": string_enums,
    "defined-required": defined_required,
    "valid-2020-12": valid_2020_12,
    "property-count": property_count,
    "enum-count": enum_count,
    "depth": depth,
}
TOOL_COUNT = "tool-count"
"""The one kind that concerns all tools of a request together; `most`: how many there may be."""
