"""The host half: Python, compiled as a module at define.

Source: docs/dynamic-packages.md 5 and 9.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection
from dataclasses import dataclass
from types import CodeType

from workbench.dynamic.refusals import Refusal
from workbench.dynamic.source.excerpts import excerpt
from workbench.dynamic.source.next_rule import listener_warnings
from workbench.dynamic.source.rules import check_rules
from workbench.dynamic.source.ticks import put_ticks

TOO_DEEP = "`code` is nested too deeply to be compiled (line unknown); write it in smaller parts"
HELPERS = ("json", "math", "re", "base64", "datetime")


@dataclass(frozen=True, slots=True)
class HostHalf:
    """A compiled host half."""

    source: str
    code: CodeType
    helpers: tuple[str, ...]
    """The helper modules that it names."""
    warnings: tuple[str, ...]


def compile_host(source: str, file: str, waterfalls: Collection[str]) -> HostHalf:
    """Parse, judge and compile, once, with ticks. Raises `Refusal` (`syntax`, `forbidden-source`)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source, file)
            nodes = list(ast.walk(tree))
            check_rules(nodes, source)
            found = tuple(listener_warnings(nodes, waterfalls))
            named = {node.id for node in nodes if type(node) is ast.Name}
            put_ticks(nodes)
            code = compile(tree, file, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise _syntax_refusal(source, error) from None
    except (RecursionError, MemoryError):
        raise Refusal("syntax", TOO_DEEP) from None
    except ValueError as error:
        raise Refusal("syntax", f"`code` cannot be read as Python: {error}; remove that character") from None
    return HostHalf(source, code, tuple(name for name in HELPERS if name in named), found)


def _syntax_refusal(source: str, error: SyntaxError) -> Refusal:
    line, column = error.lineno or 1, error.offset or 1
    words = error.msg or "invalid syntax"
    return Refusal(
        "syntax",
        f"`code` does not parse: line {line}, column {column}: {words}; {_remedy(source, words)}\n"
        f"{excerpt(source, line, column)}",
    )


def _remedy(source: str, words: str) -> str:
    if "'return' outside" in words:
        return "define a function `apply(ctx)` at top level instead of returning one"
    if "outside" in words and ("await" in words or "async" in words):
        return "there is nothing to wait for at top level: await inside `async def apply(ctx)`"
    if _JAVASCRIPT.search(source):
        return "this half is Python; JavaScript belongs into `client`"
    if "never closed" in words or "unmatched" in words or "does not match" in words:
        return "close or remove that bracket"
    return "correct that line"


_JAVASCRIPT = re.compile(r"=>|^\s*(?:const|let|var|function|export)\b|===|^\s*\{\s*$|^\s*//|;\s*$", re.MULTILINE)
