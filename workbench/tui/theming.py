"""The themes of one app: shipped ones, the person's own, and those of Textual; read again when a file changes."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

from textual.app import App

from workbench.tui import themes, user_themes
from workbench.tui.themes import ThemeFile
from workbench.tui.view.picker import Item
from workbench.tui.widgets.paint import Painted
from workbench.visible import visible

PREFIX = "workbench-"
"""Before the names of our themes, among those of Textual."""


MOST_TOLD = 3
"""Mistakes of theme files that one message names."""


class Theming:
    """Knows all themes by name, and keeps the app's registration of ours up to date."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._shipped = themes.shipped()
        self._own: dict[str, ThemeFile] = {}
        """From the person's folder; one with the name of a shipped theme takes its place."""
        for each in self._shipped.values():
            app.register_theme(themes.textual_theme(each))

    def name_for_textual(self, name: str) -> str:
        """Of ours or of Textual's; the default where there is no such theme (any more)."""
        if name in self._shipped or name in self._own:
            return PREFIX + name
        return name if name in self._app.available_themes else PREFIX + themes.DEFAULT

    @property
    def current(self) -> str:
        """The name of the theme in force, as it is remembered."""
        return self._app.theme.removeprefix(PREFIX)

    def has(self, name: str) -> bool:
        """There is such a theme."""
        return name in self._shipped or name in self._own or name in self._app.available_themes

    def names(self) -> list[str]:
        """Of all of them, ours first."""
        theirs = [name for name in self._app.available_themes if not name.startswith(PREFIX)]
        return [*dict.fromkeys((*self._shipped, *self._own)), *theirs]

    def variables(self) -> dict[str, str]:
        """The roles for the theme in force, where it does not give them itself."""
        name = self._app.theme
        if name.startswith(PREFIX):
            return themes.variables(self._shipped[themes.DEFAULT])
        from workbench.tui.foreign_themes import described

        return themes.variables(described(self._app.get_theme(name) or self._app.current_theme))

    def items(self) -> list[Item]:
        """All of them, to pick from."""
        ours = {**self._shipped, **self._own}
        items = [
            Item(
                PREFIX + each.name,
                each.title,
                "dark" if each.is_dark else "light",
                group="Yours" if each.name in self._own else "Workbench",
                help=each.about,
            )
            for each in sorted(ours.values(), key=lambda each: each.name in self._own)
        ]
        for name, theme in self._app.available_themes.items():
            if not name.startswith(PREFIX):
                about = "The terminal's own colours." if theme.ansi else "One of Textual's own themes."
                kind = "dark" if theme.dark else "light"
                items.append(Item(name, name, kind, group="From Textual", help=about))
        return items

    def read_own(self, folder: Path) -> list[str]:
        """Reads the person's folder; what is wrong there. Blocks on the disk: at the start only."""
        found, problems = user_themes.load(folder)
        self._take(found)
        return problems

    async def follow(self, folder: Path) -> None:
        """Reads the folder, and again after each change, until cancelled."""
        changed = asyncio.Event()
        changed.set()
        watching = asyncio.create_task(user_themes.follow(folder, changed.set), name="follow the theme folder")
        told: list[str] = []
        try:
            while True:
                await changed.wait()
                changed.clear()
                found, problems = await asyncio.to_thread(user_themes.load, folder)
                self._take(found)
                new = [problem for problem in problems if problem not in told]
                if new:
                    said = _told(new, folder)
                    self._app.notify(said, title="Theme not used", severity="warning", timeout=10, markup=False)
                told = problems
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)

    def _take(self, found: dict[str, ThemeFile]) -> None:
        """A file that is broken now keeps the theme that it was, as long as the app runs."""
        in_force = self.current
        for name, theme in found.items():
            if self._own.get(name) != theme:
                self._own[name] = theme
                self._app.register_theme(themes.textual_theme(theme))
                if name == in_force and self._app.is_running:
                    self._app.refresh_css(animate=False)
                    for screen in self._app.screen_stack:
                        for widget in screen.query(Painted):
                            widget.notify_style_update()
                            widget.refresh()


def _told(problems: list[str], folder: Path) -> str:
    """The first mistake of each file, and the folder once: a file that lacks all roles would cover the screen."""
    lines = []
    for problem in problems[:MOST_TOLD]:
        first, *others = problem.replace(f"{folder}{os.sep}", "").split("\n")
        lines.append(f"{first} (and {len(others)} more)" if others else first)
    if len(problems) > MOST_TOLD:
        lines.append(f"… and {len(problems) - MOST_TOLD} more files")
    return str(visible("\n".join([*lines, f"in {folder}"])))
