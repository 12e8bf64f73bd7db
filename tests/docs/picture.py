"""Makes the pictures of the README and the docs: the start screen, and one of each place.

    uv run python tests/docs/picture.py [NAME ...]

A picture carries no outside font, no random id and no path of this machine, so that the same screen gives the
same file. Only Trace and Registry differ each time: they say how long an assembly took, and when.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from textual.pilot import Pilot

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.docs import stages
from workbench.config import OpenedComposition, open_composition
from workbench.tui.app import WorkbenchApp
from workbench.tui.live import CompositionSubject
from workbench.tui.view.compare_sides import CompareTarget, Now, OtherScope
from workbench.tui.view.entries import EntryKey
from workbench.tui.view.team_entries import EntryId

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "workbench" / "docs" / "images"
SIZE = (120, 36)
Stage = Callable[[str], AbstractAsyncContextManager[WorkbenchApp]]


@dataclass(frozen=True, slots=True)
class Picture:
    """One place."""

    name: str
    """Of the file, without its ending."""
    stage: Stage
    """What it is a picture of."""
    place: str = ""
    target: object = None
    """What is looked at there."""
    keys: Sequence[str] = ()
    """Pressed then."""
    theme: str = "dark"


def sample(name: str, prepared: Callable[[OpenedComposition], object] | None = None) -> Stage:
    """A shipped sample, opened as `workbench NAME` does it. `prepared`: what a person has done in it before."""

    @asynccontextmanager
    async def opened(theme: str) -> AsyncIterator[WorkbenchApp]:
        async with open_composition(Path("sample_configs") / f"{name}.yml") as composition:
            if prepared is not None:
                await stages.done(prepared(composition))
            yield WorkbenchApp(CompositionSubject(composition, name), theme=theme)

    return opened


PICTURES = (
    Picture("start", stages.start, keys=("down", "down")),
    Picture("prompt", sample("reviewers"), "Prompt", keys=("down",)),
    Picture("trace", sample("waterfall"), "Trace", ("listener", "house_voice", "soften")),
    Picture("registry", sample("reviewers"), "Registry", EntryKey("section", "review:verdict", "review")),
    Picture("compare", sample("reviewers"), "Compare", CompareTarget(OtherScope("style-reviewer"), Now())),
    Picture("session", stages.session),
    Picture("packages", stages.packages, "Packages", "dyn-2"),
    Picture(
        "team", sample("team-orchestrator", stages.a_default_moved), "Team", EntryId("part", "runtime/replies")
    ),
)


async def main(names: Sequence[str]) -> None:
    os.chdir(ROOT)
    os.environ["TZ"] = "UTC"
    time.tzset()
    unknown = set(names) - {picture.name for picture in PICTURES}
    if unknown:
        raise SystemExit(f"there is no picture {', '.join(unknown)}")
    for picture in PICTURES:
        if not names or picture.name in names:
            target = FOLDER / f"{picture.name}.svg"
            target.write_text(_portable(await _taken(picture)), encoding="utf-8")
            print(target.relative_to(ROOT))


async def _taken(picture: Picture) -> str:
    with ExitStack() as stack:
        state = stack.enter_context(tempfile.TemporaryDirectory())
        os.environ["XDG_STATE_HOME"] = os.environ["XDG_CONFIG_HOME"] = state  # nobody's drafts and recent files
        stack.enter_context(stages.one_moment())
        async with picture.stage(picture.theme) as app, app.run_test(size=SIZE) as pilot:
            await _rest(pilot, app)
            if picture.place:
                await app.go_to(picture.place, picture.target)
            for key in picture.keys:
                await _rest(pilot, app)
                await pilot.press(key)
            await _rest(pilot, app)
            subject = app.viewing.subject
            return app.export_screenshot(title=f"workbench {'' if subject is None else subject.name}".rstrip())


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
