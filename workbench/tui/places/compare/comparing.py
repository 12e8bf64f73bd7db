"""Comparing beside the loop: load both sides, compare in a thread, and say what is being done if it takes long."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from textual.app import App
from textual.timer import Timer
from textual.worker import Worker

from workbench.prompt.views import Preview
from workbench.tui.places.compare.sides import Nothing, Side, SideError, Sides
from workbench.tui.view.compare import Comparison, compare
from workbench.tui.view.compare_sides import Now, Previous, SideChoice, SideWords, words_of
from workbench.tui.view.difference import Form
from workbench.tui.viewing.viewing import Viewing
from workbench.tui.workers import runs, start_worker
from workbench.values.frozen import FrozenDict

BothMessages = tuple[Sequence[FrozenDict], Sequence[FrozenDict]]
SLOW = 0.3
"""Seconds after which it is said what is being done."""

log = logging.getLogger("workbench.tui")


class Problem(NamedTuple):
    """Why there is nothing to see."""

    side: str
    """`left`, `right`, or empty."""
    reasons: tuple[str, ...]
    """Outside text; () where there is nothing to compare with yet."""


class Comparing:
    """One comparison at a time, as a worker of the app."""

    def __init__(
        self, app: App[Any], viewing: Viewing, show: Callable[[], object], tell: Callable[[], object]
    ) -> None:
        """`show` is called when there is something else to see, `tell` when there is something else to say."""
        self._app = app
        self._show = show
        self._tell = tell
        self.sides = Sides(app, viewing, self.start)
        self.left: SideChoice = Previous()
        self.right: SideChoice = Now()
        self.words = SideWords("…"), SideWords("…")
        self.comparison: Comparison | None = None
        self.problem: Problem | None = None
        self.form: Form | None = None
        """What the screen asks for: rows of that form are there when `comparison` is."""
        self.stage = ""
        """What is being done now."""
        self.is_slow = False
        self.compared: tuple[Preview, Preview] | None = None
        """What `comparison` is of."""
        self._worker: Worker[None] | None = None
        self._timer: Timer | None = None

    @property
    def is_running(self) -> bool:
        """A comparison has not come back."""
        return runs(self._worker)

    def choose(self, left: SideChoice, right: SideChoice) -> None:
        """Compares something else."""
        if (left, right) != (self.left, self.right):
            self.left, self.right = left, right
            self.sides.keep_only(left, right)
        self.start()

    def start(self) -> None:
        """Compares what is there now; one that runs is given up."""
        if self._app.is_running:
            self._worker = start_worker(self._app, self._compare, group="compare", exclusive=True)

    def close(self) -> None:
        """Nothing is compared or open any more."""
        if self._worker is not None:
            self._worker.cancel()
        self._stop_clock()
        self.sides.keep_only()

    def forget(self) -> None:
        """Something else is looked at altogether."""
        self.close()
        self.left, self.right = Previous(), Now()
        self.comparison = self.problem = self.compared = None
        self.words = SideWords("…"), SideWords("…")

    async def _compare(self) -> None:
        self._start_clock()
        try:
            await self._compare_both()
        except asyncio.CancelledError:
            raise
        except Exception as error:  # ours, or of a plugin in another file
            log.exception("the two sides could not be compared")
            self._fail(Problem("", (f"{type(error).__name__}: {error}",)))
        self._stop_clock()
        self._show()

    async def _compare_both(self) -> None:
        loaded: list[Side] = []
        for name, choice in (("left", self.left), ("right", self.right)):
            self.stage = f"loading the {name} side"
            try:
                loaded.append(await self.sides.load(choice))
            except SideError as error:
                self._fail(Problem(name, tuple(str(error).split("\n"))))
                return
            except Nothing:
                self._fail(Problem(name, ()))
                return
        before, after = loaded
        messages = None
        if before.messages is not None and after.messages is not None:
            messages = before.messages, after.messages
        comparison = self.comparison
        both = before.preview, after.preview
        if (
            comparison is None
            or self.compared is None
            or any(one is not other for one, other in zip(both, self.compared, strict=True))
        ):
            comparison = await self._in_thread(*both, messages)
        if self.form is not None and comparison.is_large and not comparison.has_layout(self.form):
            self.stage = "laying out the lines"
            await asyncio.to_thread(comparison.layout, self.form)
        self.words = before.words, after.words
        self.comparison, self.compared, self.problem = comparison, both, None

    async def _in_thread(self, before: Preview, after: Preview, messages: BothMessages | None) -> Comparison:
        given_up = threading.Event()

        def progress(stage: str) -> None:
            self.stage = stage

        try:
            return await asyncio.to_thread(
                compare, before, after, messages=messages, given_up=given_up, progress=progress
            )
        finally:
            given_up.set()

    def _fail(self, problem: Problem) -> None:
        self.problem = problem
        self.words = words_of(self.left), words_of(self.right)
        self.comparison = self.compared = None

    # saying what is being done

    def _start_clock(self) -> None:
        self._stop_clock()
        self._timer = self._app.set_interval(SLOW, self._tick, name="comparing")

    def _stop_clock(self) -> None:
        self.is_slow = False
        self.stage = ""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _tick(self) -> None:
        self.is_slow = True
        self._tell()
