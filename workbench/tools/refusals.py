"""Calls that end before anybody is asked: unknown tools, and arguments that do not fit.

Source: docs/tools.md 9.1, 9.2 and 10.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING

from workbench.prompt.orders import code_units
from workbench.tools.calls import ToolResult, failed
from workbench.tools.registration import RUN_CODE
from workbench.tools.validation import SchemaUnusable, why_not_json

if TYPE_CHECKING:
    from workbench.tools.events import Invocation
    from workbench.tools.registration import ToolRegistration
    from workbench.tools.registry import ToolRegistry

SHOWN_NAMES = 40


def refusal_of(
    registry: ToolRegistry, call: Invocation, tool: ToolRegistration | None
) -> tuple[ToolResult, bool] | None:
    """The error result of a call that cannot go on, and whether it still passes post-execute."""
    is_sub_call = bool(call.parent_id)
    if tool is None:
        return failed("UNKNOWN_TOOL", _unknown(registry, call)), True
    if is_sub_call and tool.name == RUN_CODE:
        return failed("UNKNOWN_TOOL", f"{RUN_CODE!r} cannot be called from inside a program"), True
    if not is_sub_call and not registry.is_direct(tool.name, call.scope):
        return failed("UNKNOWN_TOOL", _indirect(tool.name)), True
    arguments = call.arguments
    if isinstance(arguments, str):
        why = why_not_json(arguments) or "they are a JSON text"
        return failed(
            "INVALID_ARGS", f"the arguments of {tool.name!r} are no JSON object: {why} (rule `type`)"
        ), False
    if tool.judges_arguments and isinstance(arguments, Mapping):
        return None
    try:
        problems = tool.arguments_validator.problems(arguments)
    except SchemaUnusable as error:
        return failed("INVALID_SCHEMA", f"the parameters of tool {tool.name!r} are unusable: {error}"), False
    if problems:
        return failed("INVALID_ARGS", f"the arguments of {tool.name!r} do not fit: {'; '.join(problems)}"), False
    return None


def _unknown(registry: ToolRegistry, call: Invocation) -> str:
    names = sorted(registry.visible(call.scope), key=code_units)
    if not call.parent_id and registry.presentation(call.scope) == "code":
        return f"there is no tool {call.name!r}; the only tool that can be called directly is {RUN_CODE!r}"
    close = get_close_matches(call.name, names, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    shown = ", ".join(names[:SHOWN_NAMES]) + (", …" if len(names) > SHOWN_NAMES else "")
    return f"there is no tool {call.name!r} here{hint or ';'} available: {shown or '(none)'}"


def _indirect(name: str) -> str:
    way = f"tools.{name}(...)" if name.isidentifier() else f"tools[{name!r}](...)"
    return f"{name!r} cannot be called directly; call {RUN_CODE!r} with a program that calls {way}"
