"""A list of 3,000 rows after a change of some of them, against Textual's DataTable filled anew.

Ours is everything from a preview, or from the tables of a runtime, to the rows on the screen; theirs are
`clear()` and `add_rows()` with the cells ready made. Both are measured twice: the call alone, which is what the
event loop is held up by at once, and until the screen has been painted. All are on one screen of one app.

    python tests/benchmarks/bench_rows.py
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.widgets import DataTable

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks.measure import HEADER, Settings, compare_async, settings
from tests.support.previews import big, in_words, preview
from workbench.config.registry.reading import RegistryReader
from workbench.core import Runtime
from workbench.prompt import PromptConfig, SystemPrompt
from workbench.tui import themes
from workbench.tui.places.prompt.model import PromptModel
from workbench.tui.view.registry_rows import Folds, Shape, rows
from workbench.tui.widgets.entry_list import EntryList
from workbench.tui.widgets.registry_tree import RegistryTree

ROWS = 3000
CHANGED = 10
GOAL = 0.25


class Screen(App[None]):
    """The two lists of ours and the table."""

    CSS = "Horizontal > * { width: 1fr; height: 100%; }"

    def __init__(self) -> None:
        shipped = themes.shipped()
        super().__init__()
        self.register_theme(themes.textual_theme(shipped[themes.DEFAULT]))
        self.theme = f"workbench-{themes.DEFAULT}"
        self.variables = themes.variables(shipped[themes.DEFAULT])

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return themes.variables(themes.shipped()[themes.DEFAULT])

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield EntryList()
            yield RegistryTree()
            yield DataTable()


async def painted(app: Screen, change: Callable[[], object]) -> None:
    """Makes the change, and returns when the screen shows it."""
    done = asyncio.Event()
    change()
    app.screen.call_after_refresh(done.set)
    await done.wait()


async def called(change: Callable[[], object]) -> None:
    """Makes the change, and does not wait for the screen."""
    change()


def prompt_list(app: Screen) -> Callable[[], None]:
    """The list of the place Prompt, from one preview to another."""
    listing = app.query_one(EntryList)
    model = PromptModel()
    first = big(ROWS)
    sections = tuple(
        replace(each, rendered=f"{each.rendered} More.", text=f"{each.text} More.")
        if index % (ROWS // CHANGED) == 0
        else each
        for index, each in enumerate(first.sections)
    )
    second = preview(sections, (), first.tools, first.variables)
    turns = [(first, in_words(first)), (second, in_words(second))]

    def show() -> None:
        turns.reverse()
        shown, sizes = turns[0]
        model.load(shown, (), sizes)
        listing.show_rows(model.rows(blanks=True), model.changed, model.chosen, model.sizes)

    return show


def registry_tree(app: Screen, runtime: Runtime) -> Callable[[], None]:
    """The tree of the place Registry, while a plugin registers some sections anew."""
    tree = app.query_one(RegistryTree)
    reader = RegistryReader(runtime)
    prompt: Any = runtime.root.system_prompt
    undo = {index: prompt.section(f"part:{index:04}", index, f"Part {index}.") for index in range(ROWS)}
    folds = Folds({("layer", "global", "section"): True})

    def show() -> None:
        for index in range(0, ROWS, ROWS // CHANGED):
            undo[index]()
            undo[index] = prompt.section(f"part:{index:04}", index, f"Part {index}, again.")
        tree.show_rows(rows(reader.read(), folds, Shape(blanks=True)), None, "layer", {})

    return show


def table(app: Screen) -> Callable[[], None]:
    """Four ready cells in each row."""
    widget: DataTable[str] = app.query_one(DataTable)
    widget.add_columns("order", "name", "owner", "size")
    cells = [(str(index), f"part:{index:04}", "files", str(100 + index % 50)) for index in range(ROWS)]

    def show() -> None:
        widget.clear()
        widget.add_rows(cells)

    return show


async def measure(how: Settings) -> None:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig())
        app = Screen()
        async with app.run_test(size=(180, 40)) as pilot:
            await pilot.pause()
            lists = {"Prompt": prompt_list(app), "Registry": registry_tree(app, runtime)}
            theirs = table(app)
            print(HEADER)
            for name, ours in lists.items():
                ratio = await compare_async(lambda: called(ours), lambda: called(theirs), how)  # noqa: B023
                print(ratio.line(f"{name}, {ROWS:,} rows, the call", GOAL))
                both = (lambda: painted(app, ours), lambda: painted(app, theirs))  # noqa: B023
                print((await compare_async(*both, how)).line(f"{name}, {ROWS:,} rows, painted", GOAL))


if __name__ == "__main__":
    asyncio.run(measure(settings(__doc__ or "")))
