"""Errors of package code in words: what, and in which line of its source.

Source: docs/dynamic-packages.md 6.1.
"""

from __future__ import annotations

from workbench.dynamic.host.refused import FacadeRefusal, PluginShapeError
from workbench.dynamic.sandbox.budget import BudgetSpent
from workbench.dynamic.sandbox.names import WithheldError, WithheldName
from workbench.dynamic.source.substitutes import known_substitute
from workbench.dynamic.tool_schemas import SchemaRefused
from workbench.prompt.errors import in_words

_OWN = (FacadeRefusal, WithheldError, WithheldName, BudgetSpent, SchemaRefused, PluginShapeError)
"""Errors that were made for the author of a package: their type says nothing more."""


def line_in(error: BaseException, file: str) -> int | None:
    """The innermost line of the source `file` in the traceback."""
    found = None
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == file:
            found = traceback.tb_lineno
        traceback = traceback.tb_next
    return found


def told(error: BaseException, file: str) -> str:
    """The error, its line, and what to use instead of a name that is not there."""
    inner: BaseException = error
    while line_in(inner, file) is None and inner.__cause__ is not None:
        inner = inner.__cause__
    line = line_in(inner, file)
    words = str(error) if isinstance(error, _OWN) else in_words(error)
    if isinstance(error, NameError) and (instead := known_substitute(str(error.name))):
        words = f"{words}; {instead}"
    return words if line is None else f"line {line}: {words}"
