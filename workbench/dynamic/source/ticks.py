"""Ticks: calls compiled into a package, so that it can be ended wherever it loops.

A tick stands at the head of each loop body, function, `except` and `finally` body, and in each
comprehension. The walk is iterative: how deep a source is nested does not matter here.

Source: docs/dynamic-packages.md 9.4.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TypeVar

_Node = TypeVar("_Node", bound=ast.AST)

DUE, LOOK = "__due__", "__look__"
"""A list with one flag, and what is called when it is set. The source rules refuse both in a source."""


def put_ticks(nodes: Iterable[ast.AST]) -> None:
    """Put ticks into these nodes of a tree, in place. Docstrings stay first."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.body.insert(1 if _has_docstring(node.body) else 0, _statement(node.body[0]))
        elif isinstance(node, ast.For | ast.AsyncFor | ast.While | ast.ExceptHandler):
            node.body.insert(0, _statement(node.body[0]))
        elif isinstance(node, ast.Try | ast.TryStar) and node.finalbody:
            node.finalbody.insert(0, _statement(node.finalbody[0]))
        elif isinstance(node, ast.Lambda):
            both = ast.BoolOp(ast.Or(), [_tick(node.body), node.body])
            node.body = ast.copy_location(both, node.body)
        elif isinstance(node, ast.comprehension):
            passes = ast.UnaryOp(ast.Not(), _tick(node.iter))
            node.ifs.insert(0, ast.copy_location(passes, node.iter))


def _has_docstring(body: list[ast.stmt]) -> bool:
    first = body[0]
    return (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )


def _flag() -> ast.expr:
    return ast.Subscript(ast.Name(DUE, ast.Load()), ast.Constant(0), ast.Load())


def _look() -> ast.expr:
    return ast.Call(ast.Name(LOOK, ast.Load()), [], [])


def _tick(at: ast.expr) -> ast.expr:
    """False or None, whatever the flag says."""
    return _at(ast.BoolOp(ast.And(), [_flag(), _look()]), at)


def _statement(at: ast.stmt) -> ast.stmt:
    return _at(ast.If(_flag(), [ast.Expr(_look())], []), at)


def _at(node: _Node, at: ast.expr | ast.stmt) -> _Node:
    for each in ast.walk(node):
        if isinstance(each, ast.expr | ast.stmt):
            ast.copy_location(each, at)
    return node
