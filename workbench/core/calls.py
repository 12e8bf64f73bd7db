"""Who is running: plugin code in progress (a *call*), and what it runs inside of.

Source: docs/runtime.md 6.4.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from workbench.core.activation import Activation
    from workbench.core.waitpoints import Waitpoint

CallKind = Literal["load", "listener", "task", "disposer", "set-up"]


class Running(Protocol):
    """Plugin code in progress: a `Call`, or a dispatch with the listeners it has entered."""

    @property
    def outer(self) -> Running | None: ...

    def holds(self, ledger: Activation) -> bool: ...


CURRENT: ContextVar[Running | None] = ContextVar("workbench-running-call", default=None)
"""The innermost call that the present code runs inside of."""


class Call:
    """Plugin code that runs in a task of its own."""

    __slots__ = ("awaited_by", "given_up", "kind", "label", "ledger", "outer", "started", "task")

    def __init__(
        self,
        ledger: Activation,
        kind: CallKind,
        label: str,
        outer: Running | None = None,
        awaited_by: Waitpoint | None = None,
        given_up: Callable[[Call], bool] | None = None,
    ) -> None:
        self.ledger = ledger
        self.kind: CallKind = kind
        self.label = label
        self.outer = outer
        self.awaited_by = awaited_by
        """What waits for the end of this call: an undo for a disposer, a fiber for its plugin call."""
        self.given_up = given_up
        """Whether that would go on without the end of this call, if this call waited for it."""
        self.task: asyncio.Task[Any] | None = None
        self.started = ledger.runtime.loop.time()

    def holds(self, ledger: Activation) -> bool:
        return self.ledger is ledger


def is_close_from_outside(error: BaseException, task: asyncio.Task[Any] | None) -> bool:
    """Whether a `GeneratorExit` means that a coroutine is being closed, and not that its code raised one."""
    if not isinstance(error, GeneratorExit):
        return False
    try:
        return asyncio.current_task() is not task
    except RuntimeError:
        return True


def running_chain() -> list[Running]:
    """The calls that the present code runs inside of, innermost first."""
    chain: list[Running] = []
    call = CURRENT.get()
    while call is not None:
        chain.append(call)
        call = call.outer
    return chain
