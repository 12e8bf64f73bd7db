"""The person's editor, at a line of a file.

Source: docs/tui.md 3.4.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping
from typing import NamedTuple

Arguments = Callable[[str, int, int], list[str]]


class Editor(NamedTuple):
    """How to call it."""

    command: list[str]
    needs_terminal: bool
    """It runs in this terminal, and the workbench has to wait until it has gone."""

    @property
    def name(self) -> str:
        """As a person knows it."""
        return os.path.basename(self.command[0])


def editor_at(environ: Mapping[str, str], file: str, line: int, column: int = 1) -> Editor | None:
    """The call that opens the file at that place; None: no editor is named.

    `$VISUAL` comes before `$EDITOR`. Raises `ValueError` when it cannot be read, such as for an open quote.
    An editor that is not known gets the file alone.
    """
    wish = environ.get("VISUAL", "").strip() or environ.get("EDITOR", "").strip()
    if not wish:
        return None
    words = shlex.split(wish, posix=os.name != "nt")
    if os.name == "nt":
        words = [word.strip('"') for word in words]
    name = os.path.basename(words[0]).lower().removesuffix(".exe").removesuffix(".cmd")
    path = os.path.join(os.curdir, file) if file.startswith(("-", "+")) else file
    place = _PLACES.get(name, _file_alone)
    return Editor([*words, *place(path, line, column)], _needs_terminal(name, words, environ))


def _needs_terminal(name: str, words: list[str], environ: Mapping[str, str]) -> bool:
    if name == "emacs":
        has_display = bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))
        return not has_display or bool({"-nw", "-t", "--no-window-system", "-batch"} & set(words))
    if name == "emacsclient":
        return bool({"-t", "-nw", "--tty"} & set(words)) or not ({"-c", "-n", "--no-wait"} & set(words))
    return name not in _WITH_WINDOWS


def _file_alone(file: str, line: int, column: int) -> list[str]:
    return [file]


def _plus_line(file: str, line: int, column: int) -> list[str]:
    return [f"+{line}", file]


def _vim(file: str, line: int, column: int) -> list[str]:
    return [f"+call cursor({line},{column})", file]


def _plus_comma(file: str, line: int, column: int) -> list[str]:
    return [f"+{line},{column}", file]


def _plus_colon(file: str, line: int, column: int) -> list[str]:
    return [f"+{line}:{column}", file]


def _colons(file: str, line: int, column: int) -> list[str]:
    return [f"{file}:{line}:{column}"]


def _goto(file: str, line: int, column: int) -> list[str]:
    return ["--goto", f"{file}:{line}:{column}"]


def _options(file: str, line: int, column: int) -> list[str]:
    return ["--line", str(line), "--column", str(column), file]


def _mate(file: str, line: int, column: int) -> list[str]:
    return ["--line", f"{line}:{column}", file]


def _notepad(file: str, line: int, column: int) -> list[str]:
    return [f"-n{line}", f"-c{column}", file]


_WAYS: dict[Arguments, str] = {
    _vim: "vim nvim gvim mvim vimx gvimdiff",
    _plus_line: "vi nvi view elvis joe jed jmacs jstar jupp ne mg jove gedit mcedit less",
    _plus_comma: "nano pico rnano",
    _plus_colon: "emacs emacsclient micro kak",
    _colons: "hx helix subl sublime_text zed zeditor lapce dit edit amp",
    _goto: "code code-insiders codium vscodium cursor windsurf code-oss trae",
    _options: "kate kwrite idea pycharm webstorm goland clion rustrover phpstorm rubymine",
    _mate: "mate",
    _notepad: "notepad++",
}
_PLACES: dict[str, Arguments] = {name: way for way, names in _WAYS.items() for name in names.split()}
_WITH_WINDOWS = frozenset(
    (
        "gvim mvim gedit subl sublime_text zed zeditor lapce code code-insiders codium vscodium cursor windsurf "
        "code-oss trae kate kwrite idea pycharm webstorm goland clion rustrover phpstorm rubymine mate notepad "
        "notepad++ open xdg-open gnome-text-editor mousepad xed pluma leafpad textedit"
    ).split()
)
