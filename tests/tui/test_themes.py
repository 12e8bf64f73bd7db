"""Theme files: checked, complete, and readable for people."""

from __future__ import annotations

import pytest

from workbench.tui import themes
from workbench.tui.themes import ThemeError, ThemeFile, read, shipped, textual_theme
from workbench.tui.view.pieces import ROLES, Role

GROUNDS: tuple[Role, ...] = ("base", "panel", "raised", "cursor", "cursor-idle", "key")
TEXTS: tuple[Role, ...] = ("strong", "text", "soft", "faint", "focus", "value", "listener", "pending", "running")
LOWEST = {"dark": 4.5, "light": 4.5, "contrast": 7.0, "safe": 4.5, "mono": 4.5}


def text_of(theme: ThemeFile, **changes: str | None) -> str:
    colours = {"name": "x", **theme.colours, **{key.replace("_", "-"): value for key, value in changes.items()}}
    lines = [f'{key}: "{value}"' for key, value in colours.items() if value is not None]
    return "\n".join(lines)


DARK = shipped()["dark"]


def test_the_default_comes_first() -> None:
    assert next(iter(shipped())) == themes.DEFAULT
    assert {"dark", "light", "contrast", "safe"} <= set(shipped())


@pytest.mark.parametrize("name", LOWEST)
def test_every_pair_that_occurs_can_be_read(name: str) -> None:
    colours = shipped()[name].colours
    pairs = [(text, ground) for text in TEXTS for ground in GROUNDS if ground != "key" or text != "faint"]
    pairs += [("failed", "base"), ("failed", "failed-line"), ("text", "failed-line"), ("soft", "failed-line")]
    for text, ground in pairs:
        assert contrast(colours[text], colours[ground]) >= LOWEST[name], (text, ground)


def test_a_theme_gives_a_colour_to_every_role() -> None:
    variables = textual_theme(DARK).variables
    assert all(f"wb-{role}" in variables for role in ROLES)


def test_the_short_reader_and_yaml_agree() -> None:
    text = text_of(DARK)
    nested = "# a comment\n---\n" + text
    assert read("a.yaml", text).colours == read("a.yaml", nested).colours


def test_all_mistakes_are_named_with_place_and_remedy() -> None:
    text = text_of(DARK, soft=None, faint="grey") + '\nowner-plugn: "#ffffff"'
    with pytest.raises(ThemeError) as caught:
        read("my.yaml", text)
    message = str(caught.value)
    assert "unknown role 'owner-plugn'; did you mean 'owner-plugin'?" in message
    assert "role 'soft' has no colour" in message
    assert "'grey' is not a colour" in message
    assert "my.yaml:" in message


@pytest.mark.parametrize("text", ["- a\n- b", "a: [", "a: 1\na: 2", ""])
def test_what_is_no_theme_is_refused(text: str) -> None:
    with pytest.raises(ThemeError):
        read("bad.yaml", text)


def contrast(first: str, second: str) -> float:
    """Contrast ratio as WCAG defines it."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
