"""Errors of the prompt service, with the place at which a person can mend them.

Source: docs/prompt-assembly.md 14.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Literal

from workbench.core import CoreError
from workbench.core.errors import text_of_error
from workbench.core.watchdog import LoopBlocked

if TYPE_CHECKING:
    from workbench.prompt.contributions import Contribution

RenderCode = Literal["unknown", "no value", "malformed", "not text"]


class PromptError(Exception):
    """A rule of prompt assembly was broken; `code` says which."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class RegistrationError(PromptError):
    """A contribution was refused; nothing of it is left."""


class RenderError(PromptError):
    """A section or context cannot be interpolated."""

    def __init__(
        self,
        code: RenderCode,
        part: Literal["section", "context"],
        name: str,
        group: str,
        offset: int,
        known: tuple[str, ...],
    ) -> None:
        self.suggestion = _nearest(code, group, known)
        """The known variable that was probably meant, or an empty string."""
        super().__init__(code, _render_message(code, part, name, group, known, self.suggestion))
        self.part: Literal["section", "context"] = part
        self.name = name
        self.group = group
        """As written; for text that is no complete group, the first 16 characters from the `{{` on."""
        self.offset = offset
        """Of the group in the raw text, in code points."""
        self.known = known
        """Every name in the assembly's variable map, in the map's order."""


def _nearest(code: RenderCode, group: str, known: tuple[str, ...]) -> str:
    if code in ("no value", "not text"):
        return ""
    wanted = group.strip("{} \t\n").lower().replace("-", "_").replace(".", "_")
    return next(iter(get_close_matches(wanted, known, n=1, cutoff=0.5)), "")


def _render_message(
    code: RenderCode, part: str, name: str, group: str, known: tuple[str, ...], suggestion: str
) -> str:
    where = f"in {part} {name!r}"
    if code == "unknown":
        message = f"unknown variable {group} {where}; known variables: {', '.join(known) or '(none)'}"
        return message if suggestion else f"{message}; {_WRITTEN_BY_OTHERS}"
    if code == "no value":
        return f"variable {group} has no value {where}: it is registered, but not for this assembly"
    if code == "not text":
        what = f"value of {group}" if group else "text"
        return f"the {what} {where} is not a string; a listener must set a string"
    return (
        f"malformed reference {group} {where}: a reference is {{{{name}}}} with a lower-case name; "
        f"{_WRITTEN_BY_OTHERS}"
    )


_WRITTEN_BY_OTHERS = "register as literal what someone else wrote"


def blame(error: BaseException, contribution: Contribution) -> None:
    """Note on an exception which contribution raised it. The exception itself passes through as it is."""
    try:
        error.workbench_contribution = contribution  # type: ignore[attr-defined]
    except (AttributeError, TypeError):
        error.add_note(f"raised by {contribution.kind} {contribution.name!r} of plugin {contribution.owner_name!r}")


def blamed(error: BaseException) -> Contribution | None:
    """The contribution that `blame` noted on this exception."""
    contribution: Contribution | None = getattr(error, "workbench_contribution", None)
    return contribution


def in_words(error: BaseException) -> str:
    """An error in words. One that is not ours is told with its type, which often says more than its text."""
    if isinstance(error, (PromptError, CoreError, LoopBlocked)):
        return str(error)
    name, text = type(error).__name__, text_of_error(error)
    return f"{name}: {text}" if text else name
