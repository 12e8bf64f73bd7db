"""Opening an address in the browser of the person, without giving it the terminal.

Browsers that draw on a terminal are left out: it is ours. What the others print is thrown away.

Source: docs/tui.md 11.
"""

from __future__ import annotations

import subprocess
import webbrowser
from pathlib import PurePath

ON_TERMINAL = frozenset({"elinks", "links", "lynx", "w3m", "www-browser"})
"""Programs that `webbrowser` starts like any other, and that draw on a terminal."""
PATIENCE = 1.0
"""Seconds after which a program that was started is taken for the browser."""


def open_address(url: str) -> bool:
    """Ask the system's browser for it; False: there is none here. Blocks for a moment: for threads."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    if isinstance(browser, webbrowser.GenericBrowser):  # also what a person has named in `BROWSER`
        return PurePath(browser.name).name not in ON_TERMINAL and _started(browser, url)
    if not getattr(browser, "background", True):
        return False  # one that draws on the terminal, too
    try:
        return browser.open(url)
    except (webbrowser.Error, OSError):
        return False


def _started(browser: webbrowser.GenericBrowser, url: str) -> bool:
    command = [browser.name, *(argument.replace("%s", url) for argument in browser.args)]
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return False
    try:
        return process.wait(timeout=PATIENCE) == 0
    except subprocess.TimeoutExpired:
        _RUNNING.append(process)
        return True  # it is the browser itself, and runs


_RUNNING: list[subprocess.Popen[bytes]] = []
"""Browsers that were started here: they outlive us, and nobody waits for them."""
