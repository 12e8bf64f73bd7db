"""The picture of the screen as a file."""

from __future__ import annotations

import re

import tests.support.previews as p
from tests.tui.conftest import opened
from workbench.tui.hands.exports import with_wide_characters


async def test_wide_characters_have_their_width_in_the_picture() -> None:
    """Rich says how many characters a piece has, and a viewer squeezes wide ones into that."""
    name = "日本語:節"
    subject = p.FakeSubject(p.preview([p.entry(name, 1, "Be brief.", p.BASH)], scope="main"))
    async with opened(subject) as screen:
        svg = screen.app.export_screenshot()
    mended = with_wide_characters(svg)
    widths = re.compile(rf'textLength="([\d.]+)"[^>]*>{name}<')
    assert {float(width) for width in widths.findall(svg)} == {5 * 12.2}
    assert {float(width) for width in widths.findall(mended)} == {9 * 12.2}
    narrow = re.compile(r"<text [^>]*>(?=Be&#160;brief|Sections)[^<]*</text>")
    assert narrow.findall(svg) == narrow.findall(mended)
