"""The source rules: imports, and names and attributes that lead out of the sandbox.

They keep honest code from wandering out. They are no security boundary.

Source: docs/dynamic-packages.md 9.2.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from workbench.dynamic.refusals import Refusal
from workbench.dynamic.source.excerpts import excerpt
from workbench.dynamic.source.substitutes import substitute

ALLOWED_DUNDERS = frozenset({"__init__", "__name__", "__doc__"})
FRAME_NAMES = frozenset(
    """gi_frame gi_code gi_yieldfrom cr_frame cr_code cr_origin cr_await ag_frame ag_code ag_await
    tb_frame tb_next tb_lasti f_back f_globals f_builtins f_locals f_code f_trace co_code co_consts co_names
    func_globals func_code mro""".split()
)

_Found = tuple[int, int, str, str]
"""Line, column, the construct, what to use instead."""


_JUDGED = (
    ast.Import,
    ast.ImportFrom,
    ast.Call,
    ast.Name,
    ast.Attribute,
    ast.MatchClass,
    ast.Global,
    ast.Nonlocal,
    ast.arg,
    ast.ExceptHandler,
    ast.MatchAs,
    ast.MatchStar,
    ast.MatchMapping,
)


def check_rules(nodes: Iterable[ast.AST], source: str) -> None:
    """Raise `Refusal` (`forbidden-source`) for the first construct among these that is not allowed."""
    kinds = frozenset(_JUDGED)
    found = [each for node in nodes if type(node) in kinds for each in _judged(node)]
    if not found:
        return
    line, column, construct, instead = min(found)
    raise Refusal(
        "forbidden-source",
        f"line {line} of `code`: {construct} is not allowed in a package; {instead}\n"
        f"{excerpt(source, line, column)}",
    )


def _judged(node: ast.AST) -> Iterator[_Found]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield _found(node, f"`import {alias.name}`", substitute(alias.name))
    elif isinstance(node, ast.ImportFrom):
        module = node.module or ""
        dotted = f"{module}.{node.names[0].name}" if module else node.names[0].name
        yield _found(node, f"`from {'.' * node.level}{module} import`", substitute(dotted))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "__import__":
        first = node.args[0] if node.args else None
        name = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""
        # In front of the bare name at the same place, so that this one is the first that is found.
        yield node.lineno, node.col_offset, f"`__import__({name!r})`", substitute(name)
    else:
        for name in _names(node):
            if name in FRAME_NAMES or _is_dunder(name):
                yield _found(node, f"the name `{name}`", _why(name))


def _names(node: ast.AST) -> Iterator[str]:
    """The names that a node reads or binds; the name of a method that is defined is not among them."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.MatchClass):
        yield from node.kwd_attrs
    elif isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and len(name) > 4 and name not in ALLOWED_DUNDERS


def _why(name: str) -> str:
    if name == "__import__":
        return "imports are not available; bound are json, math, re, base64, datetime and harness"
    return "it leads out of the package: use methods and operators, and services through `ctx`"


def _found(node: ast.AST, construct: str, instead: str) -> _Found:
    return getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1, construct, instead
