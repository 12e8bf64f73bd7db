"""Themes as data: a file gives a colour to each role, and a screen names roles only."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.tui.view.pieces import ROLES, Role

if TYPE_CHECKING:
    from textual.theme import Theme

DEFAULT = "dark"


class ThemeError(ValueError):
    """A theme file that cannot be used; the message names file, line where known, and remedy."""


@dataclass(frozen=True, slots=True)
class ThemeFile:
    """One theme, checked."""

    name: str
    title: str
    is_dark: bool
    about: str
    """One sentence."""
    colours: Mapping[Role, str]
    """Of every role, as `#rrggbb`."""


@cache
def shipped() -> Mapping[str, ThemeFile]:
    """The themes that come with the workbench, by name; the default first."""
    found = [read(entry.name, entry.read_text("utf-8")) for entry in _files()]
    found.sort(key=lambda theme: (theme.name != DEFAULT, theme.name))
    return {theme.name: theme for theme in found}


def read(file: str, text: str) -> ThemeFile:
    """The theme in `text`; raises `ThemeError` with everything that is wrong with it."""
    raw = _flat(text)
    if raw is None:
        raw = _yaml(file, text)
    problems: list[str] = []
    known = {*ROLES, *_FIELDS}
    for key in raw:
        if key not in known:
            near = get_close_matches(key, known, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            problems.append(f"{_at(file, text, key)}: unknown role {key!r}{hint}")
    for role in ROLES:
        value = raw.get(role)
        if value is None:
            problems.append(f'{file}: role {role!r} has no colour; add `{role}: "#rrggbb"`')
        elif not _COLOUR.fullmatch(value):
            problems.append(f'{_at(file, text, role)}: {value!r} is not a colour; write it as "#rrggbb"')
    if not raw.get("name"):
        problems.append(f"{file}: the theme has no name; add `name: …`")
    if raw.get("dark", "true") not in {"true", "false"}:
        problems.append(f"{_at(file, text, 'dark')}: `dark` is true or false")
    if problems:
        raise ThemeError("\n".join(problems))
    return ThemeFile(
        name=raw["name"],
        title=raw.get("title", raw["name"]),
        is_dark=raw.get("dark", "true") == "true",
        about=raw.get("about", ""),
        colours={role: raw[role] for role in ROLES},
    )


def textual_theme(theme: ThemeFile) -> Theme:
    """The same as a Textual theme: every role is a variable, such as `$owner-plugin`."""
    from textual.theme import Theme

    colours = theme.colours
    return Theme(
        name=f"workbench-{theme.name}",
        primary=colours["focus"],
        secondary=colours["owner-deployment"],
        accent=colours["focus"],
        warning=colours["pending"],
        error=colours["failed"],
        success=colours["running"],
        foreground=colours["text"],
        background=colours["base"],
        surface=colours["base"],
        panel=colours["panel"],
        dark=theme.is_dark,
        variables={**variables(theme), **_widget_colours(colours)},
    )


def variables(theme: ThemeFile) -> dict[str, str]:
    """The roles as style variables. `$text` and `$panel` are Textual's own names, so ours have a prefix."""
    return {f"wb-{role}": colour for role, colour in theme.colours.items()}


def _widget_colours(colours: Mapping[Role, str]) -> dict[str, str]:
    """For the few stock widgets in use: scrollbars and the input."""
    return {
        "scrollbar": colours["rule"],
        "scrollbar-hover": colours["faint"],
        "scrollbar-active": colours["focus"],
        "scrollbar-background": colours["base"],
        "scrollbar-background-hover": colours["base"],
        "scrollbar-background-active": colours["base"],
        "scrollbar-corner-color": colours["base"],
        "input-cursor-background": colours["focus"],
        "input-cursor-foreground": colours["base"],
        "input-selection-background": colours["cursor"],
    }


def _files() -> list[Path]:
    """Inside the installed package, else beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    folder = next(path for path in (package / "_data" / "themes", package.parent / "themes") if path.is_dir())
    return sorted(folder.glob("*.yaml"))


def _flat(text: str) -> dict[str, str] | None:
    """The common form, a flat list of `key: value`, without loading a YAML parser; None for another form."""
    raw: dict[str, str] = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        match = _FLAT_LINE.fullmatch(line)
        if match is None or match[1] in raw:
            return None
        raw[match[1]] = match[2] if match[2] is not None else match[3]
    return raw


def _yaml(file: str, text: str) -> dict[str, str]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        loaded = YAML(typ="safe", pure=True).load(text)
    except YAMLError as error:
        raise ThemeError(f"{file}: not readable as YAML: {error}") from error
    if not isinstance(loaded, dict):
        raise ThemeError(f'{file}: a theme is a list of roles, such as `text: "#dde2ea"`')
    return {
        str(key): str(value).lower() if isinstance(value, bool) else str(value) for key, value in loaded.items()
    }


def _at(file: str, text: str, key: str) -> str:
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith(f"{key}:"):
            return f"{file}:{number}"
    return file


_FIELDS = ("name", "title", "about", "dark")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_FLAT_LINE = re.compile(r'([a-z][a-z-]*): *(?:"([^"\\]*)"|([A-Za-z][\w ,.;-]*))(?: +#.*)?')
