"""Makes the picture of the README.

    uv run python tests/docs/picture.py

The picture carries no outside font, no random id and no path of this machine, so that the same screen gives
the same file.
"""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path

from workbench.config import open_composition
from workbench.tui.app import WorkbenchApp
from workbench.tui.live import CompositionSubject

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "workbench" / "docs" / "images" / "prompt.svg"
SAMPLE = Path("sample_configs") / "reviewers.yml"
SIZE = (120, 36)


async def main() -> None:
    os.chdir(ROOT)
    async with open_composition(SAMPLE) as opened:
        app = WorkbenchApp(CompositionSubject(opened, SAMPLE.stem))
        async with app.run_test(size=SIZE) as pilot:
            await pilot.press("down")
            await pilot.pause(1)
            picture = app.export_screenshot(title=f"workbench {SAMPLE.stem}")
    TARGET.write_text(_portable(picture), encoding="utf-8")


def _portable(svg: str) -> str:
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace("Fira Code", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono")
    return re.sub(r"terminal-\d+", "terminal", svg)


if __name__ == "__main__":
    asyncio.run(main())
