"""The person's own themes: files in a folder, read when the workbench starts and whenever they change.

Source: docs/tui.md 5.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from workbench.tui.themes import ThemeError, ThemeFile, read

LARGEST = 100_000
"""Bytes of a theme file, at most."""
QUIET_SECONDS = 0.2
"""A change counts as ended when nothing has changed for so long."""


def folder() -> Path:
    """Where the files are looked for. It need not exist."""
    from platformdirs import user_config_path

    return user_config_path("prompt-workbench") / "themes"


def load(where: Path) -> tuple[dict[str, ThemeFile], list[str]]:
    """The themes in a folder by name, and what is wrong with the other files; blocks on the disk."""
    found: dict[str, ThemeFile] = {}
    problems: list[str] = []
    for path in sorted((*where.glob("*.yaml"), *where.glob("*.yml"))):
        try:
            if path.stat().st_size > LARGEST:
                raise ThemeError(f"{path}: larger than {LARGEST:,} bytes; a theme has some forty lines")
            theme = read(str(path), path.read_text("utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            problems.append(f"{path}: {error}")
        except ThemeError as error:
            problems.append(str(error))
        else:
            if theme.name in found:
                problems.append(f"{path}: there is a theme {theme.name!r} already; give it another `name:`")
            else:
                found[theme.name] = theme
    return found, problems


async def follow(where: Path, changed: Callable[[], object]) -> None:
    """Calls `changed` after each change in the folder, until cancelled; one that does not exist may come."""
    watching = await asyncio.to_thread(import_module, "workbench.watching")
    async with watching.Watch([where], quiet=QUIET_SECONDS) as watch:
        while await watch.changed():
            changed()
