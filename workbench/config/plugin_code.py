"""A plugin's code, or a plugin that says why there is none. Source: docs/compositions.md 5."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any, NoReturn

from workbench.config.problems import did_you_mean


class PluginMissing(Exception):
    """There is no such plugin. `remedy` says what there is instead."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.message, self.remedy = message, remedy


class PluginImportFailed(Exception):
    """The plugin's code was found and raised while it was imported."""


def attribute_of(use: str, module: ModuleType, attribute: str) -> object:
    """What `package.module:attribute` names. Raises `PluginMissing`."""
    found: Any = module
    for step in attribute.split("."):
        if not hasattr(found, step):
            public = [name for name in vars(module) if not name.startswith("_")]
            message = f'"{use}": the module has no "{attribute}"'
            raise PluginMissing(message, did_you_mean(attribute, public, "name a function, class or namespace"))
        found = getattr(found, step)
    return found


def failing_plugin(name: str, error: BaseException, file: str = "") -> object:
    """A plugin that says, as the failure of its own fiber, why there is no code."""
    reason = f"{type(error).__name__}: {error}"
    if isinstance(error, SyntaxError) and error.filename:
        reason = f"{error.filename}:{error.lineno}: {type(error).__name__}: {error.msg}"
    elif (line := _line_in(error, file)) is not None:
        reason = f"{file}:{line}: {reason}"

    def apply(ctx: object) -> NoReturn:
        raise PluginImportFailed(f"it cannot be imported: {reason}")

    return SimpleNamespace(name=name, apply=apply)


def _line_in(error: BaseException, file: str) -> int | None:
    """The last line of `file` on the way to the error."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if file and trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
