"""The events of the runtime itself (spec: Framework events)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.plugins import Boom, Log, P, States, svc
from tests.support.records import Records
from workbench.core import Context, Fiber, Runtime


def raises(*_: object) -> None:
    raise Boom("observer")


async def test_internal_plugin_tells_of_the_beginning_and_the_end(root: Context, log: Log) -> None:
    root.on("internal/plugin", lambda fiber, *_: log.append((fiber.name, str(fiber.state))))
    fiber = await root.plugin(P("p"))
    await fiber.restart()
    assert log == [("p", "pending")]
    await fiber.dispose()
    assert len(log) == 2
    assert log[1][0] == "p"


async def test_internal_service_tells_of_both_ends(root: Context, log: Log) -> None:
    root.on("internal/service", lambda name, entered, *_: log.append((name, bool(entered))))
    provider = await root.plugin(svc("a"))
    await provider.dispose()
    assert log == [("a", True), ("a", False)]


@pytest.mark.parametrize("event", ["internal/status", "internal/service"])
async def test_an_observer_that_raises_is_logged(
    rt: Runtime, root: Context, log: Log, errors: Records, event: str
) -> None:
    watcher = await root.plugin(P("the-watcher"))
    watcher.context.on(event, raises)
    root.on(event, lambda *_: log.append("later observers are called"))
    provider = await root.plugin(svc("a"))
    await rt.quiesce()
    assert provider.state == "active"
    assert log
    assert errors.naming("the-watcher", event)
    await provider.dispose()
    assert provider.state == "disposed"


async def test_an_update_is_vetoed_by_not_calling_next(root: Context, log: Log) -> None:
    async def sometimes(fiber: Fiber, config: Any, next: Any) -> Any:
        log.append((fiber.name, config))
        if config != "no":
            await next()

    root.on("internal/update", sometimes)
    fiber = await root.plugin(P("p"), 1)
    await fiber.update("no")
    assert fiber.config == 1
    await fiber.update("yes")
    assert fiber.config == "yes"
    assert log == [("p", "no"), ("p", "yes")]


async def test_only_the_update_of_an_active_fiber_is_asked_for(rt: Runtime, root: Context, log: Log) -> None:
    root.on("internal/update", lambda *args: log.append("asked"))
    fiber = await root.plugin(P("p", inject=["absent"]), 1)
    await fiber.update(2)
    assert (fiber.config, log) == (2, [])


async def test_status_is_told_for_every_change_in_order(rt: Runtime, root: Context) -> None:
    states = States(root)
    fiber = await root.plugin(P("p"))
    await fiber.restart()
    await fiber.dispose()
    assert states.of("p") == "pending → loading → active → disposing → loading → active → disposing → disposed"


async def test_a_status_observer_sees_what_its_state_promises(rt: Runtime, root: Context, log: Log) -> None:
    """At `active` the service is visible; at `disposed` nothing of it is."""

    def observer(fiber: Fiber, old: str) -> None:
        if fiber.name == "svc:a":
            log.append((str(fiber.state), root.get("a")))

    root.on("internal/status", observer)
    provider = await root.plugin(svc("a"))
    await provider.dispose()
    assert ("active", "v:a") in log
    assert log[-1] == ("disposed", None)


async def test_an_observer_may_dispose_what_it_hears_of(rt: Runtime, root: Context) -> None:
    def observer(fiber: Fiber, old: str) -> None:
        if fiber.state == "active":
            fiber.dispose()

    root.on("internal/status", observer)
    fiber = root.plugin(P("p"))
    await rt.quiesce()
    assert fiber.state == "disposed"


async def test_an_observer_may_load_what_it_needs(rt: Runtime, root: Context) -> None:
    loaded: list[Fiber] = []

    def observer(name: str, entered: bool, *_: object) -> None:
        if name == "a" and entered:
            loaded.append(root.plugin(P("companion", inject=["a"])))

    root.on("internal/service", observer)
    provider = await root.plugin(svc("a"))
    await rt.quiesce()
    assert [fiber.state for fiber in loaded] == ["active"]
    await provider.dispose()
    assert [fiber.state for fiber in loaded] == ["pending"]


async def test_watchers_hear_of_framework_events_and_dispatches(rt: Runtime, root: Context, log: Log) -> None:
    stop = rt.watch(lambda kind, payload: log.append(kind))
    await root.plugin(svc("a"))
    await root.waterfall("ev")
    root.emit("ev")
    assert {"plugin", "status", "service", "waterfall"} <= set(log)
    stop()
    log.clear()
    await root.plugin(P("p"))
    assert log == []


async def test_watchers_hear_of_every_dispatch_in_its_mode(rt: Runtime, root: Context) -> None:
    heard: list[tuple[str, str, object]] = []

    def watcher(kind: str, payload: Any) -> None:
        if kind == "dispatch":
            heard.append((payload.event, payload.mode, payload.target))

    stop = rt.watch(watcher)
    key = object()
    root.emit("ev", target=key)
    root.bail("ev")
    await root.serial("ev")
    await root.parallel("ev")
    await root.waterfall("ev")
    stop()
    root.emit("ev")
    assert heard == [
        ("ev", "emit", key),
        *(("ev", mode, None) for mode in ("bail", "serial", "parallel", "waterfall")),
    ]
