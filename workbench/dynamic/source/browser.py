"""The browser half: JavaScript, the body of an async function.

An engine that knows the current language judges it; nothing of it is ever run here. The constructor of async
functions decides whether it is one body, whatever it closes. For line and column the same text is parsed once
more behind a `throw`, where it begins with a line of its own.

Source: docs/dynamic-packages.md 5.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor

from workbench.dynamic.page_extra import REMEDY, is_installed
from workbench.dynamic.refusals import Refusal
from workbench.dynamic.source.excerpts import excerpt

MISSING = f"a browser half (`client`) needs the extra `page`: {REMEDY}, or define the host half (`code`) alone"


def is_available() -> bool:
    """Whether browser halves can be judged and served: the extra `page` is installed."""
    return is_installed()


async def load_engine() -> None:
    """Load the engine beside the loop: it is there with the first check, and costs nothing later."""
    if is_available() and "py_mini_racer" not in sys.modules:
        await asyncio.to_thread(_mistake, "")


def check_browser(source: str) -> None:
    """Raises `Refusal`: `syntax` with line and column, `invalid-arguments` without the extra `page`."""
    if not is_available():
        raise Refusal("invalid-arguments", MISSING)
    # In a thread: an engine that is made where a loop runs belongs to that loop.
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(_mistake, source).result()
    if found is not None:
        line, column, words = found
        raise Refusal(
            "syntax",
            f"`client` does not parse: line {line}, column {column}: {words}; {_remedy(source, line, words)}\n"
            f"{excerpt(source, line, column)}",
        )


def _mistake(source: str) -> tuple[int, int, str] | None:
    from py_mini_racer import JSEvalException, MiniRacer

    with MiniRacer() as engine:

        def refused(script: str) -> str:
            try:
                engine.eval(script)
            except JSEvalException as error:
                return str(error)
            return ""

        told = refused(f"Object.getPrototypeOf(async function(){{}}).constructor({json.dumps(source)});1")
        if not told:
            return None
        as_script = refused(f"throw 0; (async function(){{\n{source}\n}})")
        if "SyntaxError" in as_script:
            return _place(source, as_script, 1)
        return _place(source, told, 2)  # as a script it is one: it closes the function and opens another


def _place(source: str, told: str, shift: int) -> tuple[int, int, str]:
    words = _WORDS.search(told)
    said = "it is not the body of one function" if words is None else words[1]
    found = _PLACE.search(told)
    lines = source.count("\n") + 1
    line = int(found["line"]) - shift if found else 1
    if found is None or line > lines:  # behind the last line: something is not closed
        return lines, len(source.splitlines()[-1]) + 1 if source.strip() else 1, said
    return max(line, 1), len(found["pad"]) + 1, said


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
