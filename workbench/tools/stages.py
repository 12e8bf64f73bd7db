"""Running one stage of a call: in a task of its own, cancelled once, and always waited for.

Source: docs/tools.md 9.2 and 9.5.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.core import Runtime
from workbench.core.events import Event
from workbench.core.watched_waterfall import ListenerRecord, WatchedDispatch
from workbench.prompt.errors import in_words
from workbench.tools.waiting import CancelOnce, until_done

if TYPE_CHECKING:
    from workbench.core.scopes import ScopeKey
    from workbench.tools.calls import CancelLike

T = TypeVar("T")


class Aborted(Exception):
    """The stage let the cancellation of the turn through."""


class ListenerFault(Exception):
    """A listener raised, or returned nothing: the call is over."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class CancelWatch:
    """The cancel of a turn, watched by one task for all stages of a batch."""

    def __init__(self, signal: CancelLike) -> None:
        self.signal = signal
        self._callbacks: dict[object, Callable[[], Any]] = {}
        self._task = asyncio.get_running_loop().create_task(self._watch(), name="tools: cancel watch")

    async def _watch(self) -> None:
        await self.signal.wait()
        for callback in list(self._callbacks.values()):
            callback()

    def when_set(self, callback: Callable[[], Any]) -> Callable[[], None]:
        """Call `callback` once when the signal is set. Returns the function that takes it back."""
        key = object()
        self._callbacks[key] = callback
        return lambda: self._callbacks.pop(key, None) and None

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a stage. Raises `Aborted` when it let the cancellation through.

        Where the turn is cancelled already, the stage may do what needs no waiting.
        """
        loop = asyncio.get_running_loop()
        task = loop.create_task(work)
        cancel = CancelOnce(task)
        if self.signal.is_set:
            loop.call_soon(cancel)  # behind its first step
            take_back: Callable[[], None] = _nothing
        else:
            take_back = self.when_set(cancel)
        try:
            await until_done(task, cancel)
        finally:
            take_back()
        if task.cancelled():
            raise Aborted
        return task.result()

    async def close(self) -> None:
        """Nothing watches any more."""
        self._task.cancel()
        await asyncio.wait({self._task})


def _nothing() -> None:
    return


class _Judged(WatchedDispatch):
    """A dispatch in which every listener has to give something."""

    __slots__ = ("silent",)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.silent: ListenerRecord | None = None
        """The first listener that returned nothing."""

    def after(self, record: ListenerRecord, result: Any) -> None:
        if result is None:
            self.silent = self.silent or record
            raise _Silent

    @property
    def speaker(self) -> str:
        """The plugin whose answer it is."""
        return self.records[0].owner if self.records else "tools"


class _Silent(Exception):
    pass


async def judged(
    runtime: Runtime, event: Event, payload: object, default: Callable[[Any], Any], target: ScopeKey | None
) -> tuple[Any, str]:
    """Dispatch a waterfall whose every listener has to answer. Gives the answer and who speaks.

    Raises `ListenerFault` for a listener that raises, or that returns nothing with or without `next()`.
    """
    if not runtime.has_listeners(event.name):
        return await runtime.waterfall(event.name, (payload,), default, target), "tools"
    made: list[_Judged] = []

    def make(*args: Any) -> _Judged:
        made.append(_Judged(*args))
        return made[0]

    try:
        answer = await runtime.waterfall(event.name, (payload,), default, target, make)
    except Exception as error:
        dispatch = made[0] if made else None
        if dispatch is not None and dispatch.silent is not None:
            raise _no_result(dispatch.silent, event) from None
        raise _raised(dispatch, event, error) from error
    dispatch = made[0]
    if dispatch.silent is not None:
        raise _no_result(dispatch.silent, event)
    return answer, dispatch.speaker


def _no_result(record: ListenerRecord, event: Event) -> ListenerFault:
    how = "without calling next()" if record.asked == 0 else "after calling next()"
    return ListenerFault(
        "LISTENER_NO_RESULT",
        f"listener {record.label!r} of plugin {record.owner!r} on {event.name} returned nothing, {how}; "
        "it must return a decision, such as `return await next()`",
    )


def _raised(dispatch: _Judged | None, event: Event, error: Exception) -> ListenerFault:
    culprit = next((each for each in dispatch.records if each.outcome == "raised"), None) if dispatch else None
    who = f"listener {culprit.label!r} of plugin {culprit.owner!r}" if culprit is not None else "a listener"
    code = str(getattr(error, "code", ""))
    return ListenerFault(
        "INACTIVE_CONTEXT" if code == "INACTIVE_CONTEXT" else "LISTENER_FAILED",
        f"{who} on {event.name} raised: {in_words(error)}",
    )
