"""A request as bytes that keep their beginning when something is appended.

One line per part, and nothing is closed at the end. Source: docs/sessions.md 6.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from workbench.agent.log.json_lines import encode_json, standard_json
from workbench.models.request import ModelRequest
from workbench.values.frozen import FrozenDict


def canonical_bytes(request: ModelRequest) -> bytes:
    """System text, tools and messages of a request, a line each, in UTF-8."""
    return b"".join(canonical_lines(request))


def canonical_lines(request: ModelRequest) -> Iterator[bytes]:
    """The lines of `canonical_bytes`, each with its line end."""
    yield from head_lines(request)
    for message in request.messages:
        yield message_line(message)


def digest(request: ModelRequest) -> str:
    """SHA-256 of the canonical bytes, in hexadecimal."""
    return digest_of(request, request.messages)


def digest_of(head: Head, messages: Iterable[Mapping[str, Any]]) -> str:
    """The same of a head and messages, of which one is in memory at a time."""
    found = hashlib.sha256()
    for line in head_lines(head):
        found.update(line)
    for message in messages:
        found.update(message_line(message))
    return found.hexdigest()


class Head(Protocol):
    """What stands before the messages: a request has it, and its header."""

    @property
    def system(self) -> str | None: ...
    @property
    def tools(self) -> tuple[FrozenDict, ...]: ...


def head_lines(head: Head) -> Iterator[bytes]:
    """Those of system text and tools."""
    if head.system:
        yield system_line(head.system)
    for tool in head.tools:
        yield tool_line(tool)


def system_line(system: str) -> bytes:
    """The line of a system text."""
    return b"S\t" + canonical_json(system) + b"\n"


def tool_line(tool: Mapping[str, Any]) -> bytes:
    """The line of a tool: name, description and parameters, with the key order of its parameters."""
    return b"T\t" + canonical_json({key: tool[key] for key in _TOOL_KEYS if key in tool}) + b"\n"


def message_line(message: Mapping[str, Any]) -> bytes:
    """The line of a message: role and content. Its id, its source and whatever else it carries stay out."""
    return b"M\t" + canonical_json({"role": message["role"], "content": message["content"]}) + b"\n"


def canonical_json(value: Any) -> bytes:
    """Compact JSON as the standard library writes it, with the characters themselves and the key order kept."""
    encoded = encode_json(value)
    # Floats are the one thing that both write differently (1e-07, 1e-7). A text may look like one: no harm.
    return encoded if _FLOAT.search(encoded) is None else standard_json(value)


_TOOL_KEYS = ("name", "description", "parameters")
_FLOAT = re.compile(rb"[0-9]e|0\.0000")
"""Where a float may stand that either of both writes with an exponent."""
