"""The packages of a runtime, where a plugin runs them: most compositions have none, and wait for nothing of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.core import Runtime
    from workbench.tui.live_packages import LivePackages
    from workbench.tui.packages_records import LiveRecords

EVENTS = (
    "cordis/package-state",
    "cordis/package-change",
    "cordis/request-run",
    "cordis/request-run-resolved",
    "cordis/package-output",
    "page/change",
)
"""Of the runner and of its page, after which something else may be shown (`workbench.dynamic.events`)."""


class Runners:
    """The packages of a runtime, while a plugin runs them."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._live: LivePackages | None = None
        self._records: LiveRecords | None = None
        self.changed: Callable[[str], object] = lambda _topic: None
        """Told of what no event of the runner tells: that a define was refused."""

    def read(self) -> LivePackages | None:
        """The same object as long as it is the same runner; None: the composition has none."""
        service = self._runtime.root.get("dynamic")
        if service is None:
            return None
        from workbench.tui.live_packages import LivePackages
        from workbench.tui.packages_records import LiveRecords

        if self._records is None:
            self._records = LiveRecords(self._runtime, lambda: self.changed("packages"))
        if self._live is None or self._live.service is not service:
            self._live = LivePackages(service, self._records)
        return self._live

    def close(self) -> None:
        """Nobody looks any more; it may be read again."""
        if self._records is not None:
            self._records.close()
        self._records = self._live = None


def follow(runtime: Runtime, changed: Callable[[str], object]) -> Callable[[], object]:
    """Calls `changed("packages")` after each event of the runner; returns how to stop that."""

    def on_event(*_given: object) -> None:
        changed("packages")

    listening = [runtime.root.on(event, on_event) for event in EVENTS]

    def stop() -> None:
        for each in listening:
            each()

    return stop
