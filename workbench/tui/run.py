"""The workbench as a program: the runtime outside, the app inside, signals, and the exit code.

The screen comes first. What is opened is imported, read and loaded behind it, so that the first paint
waits for none of that.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

from workbench.core.watchdog import DEFAULT_LIMIT, Watchdog
from workbench.tui import collector, user_themes
from workbench.tui import keymap as keymaps
from workbench.tui.app import WorkbenchApp
from workbench.tui.memory import Memory, file_of_person, load
from workbench.tui.opener import Opener
from workbench.visible import visible_line

CLOSING_SECONDS = 5.0
"""How long plugins have to stop when the workbench is left."""
UNSTOPPED = 1
"""Exit code when they did not."""
START_SECONDS = 3.0
"""A start that takes longer than this waits for something."""
SIGNALS = "SIGTERM", "SIGHUP", "SIGINT"


class UnknownTheme(ValueError):
    """There is no theme of that name; the message says which there are."""


def run_workbench(
    path: str = "",
    *,
    name: str | None = None,
    theme: str = "",
    keymap: str | None = None,
    signs_in_ascii: bool | None = None,
    turn_limit: float = DEFAULT_LIMIT,
) -> int:
    """Opens a file, or the start screen, until the person leaves; the exit code.

    `name` is shown in place of the path. `theme`: the one that was chosen last, if left out.
    `keymap`: a file of keys, instead of the person's own. `signs_in_ascii`: None is as remembered. A plugin that
    holds the loop for `turn_limit` seconds is interrupted, and named. Raises `UnknownTheme`.
    """
    keys = keymaps.load(None if keymap is None else Path(keymap))
    return asyncio.run(_watched(path, name or path, theme, keys, signs_in_ascii, turn_limit))


def run_demo(*, theme: str = "", keymap: str | None = None, signs_in_ascii: bool | None = None) -> int:
    """Walks through the places on the samples; the exit code. Raises `UnknownTheme`."""
    keys = keymaps.load(None if keymap is None else Path(keymap))

    async def watched() -> int:
        with Watchdog(DEFAULT_LIMIT):
            return await _walk(theme, keys, signs_in_ascii)

    return asyncio.run(watched())


async def _watched(
    path: str, name: str, theme: str, keys: keymaps.Keymap, signs_in_ascii: bool | None, turn_limit: float
) -> int:
    with Watchdog(turn_limit):
        return await _open(path, name, theme, keys, signs_in_ascii)


async def _open(path: str, name: str, theme: str, keys: keymaps.Keymap, signs_in_ascii: bool | None) -> int:
    memory = load(file_of_person())
    app = WorkbenchApp(name=name, memory=memory, keymap=keys, open_file=lambda file: opener.open(file))
    app.signs_in_ascii = signs_in_ascii
    opener = Opener(app)
    _choose_theme(app, theme, memory.theme)
    if path:
        opener.open(path, name, may_come=True)
    return await _run(app, opener, memory, name)


async def _walk(theme: str, keys: keymaps.Keymap, signs_in_ascii: bool | None) -> int:
    from workbench.tui.demo.app import DemoApp
    from workbench.tui.demo.steps import STEPS

    remembered = load(file_of_person()).theme
    memory = Memory()  # of a walk nothing is remembered
    app: WorkbenchApp = DemoApp(memory=memory, keymap=keys, open_file=lambda file: opener.open(file))
    app.signs_in_ascii = signs_in_ascii
    opener: Opener = Opener(app)
    _choose_theme(app, theme, remembered)
    opener.open(STEPS[0].sample)
    return await _run(app, opener, memory, "demo")


async def _run(app: WorkbenchApp, opener: Opener, memory: Memory, name: str) -> int:
    _leave_on_signals(app)
    asyncio.get_running_loop().call_later(START_SECONDS, collector.resume)
    opening = asyncio.create_task(opener.run(), name="open files")
    opening.add_done_callback(lambda task: app.exit(1) if not task.cancelled() else None)
    try:
        await app.run_async()
    finally:
        _stop_listening()
        opening.cancel()
        done, _ = await asyncio.wait({opening}, timeout=CLOSING_SECONDS)
        await asyncio.to_thread(_save, memory)
    if not done:
        _end_at_once(f"{visible_line(name)}: plugins did not stop within {CLOSING_SECONDS:.0f} s", UNSTOPPED)
    if not opening.cancelled() and opening.exception() is not None:
        raise opening.exception() or RuntimeError
    return app.exit_code


def _end_at_once(sentence: str, code: int) -> NoReturn:
    """A plugin that takes no cancellation would keep the process for ever; the terminal is restored already."""
    print(sentence, file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _choose_theme(app: WorkbenchApp, wanted: str, remembered: str) -> None:
    """Before the first paint: the person's own themes are read only where one of them may be meant."""
    name, theming = wanted or remembered, app.theming
    if name and not theming.has(name):
        theming.read_own(user_themes.folder())  # what is wrong there is told when the folder is followed
    if wanted and not theming.has(wanted):
        raise UnknownTheme(f"there is no theme {wanted!r}; known: {', '.join(theming.names())}")
    if name:
        app.theme = theming.name_for_textual(name)


def _save(memory: Memory) -> None:
    try:
        memory.save()
    except OSError as error:
        print(f"{memory.file}: what was open is not remembered: {error.strerror or error}", file=sys.stderr)


def _leave_on_signals(app: WorkbenchApp) -> None:
    """The terminal is restored only by a proper exit."""
    loop = asyncio.get_running_loop()
    for name in SIGNALS:
        number = getattr(signal, name, None)
        if number is not None:
            try:
                loop.add_signal_handler(number, _leave, app, number)
            except NotImplementedError:  # Windows
                return


def _leave(app: WorkbenchApp, number: int) -> None:
    if number != signal.SIGINT or not app.is_away:  # an interrupt is meant for the editor that has the terminal
        app.exit(128 + number)


def _stop_listening() -> None:
    """Once the app has gone, a second signal ends the process as it does everywhere."""
    loop = asyncio.get_running_loop()
    for name in SIGNALS:
        number = getattr(signal, name, None)
        if number is not None:
            try:
                loop.remove_signal_handler(number)
            except NotImplementedError:
                return
