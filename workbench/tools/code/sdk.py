"""The SDK section: the tools that a program can call, as Python stubs. A pure function of the tool set.

Source: docs/tools.md 10.4.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from workbench.prompt.orders import code_units
from workbench.prompt.tool_schema import decode_json
from workbench.tools.code.python_types import PythonTypes, camel, is_name, names_in, one_line, printable


class SdkTool(NamedTuple):
    """What the text says of one tool, and nothing else: equal tuples give equal bytes."""

    name: str
    schema: bytes
    """Name, description and parameters, as JSON."""
    output: bytes
    """JSON Schema of its value; empty where it declares none."""


INTRODUCTION = """\
# Programs

`run_code` runs a Python 3 program in a process of its own. Inside it, `tools` holds every tool below:

- Call `tools.name(key=value)`, or `tools["name"](...)` for a name that Python cannot write. The call returns \
the tool's value when it is done. Arguments must be plain JSON values.
- A call that fails raises `ToolCallError`, with `.tool`, `.code` and the message. Catch it to go on without.
- Calls that only read may overlap, from threads: `with ThreadPoolExecutor() as pool: \
list(pool.map(lambda path: tools.read(path=path), paths))`. Calls that change something run one at a time.
- Say what you found with `print(...)`, or `return` it at the top level. Only that comes back to you; all values \
in between stay in the program. Print what is needed, not whole files.
- The standard library is there. Files, commands and the network are reached through the tools alone.
- Nothing is kept from one program to the next."""


def sdk_text(tools: Iterable[SdkTool]) -> str:
    """The whole section. Equal sets of tools give equal texts, in whatever order they come."""
    ordered = sorted(tools, key=lambda tool: (code_units(tool.name), tool.schema, tool.output))
    types = PythonTypes()
    stubs = [_stub(tool, types) for tool in ordered]
    body = "\n\n".join(stubs) if stubs else "    pass"
    classes = "".join(f"{each}\n\n\n" for each in types.classes)
    code = f"{classes}class Tools:\n{body}\n\n\ntools: Tools"
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", code)), default=0))
    return f"{INTRODUCTION}\n\n{fence}python\n{code}\n{fence}"


def _stub(tool: SdkTool, types: PythonTypes) -> str:
    try:
        schema = decode_json(tool.schema)
        output = decode_json(tool.output) if tool.output else None
        return _written(tool.name, schema, output, types)
    except Exception:
        # Never fail an assembly for a schema that somebody else wrote.
        return _def(tool.name, "**arguments: Any", "Any", "")


def _written(name: str, schema: Mapping[str, Any], output: Any, types: PythonTypes) -> str:
    parameters = schema.get("parameters")
    parameters = parameters if isinstance(parameters, Mapping) else {}
    properties = parameters.get("properties")
    properties = properties if isinstance(properties, Mapping) else {}
    required = names_in(parameters.get("required"))
    base = camel(name)
    told: list[str] = []
    written: list[str] = []
    for key, value in sorted(properties.items(), key=lambda item: item[0] not in required):
        annotation = types.of(value, base + camel(key), parameters)
        if is_name(key) and key != "self":
            written.append(f"{key}: {annotation}" + ("" if key in required else f" = {_default(value)}"))
        note = one_line(value.get("description")) if isinstance(value, Mapping) else ""
        if note or not is_name(key):
            told.append(f"{printable(key)}: {note or annotation}")
    if len(written) < len(properties):
        signature = "arguments: dict[str, Any], /"  # some keys can stand in a dict only
    else:
        signature = f"*, {', '.join(written)}" if written else ""
    returned = "Any" if output is None else types.of(output, f"{base}Value")
    description = str(schema.get("description") or "")
    return _def(name, signature, returned, "\n".join([description, *([""] if told else []), *told]).strip())


def _def(name: str, signature: str, returned: str, text: str) -> str:
    lines = []
    own_name = name
    if not is_name(name):
        lines.append(f"    # call it as tools[{name!a}](...)")
        own_name = re.sub(r"\W", "_", f"_{name}", flags=re.ASCII)
    arguments = f"self, {signature}" if signature else "self"
    lines.append(f"    def {own_name}({arguments}) -> {returned}:" + ("" if text else " ..."))
    if text:
        lines.append(_docstring(text))
    return "\n".join(lines)


def _docstring(text: str) -> str:
    text = printable(text).replace("\\", "\\\\").replace('"', '\\"') if _needs_escapes(text) else text
    lines = [line.rstrip() for line in text.split("\n")]
    quoted = f'"""{lines[0]}' + "".join(f"\n        {line}" if line else "\n" for line in lines[1:])
    return f'        {quoted}"""' if len(lines) == 1 else f'        {quoted}\n        """'


def _needs_escapes(text: str) -> bool:
    """Whether the text cannot stand in a docstring as it is. Most can, and read better so."""
    return '"""' in text or "\\" in text or text.endswith('"') or printable(text) != text


def _default(value: Any) -> str:
    if not isinstance(value, Mapping) or "default" not in value:
        return "..."
    default = value["default"]
    if default is None or isinstance(default, bool | int | float | str):
        written = ascii(default)
        return written if len(written) <= 60 and "inf" not in written and "nan" not in written else "..."
    if default in ([], {}):
        return json.dumps(default)
    return "..."
