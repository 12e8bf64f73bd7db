"""Cancelling: the signal of one turn, and the one function that races whatever waits against it.

Source: docs/agents.md 16.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

T = TypeVar("T")
CauseKind = Literal["user", "parent", "hook", "disposed"]


@dataclass(frozen=True, slots=True)
class CancelCause:
    """Why a turn was cancelled."""

    kind: CauseKind
    reason: str = ""
    """What the hook says; empty for the other kinds."""

    def to_json(self) -> dict[str, Any]:
        """As `turn/end` records it."""
        return {"kind": self.kind, "reason": self.reason} if self.kind == "hook" else {"kind": self.kind}

    def __str__(self) -> str:
        return f"{self.kind} ({self.reason})" if self.reason else self.kind


USER = CancelCause("user")
PARENT = CancelCause("parent")
DISPOSED = CancelCause("disposed")


def hook(reason: str) -> CancelCause:
    """The cause that a plugin gives."""
    return CancelCause("hook", reason)


def cause_of(given: CancelCause | str) -> CancelCause:
    """A cause by its kind, or as it is. Raises `ValueError` for what is none."""
    if isinstance(given, CancelCause):
        return given
    if given not in ("user", "parent", "hook", "disposed"):
        raise ValueError(f"a turn is cancelled by user, parent, hook or disposed, not by {given!r}")
    return CancelCause(given)  # type: ignore[arg-type]


class TurnCancelled(Exception):
    """The turn was cancelled while something in it waited, or just before it went on."""

    def __init__(self, cause: CancelCause) -> None:
        super().__init__(f"the turn was cancelled: {cause}")
        self.cause = cause


class CancelSignal:
    """The cancel of one turn: set once, by whoever comes first."""

    def __init__(self) -> None:
        self.cause: CancelCause | None = None
        """None until it is set."""
        self._set = asyncio.Event()
        self._waits: dict[asyncio.Task[Any], list[_Interruption]] = {}
        """By task, what waits in it; the innermost last."""

    @property
    def is_set(self) -> bool:
        return self.cause is not None

    def set(self, cause: CancelCause) -> bool:
        """Cancel; False when somebody else was first, whose cause stays."""
        if self.cause is not None:
            return False
        self.cause = cause
        self._set.set()
        for waits in self._waits.values():
            waits[-1].request()
        return True

    async def wait(self) -> None:
        """Return when it is set."""
        await self._set.wait()

    def error(self) -> TurnCancelled:
        """What a turn ends with when it is set."""
        return TurnCancelled(self.cause or USER)

    def check(self) -> None:
        """Raise `TurnCancelled` when it is set."""
        if self.cause is not None:
            raise self.error()

    def enter(self, wait: _Interruption) -> None:
        """From now on, setting the signal interrupts this wait: inside of another one of its task, only this."""
        self._waits.setdefault(wait.task, []).append(wait)

    def leave(self, wait: _Interruption) -> None:
        """The wait is over."""
        waits = self._waits[wait.task]
        waits.remove(wait)
        if not waits:
            del self._waits[wait.task]


async def race(work: Awaitable[T], signal: CancelSignal) -> T:
    """Await `work` until the signal is set, and then cancel it, wait for its end, and raise `TurnCancelled`.

    The work runs in the caller's task. A result that arrives together with the cancel is given up: after
    each wait the cancel is asked for once more. A cancellation of the task itself passes through.
    """
    if signal.cause is not None:
        close = getattr(work, "close", None)
        if close is not None:
            close()  # a coroutine that nobody will await
        raise TurnCancelled(signal.cause)
    task = asyncio.current_task()
    assert task is not None
    interruption = _Interruption(task)
    signal.enter(interruption)
    try:
        result = await work
    except asyncio.CancelledError:
        if interruption.settle() and not task.cancelling():
            raise signal.error() from None
        raise
    except BaseException:
        interruption.settle()
        signal.check()
        raise
    finally:
        signal.leave(interruption)
        interruption.settle()
    signal.check()
    return result


class _Interruption:
    """One cancellation of one task, delivered from outside of it and taken back when it has arrived."""

    def __init__(self, task: asyncio.Task[Any]) -> None:
        self.task = task
        self._pending: asyncio.Handle | None = None
        self._delivered = False

    def request(self) -> None:
        """Cancel the task at the next turn of the loop, when it certainly waits for something."""
        if self._pending is None and not self._delivered:
            self._pending = self.task.get_loop().call_soon(self._deliver)

    def _deliver(self) -> None:
        self._pending = None
        self._delivered = True
        self.task.cancel()

    def settle(self) -> bool:
        """Nothing of it is left in the task; True when it had been delivered and is taken back now."""
        if self._pending is not None:
            self._pending.cancel()
            self._pending = None
        if self._delivered:
            self._delivered = False
            self.task.uncancel()
            return True
        return False
