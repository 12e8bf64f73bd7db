"""Config: validation before each activation, and updates (spec: Config)."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from tests.support.plugins import Boom, Log, P, States, n_of, refuses, svc
from workbench.core import Context, Runtime


class Settings(BaseModel):
    n: int = 1
    words: list[str] = []


async def test_no_config_is_an_empty_one_for_a_model(root: Context, log: Log) -> None:
    await root.plugin(P("p", lambda ctx, config: log.append(config), Config=Settings))
    assert log == [Settings(n=1)]


async def test_without_a_validator_the_value_passes_as_it_is(root: Context, log: Log) -> None:
    value = object()
    for config in (None, 0, value):
        await root.plugin(P("p", lambda ctx, config: log.append(config)), config)
    assert log[:2] == [None, 0]
    assert log[2] is value


async def test_a_callable_validator_gives_the_config(root: Context, log: Log) -> None:
    await root.plugin(P("p", lambda ctx, config: log.append(config), Config=lambda raw: raw * 2), 21)
    assert log == [42]


async def test_a_validator_that_raises_is_an_invalid_config(root: Context, log: Log) -> None:
    def validator(raw: object) -> object:
        raise ValueError("not like this")

    fiber = root.plugin(P("the-plugin", lambda ctx: log.append("ran"), Config=validator), 1)
    with refuses("CONFIG_INVALID", "not like this", "the-plugin"):
        await fiber
    assert (fiber.state, log) == ("failed", [])


async def test_one_line_per_problem_with_its_path(root: Context) -> None:
    fiber = root.plugin(P("p", Config=Settings), {"n": "x", "words": ["ok", 3]})
    with refuses("CONFIG_INVALID") as caught:
        await fiber
    lines = str(caught.value).splitlines()
    assert [line for line in lines if "n" in line.split(":")[0] and "words" not in line]
    assert [line for line in lines if "words" in line and "1" in line]
    assert len(lines) >= 2


async def test_config_is_validated_before_each_activation_after_the_dependencies(
    rt: Runtime, root: Context, log: Log
) -> None:
    def validator(raw: object) -> object:
        log.append(("validated", root.get("a")))
        return raw

    fiber = await root.plugin(P("p", lambda ctx: log.append("ran"), inject=["a"], Config=validator), 1)
    assert log == []
    provider = await root.plugin(svc("a"))
    await rt.quiesce()
    assert log == [("validated", "v:a"), "ran"]
    await fiber.restart()
    assert log == [("validated", "v:a"), "ran"] * 2
    await provider.dispose()
    assert len(log) == 4


async def test_invalid_config_is_seen_when_the_dependencies_are_there(rt: Runtime, root: Context) -> None:
    fiber = await root.plugin(P("p", inject=["a"], Config=Settings), {"n": "x"})
    assert fiber.state == "pending"
    root.provide("a", 1)
    await rt.quiesce()
    assert fiber.state == "failed"


async def test_update_restarts_with_the_new_config(root: Context, log: Log) -> None:
    states = States(root)
    fiber = await root.plugin(P("p", lambda ctx, config: log.append(config.n), Config=Settings), {"n": 1})
    states.clear()
    await fiber.update({"n": 2})
    assert log == [1, 2]
    assert n_of(fiber.config) == 2
    assert states.of("p") == "active → disposing → loading → active"


async def test_an_update_that_fails_to_load_raises(root: Context) -> None:
    def apply(ctx: Context, config: Any) -> None:
        if config == 2:
            raise Boom("boom")

    fiber = await root.plugin(P("p", apply), 1)
    with pytest.raises(Boom):
        await fiber.update(2)
    assert fiber.state == "failed"
    await fiber.update(1)
    assert fiber.state == "active"


async def test_internal_config_changes_the_raw_config_of_one_activation(root: Context, log: Log) -> None:
    async def doubles(fiber: Any, config: Any, next: Any) -> Any:
        return 2 * await next()

    root.on("internal/config", doubles)
    fiber = await root.plugin(P("p", lambda ctx, config: log.append(config)), 21)
    assert log == [42]
    await fiber.restart()
    assert log == [42, 42]


async def test_an_internal_config_listener_that_raises_fails_the_load(root: Context, log: Log) -> None:
    def fails(*_: object) -> None:
        raise Boom("boom")

    stop = root.on("internal/config", fails)
    fiber = root.plugin(P("p", lambda ctx: log.append("ran")))
    with pytest.raises(Boom):
        await fiber
    assert (fiber.state, log) == ("failed", [])
    await stop()
    await fiber.restart()
    assert fiber.state == "active"


async def test_an_internal_update_listener_that_raises_refuses_the_update(root: Context, log: Log) -> None:
    def fails(*_: object) -> None:
        raise Boom("boom")

    fiber = await root.plugin(P("p", lambda ctx, config: log.append(config)), 1)
    root.on("internal/update", fails)
    with pytest.raises(Boom):
        await fiber.update(2)
    assert (fiber.state, fiber.config, log) == ("active", 1, [1])


async def test_an_update_is_validated_before_anybody_is_asked(root: Context, log: Log) -> None:
    fiber = await root.plugin(P("p", Config=Settings), {"n": 1})
    root.on("internal/update", lambda *args: log.append("asked"))
    with refuses("CONFIG_INVALID"):
        await fiber.update({"n": "x"})
    assert log == []
