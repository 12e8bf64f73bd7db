"""One assembly at a time, again after a change, given up when it hangs, and never in a busy circle."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine
from typing import Any

from textual.app import App
from textual.timer import Timer
from textual.worker import Worker, WorkerState

from workbench.tui.workers import runs, start_worker

PATIENCE = 1.0
"""Seconds of one assembly after which a change cancels it instead of waiting for it."""
AT_ONCE = 8
PAUSE = 0.5
"""After `AT_ONCE` assemblies within so many seconds, the next one waits for as long."""


class Assembling:
    """Runs an assembly as a worker of the app."""

    def __init__(
        self, app: App[Any], assemble: Callable[[], Coroutine[Any, Any, None]], tell: Callable[[], object]
    ) -> None:
        """`assemble` makes and shows one preview. `tell` is called when `seconds` or `error` is another."""
        self._app = app
        self._assemble = assemble
        self._tell = tell
        self.error: BaseException | None = None
        """Of the last assembly; previews hold the errors of plugins, so this is one of ours."""
        self._worker: Worker[None] | None = None
        self._began = 0.0
        self._is_stale = False
        self._ticker: Timer | None = None
        self._recent: list[float] = []
        """When changes led to assemblies, in the last `PAUSE`."""
        self._pause: Timer | None = None

    @property
    def is_running(self) -> bool:
        """An assembly has not come back."""
        return runs(self._worker)

    @property
    def is_slow(self) -> bool:
        """It is worth telling what is being waited for."""
        return self.is_running and self.seconds >= PATIENCE

    @property
    def seconds(self) -> float:
        """How long the present assembly has been running."""
        return time.monotonic() - self._began if self.is_running else 0.0

    @property
    def is_stale(self) -> bool:
        """Another assembly follows the one that runs."""
        return self._is_stale

    def start(self) -> None:
        """Assembles now; a running assembly is given up."""
        self._is_stale = False
        self._began = time.monotonic()
        self._worker = start_worker(self._app, self._assemble, group="assemble", exclusive=True)
        if self._ticker is None:
            self._ticker = self._app.set_interval(1.0, self._tick, name="assembling")

    def give_up(self) -> None:
        """What is being assembled is not shown any more."""
        self._is_stale = False
        self.error = None
        if self._pause is not None:
            self._pause.stop()
            self._pause = None
        self._stop_ticker()
        if self._worker is not None:
            self._worker.cancel()

    def after_change(self) -> None:
        """Assembles as soon as that makes sense."""
        if self.is_running and self.seconds < PATIENCE:
            self._is_stale = True
        elif self._pause is None:
            now = time.monotonic()
            self._recent = [moment for moment in self._recent if now - moment < PAUSE]
            if len(self._recent) < AT_ONCE:
                self._recent.append(now)
                self.start()
            else:  # a flood, or a provider that changes the registry when it is asked
                self._pause = self._app.set_timer(PAUSE, self._end_pause, name="pause")

    def worker_changed(self, event: Worker.StateChanged) -> None:
        """To be called for each change of a worker of the app."""
        if event.worker is not self._worker or not event.worker.is_finished:
            return
        self._stop_ticker()
        self.error = event.worker.error if event.state is WorkerState.ERROR else None
        self._tell()
        if self._is_stale:
            self.after_change()

    def _stop_ticker(self) -> None:
        if self._ticker is not None:
            self._ticker.stop()
            self._ticker = None

    def _tick(self) -> None:
        if self._is_stale and self.is_slow:
            self.after_change()
        self._tell()

    def _end_pause(self) -> None:
        self._pause = None
        self._recent = [time.monotonic()] * AT_ONCE  # a flood that goes on gets one assembly per pause
        self.start()
