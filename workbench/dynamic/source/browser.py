"""The browser half: JavaScript, the body of an async function.

An engine that knows the current language judges it; nothing of it is ever run here. The constructor of async
functions decides whether it is one body, whatever it closes. For line and column the same text is parsed once
more behind a `throw`, where it begins with a line of its own.

Source: docs/dynamic-packages.md 5.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.util import find_spec
from typing import Any

from workbench.dynamic.refusals import Refusal
from workbench.dynamic.source.excerpts import excerpt

MISSING = (
    "a browser half (`client`) needs the extra `page`: install prompt-workbench[page], or define the host half "
    "(`code`) alone"
)


def is_available() -> bool:
    """Whether browser halves can be judged: the extra `page` is installed."""
    return find_spec("py_mini_racer") is not None


def check_browser(source: str) -> None:
    """Raises `Refusal`: `syntax` with line and column, `invalid-arguments` without the extra `page`."""
    if not is_available():
        raise Refusal("invalid-arguments", MISSING)
    engine, failure = _engine()
    try:
        engine.eval(f"Object.getPrototypeOf(async function(){{}}).constructor({json.dumps(source)});1")
        return
    except failure as error:
        refused = str(error)
    line, column, words = _place(source, refused)
    raise Refusal(
        "syntax",
        f"`client` does not parse: line {line}, column {column}: {words}; {_remedy(source, line, words)}\n"
        f"{excerpt(source, line, column)}",
    )


@cache
def _engine() -> tuple[Any, type[Exception]]:
    """One engine for the process; it keeps nothing of what it has judged."""
    from py_mini_racer import JSEvalException, MiniRacer

    return MiniRacer(), JSEvalException


def _place(source: str, refused: str) -> tuple[int, int, str]:
    engine, failure = _engine()
    told = refused
    try:
        engine.eval(f"throw 0; (async function(){{\n{source}\n}})")
    except failure as error:
        told = str(error)
    if "SyntaxError" not in told:  # as a script it is one: it closes the function and opens another
        told = refused
        found = _PLACE.search(told)
        shift = 2
    else:
        found = _PLACE.search(told)
        shift = 1
    words = (_WORDS.search(told) or _WORDS.search("SyntaxError: it is not one function body"))[1]  # type: ignore[index]
    lines = source.count("\n") + 1
    line = int(found["line"]) - shift if found else 1
    if found is None or line > lines:  # behind the last line: something is not closed
        return lines, len(source.splitlines()[-1]) + 1 if source.strip() else 1, words
    return max(line, 1), len(found["pad"]) + 1 if found["pad"] is not None else 1, words


_PLACE = re.compile(r":(?P<line>\d+): SyntaxError[^\n]*\n[^\n]*\n(?P<pad>[ \t]*)\^")
_WORDS = re.compile(r"SyntaxError: ([^\n]*)")


def _remedy(source: str, line: int, words: str) -> str:
    lines = source.splitlines() or [""]
    at = lines[min(line, len(lines)) - 1]
    if "import" in words or re.match(r"\s*(?:import|export)\b", at):
        return "import and export statements are not available: what a half may use is bound by the page"
    if re.search(r"\bas\b|:\s*\w+\s*[=,)]|\binterface\b", at) and "'<'" not in words:
        return "this looks like TypeScript: write plain JavaScript, without types"
    if "'<'" in words or re.search(r"<\w+[^>]*/?>", at):
        return "this looks like JSX: write plain JavaScript"
    return "correct that line; the half is the body of an async function"
