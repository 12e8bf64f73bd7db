"""What listeners of the pipeline answer, and how an answer is read.

A plain mapping says the same as these classes, for plugins that import nothing:
`{"kind": "deny", "reason": "no"}`, `{"kind": "accept", "content": [...]}`.

Source: docs/tools.md 9.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from workbench.tools.calls import ContentBlock


class InvalidDecision(Exception):
    """A listener or guard gave something that is no decision."""


class Unset:
    """Nothing was given, which is not the same as None."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET = Unset()


@dataclass(frozen=True, slots=True)
class Allow:
    """The call may run, unless a guard denies it."""


@dataclass(frozen=True, slots=True)
class Deny:
    """The call does not run; the model reads the reason."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Ask:
    """Somebody has to allow this one call first."""

    reason: str = ""


PreDecision = Allow | Deny | Ask
ALLOW = Allow()


@dataclass(frozen=True, slots=True)
class Success:
    """What `tools/execute` gives: the value of the call, still to be checked and rendered."""

    value: Any = None
    content: Sequence[ContentBlock] | str | None = None
    """Instead of what the tool's `render` would make of the value."""
    meta: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """What `tools/execute` gives for a call that failed."""

    message: str
    code: str = "TOOL_FAILED"


Outcome = Success | Failure


@dataclass(frozen=True, slots=True)
class Accept:
    """The result stands, perhaps with another content or value, and perhaps with contexts beside it."""

    content: Sequence[ContentBlock] | str | None = None
    """Replaces what the model reads. Programs then get this text, and not the value."""
    value: Any = UNSET
    """Replaces the value; checked and rendered as the tool's own."""
    contexts: Sequence[str | Sequence[ContentBlock]] = ()
    """Messages for the next step."""


@dataclass(frozen=True, slots=True)
class Block:
    """The result does not reach the model; the feedback does, as an error."""

    feedback: str
    contexts: Sequence[str | Sequence[ContentBlock]] = ()


PostDecision = Accept | Block
ACCEPT = Accept()

_PRE: dict[str, type[PreDecision]] = {"allow": Allow, "deny": Deny, "ask": Ask}
_OUTCOME: dict[str, type[Outcome]] = {"success": Success, "failure": Failure}
_POST: dict[str, type[PostDecision]] = {"accept": Accept, "block": Block}


def read_pre(given: object) -> PreDecision:
    """The answer of `tools/pre-execute`. Raises `InvalidDecision`."""
    if isinstance(given, Allow | Deny | Ask):
        return given
    return _read(given, _PRE)


def read_outcome(given: object) -> Outcome:
    """The answer of `tools/execute`. Raises `InvalidDecision`."""
    if isinstance(given, Success | Failure):
        return given
    return _read(given, _OUTCOME)


def read_post(given: object) -> PostDecision:
    """The answer of `tools/post-execute`. Raises `InvalidDecision`."""
    if isinstance(given, Accept | Block):
        return given
    return _read(given, _POST)


def read_guard(given: object) -> Deny | None:
    """The answer of a guard: None, a reason, or a denial. It can never allow. Raises `InvalidDecision`."""
    if given is None or isinstance(given, Deny):
        return given
    if isinstance(given, str):
        return Deny(given)
    decision = _read(given, {"deny": Deny})
    assert isinstance(decision, Deny)
    return decision


T = TypeVar("T")


def _read(given: object, kinds: Mapping[str, type[T]]) -> T:
    words = ", ".join(kinds)
    if isinstance(given, str):
        given = {"kind": given}
    if not isinstance(given, Mapping):
        raise InvalidDecision(f"a {type(given).__name__} is no decision; give one of: {words}")
    kind = kinds.get(str(given.get("kind")))
    if kind is None:
        raise InvalidDecision(f"{given.get('kind')!r} is no kind of decision; there are: {words}")
    options: dict[str, Any] = {str(key): value for key, value in given.items() if key != "kind"}
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    unknown = [key for key in options if key not in known]
    if unknown:
        raise InvalidDecision(f"{given['kind']!r} has no {', '.join(unknown)}; known: {', '.join(sorted(known))}")
    try:
        return kind(**options)
    except TypeError as error:
        raise InvalidDecision(f"{given['kind']!r} is incomplete: {error}") from error
