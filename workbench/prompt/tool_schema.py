"""Tool schemas: what the model is told of a tool, detached from whoever owns it.

A schema keeps its parameters as JSON bytes, made once, and decodes them only for whoever reads them.

Source: docs/prompt-assembly.md 6 (step 4) and 8.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from workbench.prompt.errors import PromptError

JsonObject = dict[str, Any]


openings = [0]
"""How many times any schema was opened for editing. As long as it stands still, no schema has changed."""


class ToolSchema:
    """Name, description and parameters of a tool.

    `parameters` is a dict of this object alone: editing it edits this schema and no other. What is given
    to the constructor is copied. Raises `PromptError` for parameters that JSON cannot hold.
    """

    __slots__ = ("_description", "_encoded", "_name", "_parameters", "_parameters_at", "is_open")

    def __init__(self, name: str, description: str = "", parameters: Mapping[str, Any] | None = None) -> None:
        self._name = name
        self._description = description
        self._parameters: JsonObject | None = None
        self.is_open = False
        """Whether it may differ from what it was made as: somebody holds its parameters, or has set a field."""
        self._encode(_EMPTY if parameters is None else encode_json(parameters, f"the parameters of tool {name!r}"))

    def _encode(self, parameters: bytes) -> None:
        head = encode_json({"name": self._name, "description": self._description}, f"tool {self._name!r}")
        self._encoded = head[:-1] + _PARAMETERS + parameters + b"}"
        self._parameters_at = len(head) - 1 + len(_PARAMETERS)

    @property
    def name(self) -> str:
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        parameters = self.parameters_json
        self._name = value
        self._encode(parameters)
        self._open()

    @property
    def description(self) -> str:
        return self._description

    @description.setter
    def description(self, value: str) -> None:
        parameters = self.parameters_json
        self._description = value
        self._encode(parameters)
        self._open()

    @property
    def parameters(self) -> JsonObject:
        """The JSON Schema of the arguments."""
        if self._parameters is None:
            self._parameters = decode_json(self.parameters_json)
            self._open()
        return self._parameters

    @parameters.setter
    def parameters(self, value: JsonObject) -> None:
        self._parameters = value
        self._open()

    def _open(self) -> None:
        self.is_open = True
        openings[0] += 1

    @property
    def parameters_json(self) -> bytes:
        """The parameters as compact JSON."""
        if self._parameters is None:
            return self._encoded[self._parameters_at : -1]
        return encode_json(self._parameters, f"the parameters of tool {self._name!r}")

    @property
    def json(self) -> bytes:
        """The whole schema as compact JSON: `name`, `description`, `parameters`."""
        if self._parameters is not None:
            self._encode(self.parameters_json)
        return self._encoded

    def detached(self) -> ToolSchema:
        """A copy whose parameters are its own."""
        copy = ToolSchema.__new__(ToolSchema)
        copy._encoded = self.json
        copy._name = self._name
        copy._description = self._description
        copy._parameters_at = self._parameters_at
        copy._parameters = None
        copy.is_open = False
        return copy

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ToolSchema):
            return NotImplemented
        return self is other or self.json == other.json

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ToolSchema({self.name!r})"


_EMPTY = b'{"type":"object","properties":{}}'
_PARAMETERS = b',"parameters":'


GivenSchema = ToolSchema | Mapping[str, Any]
"""A tool schema as a provider may give it."""


@dataclass(frozen=True, slots=True)
class ToolProviderResult:
    """What a tool-schema provider gives for one assembly."""

    schemas: Sequence[GivenSchema]
    """Schemas, as `ToolSchema` (nothing to copy) or as plain mappings (copied at every assembly)."""
    known_names: Sequence[str] | None = None
    """Every name that the provider may ever give; None: those of its schemas."""


def detach(given: GivenSchema) -> ToolSchema:
    """A schema of the registry's own. All fields but name, description and parameters are dropped."""
    if isinstance(given, ToolSchema):
        return given.detached()
    if not isinstance(given, Mapping):
        raise PromptError(
            "tool schema", f"a tool schema must be a ToolSchema or a mapping, not {type(given).__name__}"
        )
    name = given.get("name")
    if not isinstance(name, str):
        raise PromptError("tool schema", f"a tool schema needs a name that is a string, not {name!r}")
    description = given.get("description", "")
    if not isinstance(description, str):
        raise PromptError("tool schema", f"the description of tool {name!r} must be a string")
    return ToolSchema(name, description, given.get("parameters"))


class OrderedTools:
    """The schemas of a request in order, shared between assemblies until somebody asks for copies."""

    __slots__ = ("_json", "schemas")

    def __init__(self, schemas: tuple[ToolSchema, ...]) -> None:
        self.schemas = schemas
        self._json: bytes | None = None

    @property
    def json(self) -> bytes:
        """The JSON array of the schemas, made once."""
        if self._json is None:
            self._json = tools_json(self.schemas)
        return self._json


def tools_json(schemas: Iterable[ToolSchema]) -> bytes:
    """A JSON array of schemas, spliced from their encoded forms."""
    return b"[" + b",".join([schema.json for schema in schemas]) + b"]"


def encode_json(value: Any, what: str) -> bytes:
    """Compact JSON that keeps the order of keys. Raises `PromptError` naming `what` for anything else."""
    try:
        return orjson.dumps(value, option=_STRICT)
    except TypeError:
        # Integers above 64 bits and keys that are no strings: the standard library knows them.
        pass
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "surrogatepass")
    except (TypeError, ValueError) as error:
        raise PromptError("json", f"{what} cannot be written as JSON: {error}") from error


_STRICT = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME


def decode_json(encoded: bytes) -> Any:
    """A fresh value from bytes of `encode_json`."""
    if _BIG_INTEGER.search(encoded) is None:
        try:
            return orjson.loads(encoded)
        except orjson.JSONDecodeError:
            pass
    return json.loads(encoded.decode("utf-8", "surrogatepass"))


_BIG_INTEGER = re.compile(rb"[0-9]{19}")
"""orjson reads integers above 64 bits as floats; anything as long goes to the standard library."""
