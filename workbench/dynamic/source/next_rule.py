"""A first look at listeners: one of a waterfall that does not call `next` ends the chain for everybody.

Warnings, never refusals: such a listener may own the decision.

Source: docs/dynamic-packages.md 5.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def listener_warnings(nodes: Sequence[ast.AST], waterfalls: Collection[str]) -> Iterator[str]:
    """One line for each listener on a waterfall event that cannot pass the call on."""
    functions = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    for node in nodes:
        event, listener = _registered(node)
        if event not in waterfalls:
            continue
        function = functions.get(listener.id) if isinstance(listener, ast.Name) else listener
        if isinstance(function, _Function) and (why := _mistake(function)):
            place = f"line {function.lineno}: the listener on {event}"
            yield f"{place} {why}: later listeners and the default do not run"


def _registered(node: ast.AST) -> tuple[str, ast.expr | None]:
    """Event and function of a call `ctx.on("event", function)`."""
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    if not is_call or node.func.attr not in ("on", "once") or len(node.args) < 2:  # type: ignore[attr-defined]
        return "", None
    first = node.args[0]  # type: ignore[attr-defined]
    name = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
    return name, node.args[1]  # type: ignore[attr-defined]


def _mistake(function: _Function) -> str:
    given = [*function.args.posonlyargs, *function.args.args]
    if not given:
        return ""
    last = given[-1].arg
    body: list[ast.AST] = list(function.body) if isinstance(function.body, list) else [function.body]
    used = [
        node
        for part in body
        for node in ast.walk(part)
        if isinstance(node, ast.Name) and node.id == last and isinstance(node.ctx, ast.Load)
    ]
    if not used:
        return f"never uses its last parameter {last!r}; it has to end with `return await next()`"
    dropped = [
        node for part in body for node in ast.walk(part) if isinstance(node, ast.Expr) and _calls(node, last)
    ]
    if dropped and len(dropped) == len(used):
        return f"calls {last!r} without awaiting or returning it, which runs nothing; write `return await next()`"
    return ""


def _calls(statement: ast.Expr, name: str) -> bool:
    call = statement.value
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == name
