"""Tools of packages: declared, checked and copied at once; their values are lossless JSON.

What `define_tool` gives is an empty token; the checked copy lies in a table of the run.

Source: docs/dynamic-packages.md 11.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any, Literal
from weakref import WeakKeyDictionary

from workbench.core import Effect
from workbench.dynamic.host.errors import told
from workbench.dynamic.lossless import NotLossless, lossless_copy
from workbench.dynamic.sandbox.names import frozen_object
from workbench.dynamic.tool_schemas import output_schema, parameters_schema
from workbench.prompt import TextSource, ToolSchema
from workbench.tools.failure import ToolFailure
from workbench.tools.output import OutputDeclaration
from workbench.values.frozen import thaw

SHOWN = 120


@dataclass(frozen=True, slots=True)
class DefinedTool:
    """A checked copy."""

    schema: ToolSchema
    execute: Callable[[Any, Any], Any]
    output: OutputDeclaration


TellCall = Callable[[Any, Literal["running", "done", "failed"], Any], None]
"""Hears of each call when its body begins and when it has ended: the call, its state, value or message."""


class _Token:
    """What a package holds of a tool: nothing."""

    __slots__ = ("__weakref__",)

    def __repr__(self) -> str:
        return "<defined tool>"


class ToolTable:
    """The tools that one run has defined."""

    def __init__(self, owner: str, file: str, tell: TellCall) -> None:
        self._owner = owner
        """`dyn-1 (run-1)`."""
        self._file = file
        self._tell = tell
        self._tools: WeakKeyDictionary[_Token, DefinedTool] = WeakKeyDictionary()

    def define(self, name: Any, description: Any, parameters: Any, output: Any, execute: Any) -> object:
        """`harness.define_tool`. Raises `ValueError` and `TypeError` with what to do instead."""
        if not isinstance(name, str) or not name.strip():
            raise TypeError("define_tool: `name` must be a text that is not empty")
        if not isinstance(description, str):
            raise TypeError(f"define_tool: `description` of {name!r} must be a text")
        if not callable(execute):
            raise TypeError(f"define_tool: `execute` of {name!r} must be a function `execute(args, call)`")
        if not isinstance(output, dict) or output.keys() != {"schema", "render"}:
            raise TypeError(f"define_tool: `output` of {name!r} must be {{'schema': …, 'render': …}}, both of them")
        if not callable(output["render"]):
            raise TypeError(f"define_tool: `render` of {name!r} must be a function `render(args, value)`")
        schema = ToolSchema(name, description, parameters_schema(parameters))
        declared = OutputDeclaration(output_schema(output["schema"]), self._render(name, output["render"]))
        token = _Token()
        self._tools[token] = DefinedTool(schema, self._told(self._body(name, execute)), declared)
        return token

    def of(self, token: Any) -> DefinedTool:
        """Raises `TypeError` for anything but what `define_tool` gave in this run."""
        found = self._tools.get(token) if isinstance(token, _Token) else None
        if found is None:
            raise TypeError(
                "tools.register takes the result of harness.define_tool of this package, "
                f"not a {type(token).__name__}"
            )
        return found

    def _told(self, execute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        async def body(arguments: Any, run: Any) -> Any:
            self._tell(run, "running", None)
            try:
                value = await execute(arguments, run)
            except BaseException as error:
                self._tell(run, "failed", str(error) if isinstance(error, ToolFailure) else "it was cancelled")
                raise
            self._tell(run, "done", value)
            return value

        return body

    def _body(self, name: str, execute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        async def body(arguments: Any, run: Any) -> Any:
            try:
                value = execute(thaw(arguments), call_view(run))
                if isawaitable(value):
                    value = await value
            except Exception as error:
                code = getattr(error, "code", "")
                raise ToolFailure(
                    f"tool {name!r} of package {self._owner} raised: {told(error, self._file)}",
                    code if isinstance(error, ToolFailure) else "TOOL_FAILED",
                ) from error
            try:
                return lossless_copy(value)
            except NotLossless as error:
                raise ToolFailure(
                    f"the result of tool {name!r} of package {self._owner} is not lossless JSON: {error}",
                    "INVALID_TOOL_OUTPUT",
                ) from None

        return body

    def _render(self, name: str, render: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        def rendered(arguments: Any, value: Any) -> Any:
            blocks = render(thaw(arguments), thaw(value))
            is_blocks = isinstance(blocks, list) and all(
                type(block) is dict and isinstance(block.get("type"), str) for block in blocks
            )
            if not is_blocks:
                close = getattr(blocks, "close", None)
                if isawaitable(blocks) and callable(close):
                    close()
                shown = repr(blocks)
                cut = shown if len(shown) <= SHOWN else shown[: SHOWN - 1] + "…"
                raise TypeError(
                    f"render of tool {name!r} of package {self._owner} must return a list of content blocks, "
                    f"such as [{{'type': 'text', 'text': …}}]; it gave {cut}"
                )
            return lossless_copy(blocks, "content")

        return rendered


def register_defined(tools: Any, table: ToolTable, token: Any, source: TextSource | None) -> Effect:
    """`ctx.tools.register` of a package."""
    tool = table.of(token)
    effect: Effect = tools.register(tool.schema, tool.execute, source, output=tool.output)
    return effect


def tool_view(schema: ToolSchema) -> Any:
    """A tool as a package may look at it: nothing callable."""
    return frozen_object(
        "tool",
        {"name": schema.name, "description": schema.description, "parameters": copy.deepcopy(schema.parameters)},
    )


def call_view(run: Any) -> Any:
    """One call as a body sees it: id, name, session and whether it was cancelled, and nothing live."""

    def cancelled(_self: object) -> bool:
        return bool(run.cancelled)

    return frozen_object(
        "call",
        {"id": run.id, "name": run.name, "session_id": run.session_id, "cancelled": property(cancelled)},
    )
