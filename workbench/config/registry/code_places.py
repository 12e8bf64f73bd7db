"""Where the code of a plugin, a listener or a guard begins. Nothing is imported or run to find out."""

from __future__ import annotations

from functools import partial
from types import CodeType, ModuleType
from typing import Any

from workbench.prompt.source import TextSource


def place_of_code(thing: object) -> TextSource | None:
    """The first line of a function, class, module, or of the `apply` of a namespace; None when nobody knows."""
    code = _code_of(thing)
    if code is not None:
        return TextSource(code.co_filename, code.co_firstlineno, 1, None)
    if isinstance(thing, ModuleType):
        file = vars(thing).get("__file__")
        return TextSource(file, 1, 1, None) if isinstance(file, str) else None
    return None


def _code_of(thing: Any, depth: int = 4) -> CodeType | None:
    while isinstance(thing, partial):
        thing = thing.func
    for name in ("__wrapped__", "__func__"):
        inner = _own(thing, name)
        if inner is not None and depth:
            return _code_of(inner, depth - 1)
    code = _own(thing, "__code__")
    if isinstance(code, CodeType):
        return code
    if isinstance(thing, type):
        return _code_of_class(thing)
    if isinstance(thing, ModuleType):
        apply = vars(thing).get("apply")
        return _own_code(apply)
    if thing is None or isinstance(thing, str | int | float | bytes | dict | list | tuple):
        return None
    return _own_code(vars(type(thing)).get("apply") or _own(thing, "apply")) or _code_of_class(type(thing))


def _own(thing: object, name: str) -> Any:
    """An attribute that is really there: no code of the thing runs to make one up."""
    try:
        return object.__getattribute__(thing, name)
    except AttributeError:
        return None


def _own_code(function: object) -> CodeType | None:
    code = _own(function, "__code__") if function is not None else None
    return code if isinstance(code, CodeType) else None


def _code_of_class(cls: type) -> CodeType | None:
    """The class statement is in no code object at hand; its first method is nearest to it."""
    if cls.__module__ == "builtins":
        return None
    codes = [code for value in vars(cls).values() if (code := _own_code(value)) is not None]
    return min(codes, key=lambda code: code.co_firstlineno, default=None)
