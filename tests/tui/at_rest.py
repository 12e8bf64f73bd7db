"""Waiting for the screen: until nothing is left to be done, or until something is so; never for some time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot

from workbench.tui.app import WorkbenchApp
from workbench.tui.workers import runs

PATIENCE = 50.0
"""Seconds: other suites may share the cores."""
TURNS = 5_000
"""Of the loop, after which it is said to be idle although something always follows, such as a flood."""

SHORT = ("compare path", "copy", "export", "repeats", "samples", "save", "step difference")
"""Groups of workers that never wait for anybody."""


async def idle(*_: float) -> None:
    """Until the loop has nothing that can be done now: all messages have been handled, but for those of timers."""
    ready: Any = asyncio.get_running_loop()._ready  # type: ignore[attr-defined]
    quiet = 0
    for _turn in range(TURNS):
        await asyncio.sleep(0)
        quiet = 0 if ready else quiet + 1
        if quiet == 2:  # what came through a socket or from a thread is in the second turn
            return


async def settled(pilot: Pilot[int]) -> None:
    """No work is under way, the bridge has nothing to tell, and the screen is quiet."""
    await until(pilot, lambda: True)


async def until(pilot: Pilot[int], is_so: Callable[[], object]) -> None:
    """Settled, and this is so: what a thread, a file watcher or a timer brings about may still have to come."""
    app = pilot.app
    assert isinstance(app, WorkbenchApp)
    loop = asyncio.get_running_loop()
    end = loop.time() + PATIENCE
    while loop.time() < end:
        if await _is_painted(pilot) and _is_quiet(app) and is_so():
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"it does not come to be, busy: {not _is_quiet(app)}\n{text_of(app)}")


async def comes(is_so: Callable[[], object]) -> None:
    """This is so, while other work may go on."""
    loop = asyncio.get_running_loop()
    end = loop.time() + PATIENCE
    while loop.time() < end:
        await idle()
        if is_so():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it does not come to be")


def text_of(app: Any) -> str:
    """All that is on the screen, line by line."""
    compositor = app.screen._compositor
    return "\n".join("".join(segment.text for segment in strip) for strip in compositor.render_strips())


async def _is_painted(pilot: Pilot[int]) -> bool:
    """Everything is handled and painted, without a wait for the next frame."""
    await pilot._wait_for_screen()  # also for a handler that waits for something
    for _ in range(20):
        await idle()
        screen = pilot.app.screen
        if not _wants_paint(screen):
            return pilot.app._batch_count == 0
        screen._on_timer_update()
    return False


def _wants_paint(screen: Any) -> bool:
    return bool(
        screen._layout_required
        or screen._scroll_required
        or screen._repaint_required
        or screen._recompose_required
        or screen._dirty_widgets
        or screen._callbacks
    )


def _is_quiet(app: WorkbenchApp) -> bool:
    is_busy = any(getattr(where, "is_busy", False) for where in (app.viewing, app.place, app.screen))
    is_working = any(worker.group in SHORT and runs(worker) for worker in app.workers)
    return not (is_busy or is_working or app.bridge.is_due or app._resize_event)
