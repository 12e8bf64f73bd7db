"""`harness`: what a package defines its tools and its page handlers with, and what hands out their news.

Source: docs/dynamic-packages.md 7.4 and 11.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workbench.dynamic.host.feed import make_feed
from workbench.dynamic.host.tool_boundary import ToolTable
from workbench.dynamic.sandbox.names import frozen_object

Handle = Callable[[str, Callable[..., Any]], None]


def make_harness(tools: ToolTable, handle: Handle) -> Any:
    """The object of one run. `handle(method, function)` records a page handler."""

    def define_tool(name: Any, description: Any, parameters: Any, output: Any, execute: Any) -> object:
        return tools.define(name, description, parameters, output, execute)

    def handle_(method: Any, fn: Any) -> None:
        if not isinstance(method, str) or not method:
            raise TypeError("handle: `method` must be a text that is not empty")
        if not callable(fn):
            raise TypeError(f"handle: {method!r} needs a function, not a {type(fn).__name__}")
        handle(method, fn)

    # what a wrong call is told about them
    define_tool.__qualname__, handle_.__qualname__ = "harness.define_tool", "harness.handle"
    members: dict[str, Callable[..., Any]] = {"define_tool": define_tool, "handle": handle_, "feed": make_feed}
    return frozen_object("harness", {name: staticmethod(member) for name, member in members.items()})
