"""Work beside the loop: begun in one way, and nothing is left of it where the screen closes first."""

from __future__ import annotations

import ast
import gc
import warnings
from functools import partial
from pathlib import Path

from textual.app import App

import workbench.tui
from tests.support.previews import FakeSubject
from workbench.tui.app import WorkbenchApp
from workbench.tui.workers import runs, start_worker


async def test_work_that_is_cancelled_before_it_begins_is_no_coroutine_yet_and_does_not_run() -> None:
    done: list[str] = []

    async def work(what: str) -> None:
        done.append(what)

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        async with App[None]().run_test() as pilot:
            cancelled = start_worker(pilot.app, partial(work, "first"), group="group")
            follows = start_worker(pilot.app, lambda: work("second"), group="group", exclusive=True)
            assert not runs(cancelled)
            assert runs(follows)
            await follows.wait()
            left = start_worker(pilot.app, partial(work, "third"), group="other")
            pilot.app.workers.cancel_all()
        del cancelled, left
        gc.collect()
    assert (done, warned) == (["second"], [])
    assert not runs(follows)


async def test_a_workbench_that_closes_at_once_leaves_nothing_unawaited() -> None:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        app = WorkbenchApp(FakeSubject())
        async with app.run_test():
            app.action_reload()
            assert app.viewing.subject is not None
            app.viewing.checking.start(app.viewing.subject)
            app.exit()
            app.workers.cancel_all()
        gc.collect()
    assert warned == []


def test_no_other_module_of_the_screen_begins_workers() -> None:
    folder = Path(workbench.tui.__file__).parent
    begins = {
        file.relative_to(folder).as_posix()
        for file in folder.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "run_worker"
    }
    assert begins == {"workers.py"}
