"""The race of whatever waits against the cancel of a turn."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from workbench.agent.cancel import PARENT, USER, CancelSignal, TurnCancelled, cause_of, hook, race


async def forever() -> None:
    await asyncio.get_running_loop().create_future()


async def turns(count: int, result: str = "done") -> str:
    for _ in range(count):
        await asyncio.sleep(0)
    return result


async def _ended(work: Coroutine[Any, Any, str], signal: CancelSignal) -> object:
    """The result, or the cause of the cancel."""
    task = asyncio.current_task()
    assert task is not None
    try:
        return await race(work, signal)
    except TurnCancelled as cancelled:
        return cancelled.cause
    finally:
        assert task.cancelling() == 0
        await turns(10)  # nothing is left in the task that could end it later


def later(count: int, signal: CancelSignal) -> None:
    """Set the signal after so many turns of the loop."""
    loop = asyncio.get_running_loop()
    if count:
        loop.call_soon(later, count - 1, signal)
    else:
        signal.set(USER)


async def test_a_result_in_time() -> None:
    assert await race(turns(3), CancelSignal()) == "done"


@pytest.mark.parametrize("after", range(8))
async def test_a_result_and_a_cancel_at_about_the_same_time(after: int) -> None:
    signal = CancelSignal()
    later(after, signal)
    [ended] = await asyncio.gather(_ended(turns(4), signal))
    assert ended in ("done", USER)
    assert ended == USER or after > 3


async def test_a_cancel_before_the_start_runs_nothing() -> None:
    signal = CancelSignal()
    signal.set(PARENT)
    with pytest.raises(TurnCancelled):
        await race(turns(1), signal)  # and no warning about a coroutine that was never awaited


async def test_work_that_sets_its_own_cancel() -> None:
    signal = CancelSignal()

    async def own() -> str:
        signal.set(USER)
        return "done"

    with pytest.raises(TurnCancelled):
        await race(own(), signal)
    await turns(3)


async def test_work_that_swallows_the_cancellation_is_waited_for() -> None:
    signal = CancelSignal()
    swallowed = []

    async def stubborn() -> str:
        try:
            await forever()
        except asyncio.CancelledError:
            swallowed.append(True)
            await turns(3)
        return "late"

    later(2, signal)
    with pytest.raises(TurnCancelled):
        await race(stubborn(), signal)
    assert swallowed == [True]


async def test_work_that_answers_the_cancellation_with_an_error() -> None:
    signal = CancelSignal()

    async def breaks() -> None:
        try:
            await forever()
        except asyncio.CancelledError:
            raise RuntimeError("on the way out") from None

    later(2, signal)
    with pytest.raises(TurnCancelled):
        await race(breaks(), signal)


async def test_a_race_inside_a_race() -> None:
    signal = CancelSignal()
    seen: list[str] = []

    async def inner() -> None:
        try:
            await race(forever(), signal)
        except TurnCancelled:
            seen.append("inner")
            await turns(3)  # cleaning up is not interrupted a second time
            seen.append("clean")
            raise

    later(2, signal)
    with pytest.raises(TurnCancelled):
        await race(inner(), signal)
    assert seen == ["inner", "clean"]
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_a_cancellation_of_the_task_itself_passes_through() -> None:
    signal = CancelSignal()
    task = asyncio.create_task(race(forever(), signal))
    await turns(2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    both = asyncio.create_task(race(forever(), signal))
    await turns(2)
    signal.set(USER)
    both.cancel()
    with pytest.raises((asyncio.CancelledError, TurnCancelled)):
        await both


async def test_the_first_cause_wins() -> None:
    signal = CancelSignal()
    assert signal.set(hook("late"))
    assert not signal.set(USER)
    assert signal.cause is not None
    assert (signal.is_set, str(signal.cause)) == (True, "hook (late)")
    assert signal.cause.to_json() == {"kind": "hook", "reason": "late"}
    await signal.wait()
    assert cause_of("parent") == PARENT
