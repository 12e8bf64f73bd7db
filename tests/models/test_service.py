"""The service `models`: providers come and go with their plugins."""

from __future__ import annotations

import pytest

from workbench.core import Context, Runtime
from workbench.models import ModelError, Models, ModelsFacade, ProviderRefused
from workbench.models.scripted import ScriptedProvider


def provider(name: str) -> ScriptedProvider:
    return ScriptedProvider({"sessions": []}, name)


async def test_a_provider_is_there_while_its_plugin_runs() -> None:
    async with Runtime() as runtime:
        root = runtime.root
        await root.plugin(Models)
        facade: ModelsFacade = root.models
        changes: list[tuple[str, ...]] = []
        root.on("models/change", lambda: changes.append(facade.names()))
        before = runtime.snapshot()

        def owner(ctx: Context, _config: object) -> None:
            ctx.models.register(provider("b"))
            ctx.models.register(provider("a"))

        owner.inject = ["models"]  # type: ignore[attr-defined]
        fiber = root.plugin(owner)
        await fiber
        assert facade.names() == ("a", "b")
        assert facade.get("a") is facade.require("a")
        assert runtime.snapshot() != before
        await fiber.dispose()
        assert facade.names() == ()
        assert changes == [("b",), ("a", "b"), ("b",), ()]
        assert runtime.snapshot() == before


async def test_a_name_is_given_once() -> None:
    async with Runtime() as runtime:
        root = runtime.root
        await root.plugin(Models)
        first = provider("a")
        dispose = root.models.register(first)
        with pytest.raises(ProviderRefused, match="'a' is already registered by plugin 'root'"):
            root.models.register(provider("a"))
        assert root.models.get("a") is first
        await dispose()
        root.models.register(provider("a"))
        with pytest.raises(ProviderRefused, match="needs a name"):
            root.models.register(provider(""))


async def test_an_observer_that_raises_undoes_the_registration() -> None:
    async with Runtime() as runtime:
        root = runtime.root
        await root.plugin(Models)

        def refuse() -> None:
            raise ValueError("no")

        stop = root.on("models/change", refuse)
        with pytest.raises(ValueError, match="no"):
            root.models.register(provider("a"))
        assert root.models.names() == ()
        await stop()
        root.models.register(provider("a"))


async def test_a_provider_that_is_not_there() -> None:
    async with Runtime() as runtime:
        root = runtime.root
        await root.plugin(Models)
        assert root.models.get("a") is None
        with pytest.raises(ModelError, match="no model provider 'a'; registered: none") as caught:
            root.models.require("a")
        assert caught.value.code == "NO_ADAPTER"
        root.models.register(provider("b"))
        with pytest.raises(ModelError, match="registered: b"):
            root.models.require("a")
