"""Tool schemas from JSON, in any of the shapes in which programs hand them around.

| Shape | The schema of the arguments is in |
|---|---|
| plain, OpenAI responses | `parameters` |
| OpenAI chat completions | `function.parameters` |
| Anthropic | `input_schema` |
| MCP `tools/list` | `inputSchema` |

Source: docs/compositions.md 18.1.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from workbench.config.checks import REST
from workbench.config.importers.imported import Imported
from workbench.config.importers.json_text import JsonText, parse_json
from workbench.config.model import Text, ToolEntry
from workbench.config.problems import LoadError, did_you_mean
from workbench.config.textfile import TextFile
from workbench.prompt.source import TextSource

SCHEMA_KEYS = ("parameters", "inputSchema", "input_schema")
HOLDERS = (("tools",), ("result", "tools"))
"""Where a list of tools may be in an object: `result` is the answer of a server."""
TAKEN = frozenset({"name", "description", "type", "function", *SCHEMA_KEYS})
MAX_DEPTH = 60
"""Levels of a schema, as in a composition."""

_NO_TOOLS = "a list of tool schemas was expected, or an object that holds it as `tools`"


class FoundTool(NamedTuple):
    """One tool of the file."""

    entry: ToolEntry
    offset: int


class _Unusable(Exception):
    """This one tool is left out; the message says why."""


def import_tools(file: TextFile) -> Imported:
    """Every tool of the file. Raises `LoadError` when it is no JSON, or has no list of tools."""
    found = parse_json(file)
    try:
        return _tools_of(found)
    except RecursionError:  # The stack is shorter here than where the whole was read.
        problem = found.problem(found.start(), "values are nested too deeply", "flatten them")
        raise LoadError([problem]) from None


def _tools_of(found: JsonText) -> Imported:
    start = tools_list(found)
    if start is None:
        raise LoadError([found.problem(found.start(), _NO_TOOLS, "name another file")])
    tools: dict[str, FoundTool] = {}
    remarks: list[str] = []
    foreign: Counter[str] = Counter()
    for member in found.members(start):
        try:
            tool = _tool(found, member.offset, member.value)
        except _Unusable as reason:
            remarks.append(f"{found.place(member.offset)}: {reason}, left out")
            continue
        foreign.update(key for key in member.value if key not in TAKEN)
        first = tools.setdefault(tool.entry.name, tool)
        if first is not tool:
            remarks.append(
                f'{found.place(tool.offset)}: there is a tool "{tool.entry.name}" already, at '
                f"{found.place(first.offset)}; this one is left out"
            )
    if foreign:
        keys = ", ".join(f"{key} (of {count})" for key, count in sorted(foreign.items()))
        remarks.append(f"{found.place(start)}: no provider is sent these keys of tools: {keys}")
    count = len(tools)
    if not count:
        remarks.append(f"{found.place(start)}: no tool could be taken from this file")
    entries = tuple(tool.entry for tool in tools.values())
    taken = f"{count:,} tool{'' if count == 1 else 's'}"
    return Imported(tools=entries, taken_over=(taken,), remarks=tuple(remarks))


def selected(imported: Imported, only: tuple[str, ...]) -> tuple[Imported, list[tuple[str, str]]]:
    """The tools that are named; and each name that no tool has, with a remedy."""
    names = [tool.name for tool in imported.tools]
    missing = [(name, did_you_mean(name, names, "correct the name")) for name in only if name not in names]
    tools = tuple(tool for tool in imported.tools if tool.name in only)
    taken = f"{len(tools):,} of {len(names):,} tools"
    return imported._replace(tools=tools, taken_over=(taken,)), missing


def tools_list(found: JsonText) -> int | None:
    """Offset of the list of tools; None when there is none."""
    if isinstance(found.value, list):
        return found.start()
    for path in HOLDERS:
        value, offset = found.value, found.start()
        for key in path:
            if not isinstance(value, dict) or key not in value:
                break
            offset, value = found.offset_of(offset, key), value[key]
        else:
            if isinstance(value, list):
                return offset
    return None


def _tool(found: JsonText, offset: int, value: Any) -> FoundTool:
    if not isinstance(value, dict):
        raise _Unusable(f"a tool was expected, and this is {_kind(value)}")
    outer = offset
    if isinstance(value.get("function"), dict):
        offset, value = found.offset_of(offset, "function"), value["function"]
    name = value.get("name")
    if not isinstance(name, str) or not name:
        raise _Unusable("this tool has no name")
    if name == REST:
        raise _Unusable(f"{REST} is no name of a tool: it stands for the rest in `tool_order`")
    description = value.get("description") or ""
    if not isinstance(description, str):
        raise _Unusable(f'the description of "{name}" is {_kind(description)}')
    parameters = _parameters(name, value)
    _refuse_what_no_request_can_hold([name, description, parameters])
    if description:
        source = found.source(found.offset_of(offset, "description"), description)
    else:
        source = found.source(found.offset_of(offset, "name"), name)
        source = TextSource(source.file, source.line, source.column, None)
    return FoundTool(ToolEntry(name, Text(description, source), parameters), outer)


def _parameters(name: str, value: dict[str, Any]) -> dict[str, Any] | None:
    schema = next((value[key] for key in SCHEMA_KEYS if value.get(key) is not None), None)
    if schema is None:
        kind = value.get("type")
        if isinstance(kind, str) and kind not in ("function", "object"):
            raise _Unusable(f'"{name}" is a tool that a provider runs itself (type {kind}), without a schema')
        return None
    if not isinstance(schema, dict):
        raise _Unusable(f'the parameters of "{name}" are {_kind(schema)}')
    if not schema:
        return None
    if schema.get("type") != "object":
        written = schema.get("type")
        which = f"of type {written}" if isinstance(written, str) else "without the type `object`"
        raise _Unusable(f'the parameters of "{name}" are {which}, and a provider takes objects only')
    if _is_deeper(schema, MAX_DEPTH):
        raise _Unusable(f'the parameters of "{name}" are nested more than {MAX_DEPTH} levels deep')
    return schema


def _is_deeper(value: Any, levels: int) -> bool:
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels < 0 or any(_is_deeper(child, levels - 1) for child in children)


def _refuse_what_no_request_can_hold(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        raise _Unusable("this tool holds half of a surrogate pair") from None
    except ValueError:
        raise _Unusable("this tool holds a number that is larger than any") from None


def _kind(value: Any) -> str:
    kinds: Iterator[tuple[type, str]] = iter(
        ((dict, "an object"), (list, "a list"), (str, "a text"), (bool, "a truth value"), (int | float, "a number"))  # type: ignore[arg-type]
    )
    return next((word for kind, word in kinds if isinstance(value, kind)), "null")


COMPOSITION_KEYS_OF_A_TOOL = frozenset({"name", "description", "parameters", "scope"})


def is_tools_file(value: Any, composition_keys: frozenset[str]) -> bool:
    """Whether JSON that was opened directly is a file of tools, and no composition or harness config."""
    if isinstance(value, list):
        return any(isinstance(item, dict) and (item.keys() & _TELLING) for item in value)
    if not isinstance(value, dict) or value.keys() & (composition_keys - {"tools", "description"}):
        return False
    answer = value.get("result")
    if isinstance(answer, dict) and isinstance(answer.get("tools"), list):
        return True
    tools = value.get("tools")
    if not isinstance(tools, list):
        return False
    is_foreign = bool(value.keys() - composition_keys)
    return is_foreign or any(
        isinstance(tool, dict) and bool(tool.keys() - COMPOSITION_KEYS_OF_A_TOOL) for tool in tools
    )


_TELLING = frozenset({"description", "function", *SCHEMA_KEYS})
