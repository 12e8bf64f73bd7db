"""The clipboard of the machine that the workbench runs on, by the program that the system has for it.

Over SSH that is another machine than the person's; the terminal's own way (OSC 52) reaches theirs.
Source: docs/tui.md 3.2.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from typing import NamedTuple

PATIENCE = 3.0
"""Seconds that such a program has."""


class Program(NamedTuple):
    """Takes the text on its standard input."""

    command: tuple[str, ...]
    encoding: str = "utf-8"


def programs(environ: Mapping[str, str], platform: str) -> list[Program]:
    """Those that could work here, the best first."""
    if platform == "darwin":
        return [Program(("pbcopy",))]
    if platform == "win32":
        return [Program(("clip",), "utf-16-le")]
    found = []
    if environ.get("WAYLAND_DISPLAY"):
        found.append(Program(("wl-copy",)))
    if environ.get("DISPLAY"):
        found += [Program(("xclip", "-selection", "clipboard")), Program(("xsel", "--clipboard", "--input"))]
    if environ.get("WSL_DISTRO_NAME"):
        found.append(Program(("clip.exe",), "utf-16-le"))
    if environ.get("TERMUX_VERSION"):
        found.append(Program(("termux-clipboard-set",)))
    return found


def program_here(which: Callable[[str], str | None] = shutil.which) -> Program | None:
    """The one to use; None: there is no clipboard, or no program for it."""
    return next((each for each in programs(os.environ, sys.platform) if which(each.command[0])), None)


async def copy(text: str) -> str | None:
    """Copies with the program of this machine; its name, or None where there is none or it fails."""
    program = await asyncio.to_thread(program_here)
    if program is None:
        return None
    try:
        process = await asyncio.create_subprocess_exec(
            *program.command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return None
    try:
        async with asyncio.timeout(PATIENCE):
            await process.communicate(text.encode(program.encoding, "surrogatepass"))
    except (TimeoutError, OSError):
        return None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return program.command[0] if process.returncode == 0 else None
