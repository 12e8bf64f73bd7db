"""What the pictures are of, where a sample alone does not show it: a session, packages, a team that has lived."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from datetime import UTC, datetime, tzinfo
from inspect import isawaitable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import tests.support.previews as p
from tests.agent.verdicts import sessions as s
from tests.tui.packages_by_hand import AT, NOW, HandPackages
from workbench.config import OpenedComposition
from workbench.tui.app import WorkbenchApp
from workbench.tui.log_subject import LogSubject
from workbench.tui.memory import Memory
from workbench.tui.opener import Opener

MOMENT = datetime(2026, 5, 14, 11, 40, tzinfo=UTC)


async def done(result: object) -> None:
    """What a preparation is about, if it has to be waited for."""
    if isawaitable(result):
        await result


class _OneMoment(datetime):
    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Any:
        return MOMENT


@contextmanager
def one_moment() -> Iterator[None]:
    """Whatever is saved, or told by its age, is of one moment."""

    def clock(at: float) -> str:
        seconds = int(at - AT) + 14 * 3600
        return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"

    with ExitStack() as stack:
        stack.enter_context(patch("workbench.team.store.versions.datetime", _OneMoment))
        for module in ("place", "showing"):
            stack.enter_context(patch(f"workbench.tui.places.team.{module}.local_now", lambda: MOMENT))
        stack.enter_context(patch("workbench.tui.view.packages_words.monotonic", lambda: NOW))
        for module in ("words", "detail", "trial", "pages"):
            stack.enter_context(patch(f"workbench.tui.view.packages_{module}.clock", clock))
        stack.enter_context(patch("workbench.tui.view.packages_record.moment", clock))
        yield


@asynccontextmanager
async def start(theme: str) -> AsyncIterator[WorkbenchApp]:
    """`workbench` alone, on a machine where nothing was opened yet."""
    app = WorkbenchApp(memory=Memory(), open_file=lambda path: opener.open(path), theme=theme)
    opener = Opener(app)
    opening = asyncio.create_task(opener.run())
    yield app
    opening.cancel()
    await asyncio.gather(opening, return_exceptions=True)


@asynccontextmanager
async def session(theme: str) -> AsyncIterator[WorkbenchApp]:
    """A recorded session in which a clock near the top broke the prefix once, and a package did later."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "harbour.jsonl"
        story = s.Story(path)
        good = [s.IDENTITY, s.PERSONA, *s.TOOLS[:4]]
        for _ in range(3):
            story.step(good, [s.ALPHA, s.lookup(50)])
        story.step([s.IDENTITY, s.clock(1), s.PERSONA, *s.TOOLS[:4]], [s.ALPHA, s.lookup(50)])
        story.declare("package", "package notices was started by the agent", "notices")
        notices = s.Section("notices:mariners", "End each answer with the notices.", "notices", "package")
        for _ in range(4):
            story.step([*good, notices], [s.ALPHA, s.lookup(100)])
        story.run.session.close_now()
        _strip_times(path)
        subject = LogSubject.open_now(path, path.name)
        reading = asyncio.create_task(subject.run())
        try:
            yield WorkbenchApp(subject, theme=theme)
        finally:
            reading.cancel()
            await asyncio.wait({reading})
            subject.close()


def _strip_times(path: Path) -> None:
    """As another harness may write it."""
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        for key in ("time", "createdAt"):
            record.pop(key, None)
        lines.append(json.dumps(record | ({"id": "harbour"} if record["type"] == "session" else {})))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@asynccontextmanager
async def packages(theme: str) -> AsyncIterator[WorkbenchApp]:
    """Packages in every state, and one that asks to run in a page."""
    yield WorkbenchApp(p.FakeSubject(counted=p.in_words, packages=HandPackages()), theme=theme)


async def a_default_moved(opened: OpenedComposition) -> None:
    """The team has a text of its own, and its default is another one since."""
    team = opened.runtime.root.team
    shipped = team.builtins
    now = shipped.parts["runtime/replies"].text
    then = now.replace("One sentence is the default; a message of more than 100 words is refused.", "Be brief.")
    assert then != now
    team.store.use_builtins(shipped.changed({"runtime/replies": then}))
    newest = await team.store.newest()
    proposal = newest.config.as_proposal()
    ours = then.replace("Be brief.", "Be brief, and name the port first.")
    proposal["overrides"]["runtime/replies"] = {"text": ours}
    await team.save(proposal, newest.revision)
    team.store.use_builtins(shipped)
    await team.refresh()
