"""Roles for themes that know nothing of them: those that come with Textual, the terminal's own colours too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual.color import Color

from workbench.tui.themes import ThemeFile
from workbench.tui.view.pieces import ROLES, Role

if TYPE_CHECKING:
    from textual.theme import Theme

READABLE = 4.5
"""Contrast of every text with what it stands on, at least."""


def roles_of(theme: Theme) -> Mapping[Role, str]:
    """A colour for each role: `#rrggbb`, or the name of one of the terminal's own colours."""
    return _terminal_colours(is_dark=theme.dark) if theme.ansi else _mixed(theme)


def described(theme: Theme) -> ThemeFile:
    """The same as the themes of ours are known."""
    about = "The terminal's own colours." if theme.ansi else "One of Textual's own themes."
    return ThemeFile(theme.name, theme.name, theme.dark, about, roles_of(theme))


def _mixed(theme: Theme) -> dict[Role, str]:
    generated = theme.to_color_system().generate()

    def named(name: str) -> Color:
        return Color.parse(generated[name])

    base = named("background")
    far = Color.parse("#ffffff" if theme.dark else "#000000")
    text = _readable(named("foreground"), base)

    def ground(share: float) -> Color:
        return base.blend(text, share)

    grounds: dict[Role, Color] = {
        "base": base,
        "panel": ground(0.05),
        "raised": ground(0.08),
        "cursor": base.blend(named("primary"), 0.25),
        "cursor-idle": ground(0.07),
        "key": ground(0.15),
        "rule": ground(0.2),
        "added-line": base.blend(named("success"), 0.12),
        "added-words": base.blend(named("success"), 0.28),
        "removed-line": base.blend(named("error"), 0.12),
        "removed-words": base.blend(named("error"), 0.28),
        "failed-line": base.blend(named("error"), 0.12),
    }
    texts: dict[Role, Color] = {
        "strong": text.blend(far, 0.6),
        "text": text,
        "soft": text.blend(base, 0.2),
        "faint": text.blend(base, 0.35),
        "focus": named("primary"),
        "owner-harness": named("primary").blend(text, 0.4),
        "owner-deployment": named("secondary"),
        "owner-plugin": named("success"),
        "owner-package": named("warning"),
        "owner-team": named("accent"),
        "value": named("primary").blend(text, 0.3),
        "listener": named("warning").blend(text, 0.3),
        "added": named("success"),
        "removed": named("error"),
        "changed": named("warning"),
        "kept": named("primary").blend(named("success"), 0.5),
        "broken": named("error").blend(named("warning"), 0.4),
        "pending": named("warning"),
        "running": named("success"),
        "waiting": named("primary").blend(text, 0.5),
        "failed": named("error"),
    }
    hardest = min((grounds[role] for role in _UNDER_TEXT), key=lambda each: contrast(each, text))
    colours = {role: colour.hex6 for role, colour in grounds.items()}
    colours |= {role: _readable(colour, hardest).hex6 for role, colour in texts.items()}
    return {role: colours[role] for role in ROLES}


_UNDER_TEXT: tuple[Role, ...] = ("base", "panel", "raised", "cursor", "cursor-idle", "key")


def _readable(colour: Color, ground: Color) -> Color:
    """The nearest colour on the way to white or black that can be read on the ground."""
    far = max((Color.parse("#000000"), Color.parse("#ffffff")), key=lambda each: contrast(each, ground))
    steps = (colour.blend(far, step / 20) for step in range(21))
    return next((each for each in steps if contrast(each, ground) >= READABLE), far)


def contrast(first: Color, second: Color) -> float:
    """Contrast ratio as WCAG defines it: 1 to 21."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Color) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour.normalized]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _terminal_colours(*, is_dark: bool) -> dict[Role, str]:
    """No background but the terminal's own, except under a cursor and a key: its user chose what can be read."""
    bright = "ansi_bright_" if is_dark else "ansi_"
    known: dict[Role, str] = {
        "cursor": "ansi_bright_black" if is_dark else "ansi_white",
        "key": "ansi_bright_black" if is_dark else "ansi_white",
        "rule": "ansi_bright_black",
        "focus": bright + "blue",
        "owner-harness": bright + "blue",
        "owner-deployment": bright + "magenta",
        "owner-plugin": bright + "cyan",
        "owner-package": "ansi_yellow",
        "owner-team": "ansi_magenta",
        "value": bright + "blue",
        "listener": "ansi_yellow",
        "added": bright + "green",
        "removed": bright + "red",
        "changed": "ansi_yellow",
        "kept": bright + "cyan",
        "broken": bright + "red",
        "pending": "ansi_yellow",
        "running": bright + "green",
        "waiting": bright + "blue",
        "failed": bright + "red",
    }
    return {role: known.get(role, "ansi_default") for role in ROLES}
