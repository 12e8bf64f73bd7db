"""JSON Schemas as Python annotations, for reading. What cannot be said becomes `Any`; nothing raises.

Source: docs/tools.md 10.4.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from typing import Any

MAX_DEPTH = 12
"""Objects inside each other; deeper ones are `Any`."""
MAX_LITERAL = 200
"""Characters that all values of an enum may take."""

_SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def is_name(text: str) -> bool:
    """Whether Python can write it as a name."""
    return text.isidentifier() and not keyword.iskeyword(text) and text.isascii()


class PythonTypes:
    """The annotations of one text. Objects become classes, in the order in which they are met."""

    def __init__(self) -> None:
        self.classes: list[str] = []
        self._taken: set[str] = set()

    def of(self, schema: Any, name: str, root: Any = None) -> str:
        """The annotation of a schema; `name` is what a class for it would be called."""
        return self._of(schema, name, schema if root is None else root, 0)

    def _of(self, schema: Any, name: str, root: Any, depth: int) -> str:
        if not isinstance(schema, Mapping) or depth > MAX_DEPTH:
            return "Any"
        if "$ref" in schema:
            target = _resolved(schema["$ref"], root)
            return "Any" if target is None else self._of(target, name, root, depth + 4)
        if "const" in schema:
            return _literal([schema["const"]])
        if isinstance(schema.get("enum"), list) and schema["enum"]:
            return _literal(schema["enum"])
        for word in ("anyOf", "oneOf"):
            parts = schema.get(word)
            if isinstance(parts, list) and parts:
                return _union([self._of(part, name, root, depth + 1) for part in parts])
        kind = schema.get("type")
        if isinstance(kind, list):
            return _union([self._of({**schema, "type": each}, name, root, depth + 1) for each in kind])
        if isinstance(kind, str) and kind in _SIMPLE:
            return _SIMPLE[kind]
        if kind == "array":
            items = schema.get("items")
            return "list[Any]" if items is None else f"list[{self._of(items, f'{name}Item', root, depth + 1)}]"
        if kind == "object" or "properties" in schema:
            return self._object(schema, name, root, depth)
        return "Any"

    def _object(self, schema: Mapping[str, Any], name: str, root: Any, depth: int) -> str:
        properties = schema.get("properties")
        if not isinstance(properties, Mapping) or not properties:
            more = schema.get("additionalProperties")
            value = self._of(more, name, root, depth + 1) if isinstance(more, Mapping) else "Any"
            return f"dict[str, {value}]"
        if not all(isinstance(key, str) and is_name(key) for key in properties):
            return "dict[str, Any]"
        own_name = self._free(name)
        required = names_in(schema.get("required"))
        lines = [f"class {own_name}(TypedDict):"]
        for key, value in properties.items():
            annotation = self._of(value, own_name + camel(key), root, depth + 1)
            if key not in required:
                annotation = f"NotRequired[{annotation}]"
            note = one_line(value.get("description")) if isinstance(value, Mapping) else ""
            lines.append(f"    {key}: {annotation}" + (f"  # {note}" if note else ""))
        self.classes.append("\n".join(lines))
        return own_name

    def _free(self, name: str) -> str:
        base, count = name, 1
        while name in self._taken:
            count += 1
            name = f"{base}{count}"
        self._taken.add(name)
        return name


def names_in(required: Any) -> frozenset[str]:
    """The names that a `required` lists."""
    return (
        frozenset(name for name in required if isinstance(name, str)) if isinstance(required, list) else frozenset()
    )


def camel(name: str) -> str:
    """`web_fetch` as `WebFetch`; what no name can hold is left out."""
    words = re.findall(r"[A-Za-z0-9]+", name)
    name = "".join(word[:1].upper() + word[1:] for word in words) or "Value"
    return f"N{name}" if name[0].isdigit() else name


_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def printable(text: str) -> str:
    """The text with control characters as escapes; line ends stay."""
    return "\n".join(
        _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}" if ord(found[0]) < 256 else "\ufffd", line)
        for line in text.replace("\r\n", "\n").replace("\t", "    ").split("\n")
    )


def one_line(text: Any) -> str:
    """A description as it fits behind a `#`."""
    return " ".join(printable(text).split()) if isinstance(text, str) else ""


def _literal(values: list[Any]) -> str:
    written = []
    for value in values:
        if value is not None and not isinstance(value, str | int | bool):
            return "Any"
        written.append(ascii(value))
    text = f"Literal[{', '.join(written)}]"
    return text if len(text) <= MAX_LITERAL else _union([_type_of(value) for value in values])


def _type_of(value: Any) -> str:
    return "None" if value is None else type(value).__name__


def _union(parts: list[str]) -> str:
    kept = list(dict.fromkeys(parts))
    return "Any" if "Any" in kept or not kept else " | ".join(kept)


def _resolved(reference: Any, root: Any) -> Any:
    """The schema that a reference inside the same document names; None for any other."""
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return None
    node = root
    for step in reference[2:].split("/"):
        step = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(node, Mapping) or step not in node:
            return None
        node = node[step]
    return node
