"""Warnings out of the code of packages, such as of a coroutine that is never awaited, go to its prints.

One hook for the process, which tells packages by the file name of their code.

Source: docs/dynamic-packages.md 9.3.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TextIO


def capture_warnings(taken: Callable[[str, str], bool]) -> Callable[[], None]:
    """Offer each shown warning to `taken(file, text)`; True means that it has gone to a package.

    Returns the function that puts things back.
    """
    before = warnings.showwarning

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if not taken(filename, f"line {lineno}: {category.__name__}: {str(message).splitlines()[0]}"):
            before(message, category, filename, lineno, file, line)

    hook: Any = show
    warnings.showwarning = hook

    def undo() -> None:
        if warnings.showwarning is hook:
            warnings.showwarning = before

    return undo
