"""Arguments of the verbs: closed objects, judged here so that each refusal can teach.

Source: docs/dynamic-packages.md 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from workbench.dynamic.refusals import Refusal

MOST_BYTES = 256 << 10
"""Of each half."""


class Cancel(Protocol):
    """The cancel of a turn."""

    @property
    def is_set(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Caller:
    """The session that a verb acts for."""

    session: str
    """Empty: no session, and every verb but a global inspect is refused."""
    call_ids: tuple[str, ...] = field(default=())
    """Ids of the tool call, and of the call of the model that it belongs to."""


def refused(message: str) -> Refusal:
    return Refusal("invalid-arguments", message)


def check_session(caller: Caller, verb: str) -> None:
    if not caller.session:
        raise refused(f"{verb} needs a session: packages belong to the session that defines them")


def check_keys(arguments: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """Raises `Refusal` for an unknown key."""
    if not isinstance(arguments, Mapping):
        raise refused("the arguments must be an object")
    for key in arguments:
        if key not in known:
            raise refused(f"unknown argument {key!r}; there are: {', '.join(known)}")


def required_text(arguments: Mapping[str, Any], name: str) -> str:
    """A text that is not empty, trimmed. Raises `Refusal`."""
    value = optional_text(arguments, name)
    if value is None:
        raise refused(f"argument {name!r} is missing")
    if not value.strip():
        raise refused(f"argument {name!r} is empty")
    return value.strip()


def optional_text(arguments: Mapping[str, Any], name: str) -> str | None:
    value = arguments.get(name)
    if value is not None and not isinstance(value, str):
        raise refused(f"argument {name!r} must be a text, not a {type(value).__name__}")
    return value


def optional_half(arguments: Mapping[str, Any], name: str) -> str | None:
    """One half of a package; None for an absent or blank one. Raises `Refusal`."""
    value = optional_text(arguments, name)
    if value is None or not value.strip():
        return None
    size = len(value.encode("utf-8", "surrogatepass"))
    if size > MOST_BYTES:
        raise refused(f"argument {name!r} has {size:,} bytes; a half has at most {MOST_BYTES:,}")
    return value


def optional_revision(arguments: Mapping[str, Any]) -> int | None:
    value = arguments.get("revision")
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is not int:
        raise refused(f"argument 'revision' must be a whole number, such as 2 for r2, not {value!r:.60}")
    return value
