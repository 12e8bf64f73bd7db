"""Schemas that a package gives: copied at once, in one form, or refused with the path and the alternative.

Source: docs/dynamic-packages.md 11.
"""

from __future__ import annotations

from typing import Any

from workbench.dynamic.lossless import NotLossless, lossless_copy

TYPES = ("string", "number", "integer", "boolean", "null", "object", "array")
KEYWORDS = frozenset(
    """type properties required additionalProperties items enum const oneOf
    title description default examples""".split()
)
Schema = dict[str, Any]


class SchemaRefused(ValueError):
    """The message begins with the path."""


def parameters_schema(given: Any) -> Schema:
    """The JSON Schema of a tool's parameters, from either form. Raises `SchemaRefused`."""
    copied = _copied(given, "parameters")
    if not isinstance(copied, dict):
        raise SchemaRefused("parameters: give an object, `{name: schema}` or a JSON Schema of type object")
    schema: Schema = copied if _is_json_schema(copied) else _from_short_form(copied)
    if schema.get("additionalProperties") is False:
        raise SchemaRefused("parameters.additionalProperties: false is not accepted at the root; leave it out")
    schema.setdefault("type", "object")
    schema.setdefault("properties", {})
    _check(schema, "parameters")
    return schema


def output_schema(given: Any) -> Schema:
    """The JSON Schema of a tool's value, of any type. Raises `SchemaRefused`."""
    schema = _copied(given, "output.schema")
    if not isinstance(schema, dict):
        raise SchemaRefused("output.schema: give a JSON Schema, such as {'type': 'string'}")
    if schema.get("type") == "json":
        del schema["type"]
    _check(schema, "output.schema")
    return schema


def _copied(given: Any, root: str) -> Any:
    try:
        return lossless_copy(given, root)
    except NotLossless as error:
        raise SchemaRefused(f"{error}; a schema is plain JSON, at most 100 levels deep") from None


def _is_json_schema(schema: Schema) -> bool:
    if schema.get("type") == "object":
        return True
    properties = schema.get("properties")
    only = schema.keys() <= {"properties", "required", "additionalProperties", "title", "description"}
    is_property = isinstance(properties, dict) and isinstance(properties.get("type"), str)
    return only and isinstance(properties, dict) and not is_property and "type" not in schema


def _from_short_form(short: Schema) -> Schema:
    properties, required = {}, []
    for name, given in short.items():
        path = f"parameters.{name}"
        if not isinstance(given, dict):
            raise SchemaRefused(f"{path}: give a schema, such as {{'type': 'string'}}, not {given!r:.60}")
        schema = dict(given)
        if "required" in schema and not isinstance(schema["required"], list):
            if schema.pop("required") is not True:
                raise SchemaRefused(f"{path}.required: only True is accepted; leave it out otherwise")
            required.append(name)
        if schema.get("type") == "json":
            del schema["type"]
        elif schema.get("type") == "object" and "additionalProperties" not in schema:
            raise SchemaRefused(f"{path}: an object needs an explicit `additionalProperties`, True or False")
        properties[name] = schema
    made: Schema = {"type": "object", "properties": properties}
    if required:
        made["required"] = required
    return made


def _check(root: Schema, root_path: str) -> None:
    todo: list[tuple[Any, str]] = [(root, root_path)]
    while todo:
        schema, path = todo.pop()
        if not isinstance(schema, dict):
            raise SchemaRefused(f"{path}: give a schema, such as {{'type': 'string'}}, not {schema!r:.60}")
        for keyword in schema:
            if keyword not in KEYWORDS:
                raise SchemaRefused(
                    f"{path}.{keyword}: unknown keyword; accepted are {', '.join(sorted(KEYWORDS))}"
                )
        _check_type(schema, path)
        _check_values(schema, path)
        todo += _inner(schema, path)


def _check_type(schema: Schema, path: str) -> None:
    if "type" not in schema:
        return
    written = schema["type"]
    names = written if isinstance(written, list) and written else [written]
    for name in names:
        if not isinstance(name, str) or name not in TYPES:
            raise SchemaRefused(f"{path}.type: {name!r:.60} is no type; the types are {', '.join(TYPES)}")


def _check_values(schema: Schema, path: str) -> None:
    if "enum" in schema and not (isinstance(schema["enum"], list) and schema["enum"]):
        raise SchemaRefused(f"{path}.enum: give a list with at least one value, or leave enum out")
    if "oneOf" in schema and not (isinstance(schema["oneOf"], list) and len(schema["oneOf"]) >= 2):
        raise SchemaRefused(f"{path}.oneOf: give at least two schemas, or write the only one out")
    for keyword in ("title", "description"):
        if keyword in schema and not isinstance(schema[keyword], str):
            raise SchemaRefused(f"{path}.{keyword}: give a text")
    if "examples" in schema and not isinstance(schema["examples"], list):
        raise SchemaRefused(f"{path}.examples: give a list")
    properties = schema.get("properties", {})
    if not isinstance(properties, dict):
        raise SchemaRefused(f"{path}.properties: give an object, `{{name: schema}}`")
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        raise SchemaRefused(f"{path}.required: give a list of names of properties")
    for name in required:
        if name not in properties:
            raise SchemaRefused(
                f"{path}.required: {name!r} is not declared in `properties`; declare it, or take it out"
            )


def _inner(schema: Schema, path: str) -> list[tuple[Any, str]]:
    found = [(each, f"{path}.properties.{name}") for name, each in schema.get("properties", {}).items()]
    if "items" in schema:
        found.append((schema["items"], f"{path}.items"))
    if not isinstance(schema.get("additionalProperties", True), bool):
        found.append((schema["additionalProperties"], f"{path}.additionalProperties"))
    found += [(each, f"{path}.oneOf[{index}]") for index, each in enumerate(schema.get("oneOf", []))]
    return found
