"""Choosing a side, from what there is or by a path, and keeping one for later."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from textual.app import App

from workbench.prompt.views import Preview
from workbench.tui.view.compare_sides import OtherFile, SideChoice, Snapshot, side_items
from workbench.tui.view.picker import Item
from workbench.tui.viewing.viewing import Viewing
from workbench.tui.workers import start_worker
from workbench.visible import visible_line

Take = Callable[[SideChoice], object]


async def pick_side(
    app: App[Any], viewing: Viewing, recent: Sequence[str], which: str, present: SideChoice, take: Take
) -> None:
    """Lets the person choose; `recent`: paths that were open before."""
    from workbench.config.snapshots import folder_of_person, saved_snapshots
    from workbench.tui.widgets.picker import pick

    if viewing.subject is None:
        return
    snapshots = await asyncio.to_thread(saved_snapshots, folder_of_person())
    items, choices = side_items(viewing.history, viewing.subject.scopes, snapshots, recent, viewing.scope)
    current = next((item_id for item_id, choice in choices.items() if choice == present), None)

    def picked(item_id: str) -> None:
        if item_id in choices:
            take(choices[item_id])
        else:
            path = item_id.partition(":")[2]
            start_worker(app, partial(_take_path, path, take), group="compare path", exclusive=True)

    await pick(app, items, f"{which} side, or a path", picked, current, typed=_typed_path)


async def keep_snapshot(app: App[Any], preview: Preview, name: str, done: Callable[[str], object]) -> None:
    """Asks where to write a snapshot of `preview`, and says then where it is. Raises `OSError`."""
    from workbench.config.snapshots import SUFFIX, folder_of_person, snapshot_bytes
    from workbench.tui.hands.saving import file_name
    from workbench.tui.widgets.save_sheet import SaveSheet

    scope = preview.trace.scope

    def prepare() -> tuple[Path, bytes]:
        folder = folder_of_person()
        folder.mkdir(parents=True, exist_ok=True)
        stamp = time.strftime("%Y-%m-%d-%H%M%S")
        file = folder / file_name(Path(name).stem, scope.strip("()"), stamp, ending=SUFFIX)
        return file, snapshot_bytes(preview, file=name, scope=scope)

    def saved(path: Path | None) -> None:
        if path is not None:
            done(str(visible_line(str(path))))

    file, data = await asyncio.to_thread(prepare)
    app.push_screen(SaveSheet(data, "a snapshot of the right side", str(file)), saved)


def _typed_path(query: str) -> Item | None:
    """What the person has typed, as a file or the name of a sample."""
    query = query.strip()
    if not query:
        return None
    about = "A composition, the name of a sample, or a snapshot."
    return Item(f"path:{query}", query, "at that path", group="Other files", help=about)


async def _take_path(path: str, take: Take) -> None:
    take(await asyncio.to_thread(_choice, path))


def _choice(path: str) -> SideChoice:
    from workbench.config.snapshots import looks_like_snapshot

    expanded = str(Path(path).expanduser()) if path.startswith("~") else path
    return Snapshot(expanded) if looks_like_snapshot(Path(expanded)) else OtherFile(expanded)
