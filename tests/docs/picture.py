"""Makes the pictures of the README and the docs, one of each place.

    uv run python tests/docs/picture.py [NAME ...]

A picture carries no outside font, no random id, no path of this machine and no time that was measured, so
that the same screen gives the same file.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from textual.pilot import Pilot

from workbench.config import open_composition
from workbench.tui.app import WorkbenchApp
from workbench.tui.live import CompositionSubject
from workbench.tui.view.compare_sides import CompareTarget, Now, OtherScope
from workbench.tui.view.entries import EntryKey

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "workbench" / "docs" / "images"
SIZE = (120, 36)


@dataclass(frozen=True, slots=True)
class Picture:
    """One place on one sample."""

    name: str
    """Of the file, without its ending."""
    sample: str
    place: str = "Prompt"
    target: object = None
    """What is looked at there."""
    keys: Sequence[str] = ()
    """Pressed then."""
    theme: str = "dark"


PICTURES = (
    Picture("prompt", "reviewers", keys=("down",)),
    Picture("trace", "waterfall", "Trace", ("listener", "house_voice", "soften")),
    Picture("registry", "reviewers", "Registry", EntryKey("section", "review:verdict", "review")),
    Picture("compare", "reviewers", "Compare", CompareTarget(OtherScope("style-reviewer"), Now())),
)


async def main(names: Sequence[str]) -> None:
    os.chdir(ROOT)
    for picture in PICTURES:
        if not names or picture.name in names:
            target = FOLDER / f"{picture.name}.svg"
            target.write_text(_portable(await _taken(picture)), encoding="utf-8")
            print(target.relative_to(ROOT))


async def _taken(picture: Picture) -> str:
    path = Path("sample_configs") / f"{picture.sample}.yml"
    async with open_composition(path) as opened:
        app = WorkbenchApp(CompositionSubject(opened, picture.sample), theme=picture.theme)
        async with app.run_test(size=SIZE) as pilot:
            await _rest(pilot, app)
            await app.go_to(picture.place, picture.target)
            for key in picture.keys:
                await _rest(pilot, app)
                await pilot.press(key)
            await _rest(pilot, app)
            return app.export_screenshot(title=f"workbench {picture.sample}")


async def _rest(pilot: Pilot[int], app: WorkbenchApp) -> None:
    """Until nothing is being worked out; a picture is no test, so a second is enough for what tells nobody."""
    await pilot.pause(1)
    while app.viewing.is_busy:
        await pilot.pause(0.1)


def _portable(svg: str) -> str:
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace("Fira Code", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono")
    return re.sub(r"terminal-\d+", "terminal", svg)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
