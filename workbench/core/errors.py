"""Errors of the runtime: one base class, a code, and a message that names the culprit and the remedy.

Source: docs/runtime.md 12.
"""

from __future__ import annotations

from typing import Literal

ErrorCode = Literal[
    "INVALID_PLUGIN",
    "INVALID_EFFECT",
    "INACTIVE_CONTEXT",
    "SERVICE_NOT_INJECTED",
    "SERVICE_INACTIVE",
    "SERVICE_EXISTS",
    "SERVICE_FOREIGN",
    "SERVICE_NOT_PROVIDED",
    "NAME_RESERVED",
    "CONFIG_INVALID",
    "PLUGIN_RAISED",
    "WRONG_MODE",
    "WRONG_THREAD",
    "SELF_AWAIT",
    "SCOPE_CYCLE",
    "SCOPE_BOUND",
    "WATERFALL_DEPTH",
]


class CoreError(Exception):
    """A rule of the runtime was broken; `code` says which."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code: ErrorCode = code


class ServiceReadError(CoreError, AttributeError):
    """A service cannot be read from here. Also an `AttributeError`, so that `hasattr` works."""


def text_of_error(error: BaseException) -> str:
    """What an exception says; of one that cannot even be asked, exactly that."""
    try:
        return str(error)
    except Exception as failed:
        return f"(its text cannot be made: {type(failed).__name__})"


def inactive(plugin: str, what: str) -> CoreError:
    """The error for anything done through a context whose activation has ended."""
    return CoreError(
        "INACTIVE_CONTEXT",
        f"{what}: the context of plugin {plugin!r} is inactive; "
        "register from the plugin call, or from the context of the present activation",
    )


def plugin_raised(plugin: str, label: str, error: BaseException) -> CoreError:
    """The ordinary error that a bare `BaseException` out of plugin code becomes."""
    made = CoreError(
        "PLUGIN_RAISED",
        f"{type(error).__name__} out of {label!r} of plugin {plugin!r}: {text_of_error(error)}; "
        "raise an Exception, or cancel only what you started",
    )
    made.__cause__ = error
    return made
