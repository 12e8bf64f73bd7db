"""The workbench as a program: the runtime outside, the app inside, signals, and the exit code.

The screen comes first. What is opened is imported, read and loaded behind it, so that the first paint
waits for none of that.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from importlib import import_module

from workbench.core.watchdog import DEFAULT_LIMIT, Watchdog
from workbench.tui import themes
from workbench.tui.app import WorkbenchApp

CLOSING_SECONDS = 5.0
"""How long plugins have to stop when the workbench is left."""


def run_workbench(
    path: str, *, name: str | None = None, theme: str = themes.DEFAULT, turn_limit: float = DEFAULT_LIMIT
) -> int:
    """Opens a file until the person leaves; the exit code.

    `name` is shown in place of the path. A plugin that holds the loop for `turn_limit` seconds is
    interrupted, and named.
    """
    return asyncio.run(_watched(path, name or path, theme, turn_limit))


async def _watched(path: str, name: str, theme: str, turn_limit: float) -> int:
    with Watchdog(turn_limit):
        return await _open(path, name, theme)


async def _open(path: str, name: str, theme: str) -> int:
    app = WorkbenchApp(name=name, theme=theme)
    _leave_on_signals(app)
    opening = asyncio.create_task(_look_at(path, name, app), name=f"open {path}")
    opening.add_done_callback(lambda task: app.exit(1) if not task.cancelled() else None)
    try:
        await app.run_async()
    finally:
        opening.cancel()
        done, _ = await asyncio.wait({opening}, timeout=CLOSING_SECONDS)
    if not done:
        print(f"{name}: plugins did not stop within {CLOSING_SECONDS:.0f} s", file=sys.stderr)
        return 1
    if not opening.cancelled() and opening.exception() is not None:
        raise opening.exception() or RuntimeError
    return app.return_code or app.return_value or 0


async def _look_at(path: str, name: str, app: WorkbenchApp) -> None:
    """Opens the composition and shows it, until cancelled."""
    await app.is_painted.wait()
    await asyncio.to_thread(_import_rooms)
    from workbench.config.opened import open_composition
    from workbench.tui.live import CompositionSubject

    async with open_composition(path, even_if_broken=True) as opened:
        opened.watch()
        app.show(CompositionSubject(opened, name))
        await asyncio.Event().wait()


def _import_rooms() -> None:
    """What takes long to import, away from the loop."""
    for module in ("workbench.config.opened", "workbench.tui.live"):
        import_module(module)


def _leave_on_signals(app: WorkbenchApp) -> None:
    """The terminal is restored only by a proper exit."""
    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None:
            try:
                loop.add_signal_handler(number, app.exit, 128 + number)
            except NotImplementedError:  # Windows
                return
