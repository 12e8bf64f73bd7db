"""Bodies of first-party tools: loaded when they are first called, on top of services that anybody may provide.

Source: docs/tools.md 12.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.core import Context
    from workbench.tools.runs import ToolRun


def body(ctx: Context, module: str, function: str) -> Callable[[Any, ToolRun], Awaitable[Any]]:
    """The body `function(ctx, arguments, run)` of `workbench.plugins.bodies.MODULE`."""

    async def execute(arguments: Any, run: ToolRun) -> Any:
        found = getattr(import_module(f"workbench.plugins.bodies.{module}"), function)
        return await found(ctx, arguments, run)

    execute.__qualname__ = execute.__name__ = function
    return execute


def service(ctx: Context, name: str) -> Any:
    """A service that a tool works with. Raises `ToolFailure` where nothing provides it."""
    found = ctx.get(name)
    if found is None:
        from workbench.tools.failure import ToolFailure

        raise ToolFailure(
            f"nothing here provides the service {name!r} that this tool works with; load the plugin `machine`, "
            "or another one that provides it",
            "NO_SERVICE",
        )
    return found
