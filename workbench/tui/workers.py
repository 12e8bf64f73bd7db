"""Work of the screen beside the loop's other work: where it is begun, for every place, sheet and command."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from textual.dom import DOMNode
from textual.worker import Worker


def start_worker(
    node: DOMNode,
    work: Callable[[], Coroutine[Any, Any, None]],
    *,
    group: str,
    exclusive: bool = False,
    exit_on_error: bool = False,
) -> Worker[None]:
    """Begins `work` as a worker of `node`, which cancels it when it goes.

    `work` is called once the worker runs: a coroutine made before that would be one that nobody awaits where the
    screen closes first. `exclusive`: what runs of the same group at this node is cancelled. `exit_on_error`: an
    exception ends the app; otherwise the worker keeps it.
    """

    async def begun() -> None:  # Textual asks for a function that it knows as asynchronous
        await work()

    return node.run_worker(begun, name=group, group=group, exclusive=exclusive, exit_on_error=exit_on_error)


def runs(worker: Worker[None] | None) -> bool:
    """It will come to an end by itself. One that is cancelled before its first step never says that it is over."""
    return worker is not None and not worker.is_finished and not worker.is_cancelled
