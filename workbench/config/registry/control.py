"""Stopping, restarting and starting a plugin, with the proof that nothing is left of what it did.

Source: docs/registry.md 3, docs/runtime.md 10.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

from workbench.config.registry.facts import Left, Outcome
from workbench.config.registry.plugins import fiber_of
from workbench.prompt.service import PromptService
from workbench.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from workbench.core import Fiber, Runtime
    from workbench.core.activation import Activation


class NoSuchPlugin(LookupError):
    """It is gone already, or cannot be stopped."""


async def end_plugin(runtime: Runtime, uid: int, action: Literal["stop", "restart"]) -> Outcome:
    """Stop or restart a plugin, and search the runtime for what the ended activations still own.

    Cancelling it cancels the waiting, never the undo. Raises `NoSuchPlugin`.
    """
    fiber = fiber_of(runtime, uid)
    if fiber is None:
        raise NoSuchPlugin(f"there is no plugin with the number {uid} any more")
    if fiber.is_root:
        raise NoSuchPlugin("the root is the program itself; it ends with it")
    subtree = [each for each in runtime.fibers() if each is fiber or fiber.is_ancestor_of(each)]
    ended = [each.activation for each in subtree]
    error = ""
    try:
        await (fiber.dispose() if action == "stop" else fiber.restart())
    except Exception as raised:
        error = f"{type(raised).__name__}: {raised}"
    gone = subtree if action == "stop" else [each for each in subtree if each is not fiber]
    return Outcome(action, fiber.name, tuple(left_of(runtime, gone, ended)), error, time.time(), uid)


async def start_plugin(fiber: Fiber) -> Outcome:
    """Load again, where it was loaded before, what `end_plugin` has stopped.

    Cancelling it cancels the waiting, never the load. Raises `NoSuchPlugin` when what had loaded it has ended.
    """
    home = fiber.home
    if home is None or home.home.ledger.closed or home.home.phase:
        parent = fiber.parent.name if fiber.parent is not None else "the root"
        raise NoSuchPlugin(f"{fiber.name} was loaded by {parent}, which has ended or was loaded again since")
    error = ""
    started = home.plugin(fiber.code.plugin, fiber.config)
    uid = started.uid or 0
    try:
        await started
    except Exception as raised:
        error = f"{type(raised).__name__}: {raised}"
    return Outcome("start", fiber.name, (), error, time.time(), uid)


def left_of(runtime: Runtime, fibers: Iterable[Fiber], activations: Iterable[Activation]) -> list[Left]:
    """What fibers that have ended, or activations that are over, still own. An empty list is the proof."""
    return list(dict.fromkeys(_left(runtime, list(fibers), list(activations))))


def _left(runtime: Runtime, fibers: list[Fiber], activations: list[Activation]) -> Iterator[Left]:
    ledgers = {id(each) for each in activations}
    gone = {id(each) for each in fibers}

    def is_theirs(ledger: Activation | None) -> bool:
        return ledger is not None and (id(ledger) in ledgers or id(ledger.fiber) in gone)

    for fiber in runtime.fibers():
        if id(fiber) in gone:
            yield Left("plugin", fiber.name)
    for event, listeners in runtime.events.all_listeners().items():
        yield from (Left("listener", f"{each.label} on {event}") for each in listeners if is_theirs(each.ledger))
    for activation in activations:
        yield from (Left("effect", part.label) for part in activation.node().children)
        yield from (Left("running call", call.label) for call in activation.calls)
        yield from (Left("service", name) for name in runtime.services_table.names_of(activation))
    for dispatch in runtime.dispatches:
        if any(is_theirs(listener.ledger) for listener in dispatch.entered):
            yield Left("dispatch", dispatch.label)
    for view in runtime.services():
        if isinstance(view.value, PromptService):
            yield from _left_in_prompt(view.value, is_theirs)
        elif isinstance(view.value, ToolRegistry):
            yield from _left_in_tools(view.value, is_theirs)
    yield from _left_elsewhere(runtime, fibers)


def _left_in_prompt(prompt: PromptService, is_theirs: Any) -> Iterator[Left]:
    for layer in prompt.layers:
        for table in (layer.sections, layer.contexts, layer.variables, layer.tools, layer.suppressors):
            for entry in table.entries.values():
                if is_theirs(entry.ledger):
                    yield Left(entry.kind, entry.name)


def _left_in_tools(registry: ToolRegistry, is_theirs: Any) -> Iterator[Left]:
    for layer in registry.layers():
        yield from (Left("tool", tool.name) for tool in layer.tools.values() if is_theirs(tool.ledger))
        yield from (Left("guard", guard.label) for guard in layer.guards if is_theirs(guard.ledger))
        yield from (Left("restriction", "of tools") for each in layer.restrictions if is_theirs(each.ledger))


def _left_elsewhere(runtime: Runtime, fibers: Iterable[Fiber]) -> Iterator[Left]:
    """Registries that this module knows nothing of say in the snapshot whose their entries are.

    Names are all that a snapshot has, so only those are searched for that no living plugin bears.
    """
    names = {fiber.name for fiber in fibers} - {fiber.name for fiber in (runtime.root_fiber, *runtime.fibers())}
    if not names:
        return
    known = {
        f"{view.name} {view.label}".strip()
        for view in runtime.services()
        if isinstance(view.value, PromptService | ToolRegistry)
    }
    for registry, described in json.loads(runtime.snapshot()).get("registries", {}).items():
        if registry not in known:
            for name in _owned(described, names):
                yield Left(f"entry of {registry}", name)


def _owned(described: Any, names: set[str]) -> Iterator[str]:
    """`[name, …, owner]` and `{"owner": owner}`, as registries write them."""
    if isinstance(described, dict):
        if described.get("owner") in names:
            yield str(described.get("name") or described["owner"])
        for value in described.values():
            yield from _owned(value, names)
    elif isinstance(described, list):
        if len(described) > 1 and all(isinstance(each, str) for each in described) and described[-1] in names:
            yield str(described[0])
        for value in described:
            yield from _owned(value, names)
