"""The service `models`: which providers there are.

Source: docs/models.md 3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workbench.core import Context, Effect, Event
from workbench.models.errors import NO_ADAPTER, ModelError
from workbench.models.provider import ModelProvider

CHANGE = Event("models/change", "emit")
"""After each registration and its undo; observers take no argument."""


class ProviderRefused(Exception):
    """A provider could not be registered; nothing of it is left."""


class _Registration:
    __slots__ = ("owner", "provider")

    def __init__(self, provider: ModelProvider, owner: str) -> None:
        self.provider = provider
        self.owner = owner


class Models:
    """The plugin: provides `models`."""

    name = "models"
    provides = ("models",)
    owner_kind = "harness"

    def __init__(self, ctx: Context) -> None:
        self._runtime = ctx.runtime
        self._registrations: dict[str, _Registration] = {}
        ctx.declare(CHANGE)
        ctx.provide("models", self)

    def for_context(self, ctx: Context) -> ModelsFacade:
        return ModelsFacade(self, ctx)

    def names(self) -> tuple[str, ...]:
        """The names of the registered providers, sorted."""
        return tuple(sorted(self._registrations))

    def get(self, name: str) -> ModelProvider | None:
        """The provider of this name."""
        found = self._registrations.get(name)
        return None if found is None else found.provider

    def require(self, name: str) -> ModelProvider:
        """The provider of this name. Raises `NO_ADAPTER`, which names those that there are."""
        provider = self.get(name)
        if provider is None:
            known = ", ".join(self.names()) or "none"
            raise ModelError(NO_ADAPTER, f"there is no model provider {name!r}; registered: {known}")
        return provider

    def key_variables(self) -> frozenset[str]:
        """Environment variables that providers read keys from, for whoever starts processes: they get none."""
        providers = [each.provider for each in self._registrations.values()]
        return frozenset().union(*(getattr(provider, "key_variables", ()) for provider in providers))

    def add(self, ctx: Context, provider: ModelProvider) -> Effect:
        name = provider.name
        if not isinstance(name, str) or not name:
            raise ProviderRefused(f"a model provider needs a name that is a string, not {name!r}")
        registration = _Registration(provider, ctx.fiber.name)

        def body() -> Callable[[], None]:
            present = self._registrations.get(name)
            if present is not None:
                raise ProviderRefused(
                    f"model provider {name!r} is already registered by plugin {present.owner!r}; "
                    "choose another name"
                )
            self._registrations[name] = registration
            try:
                self._changed()
            except BaseException:
                self._remove(name, registration)
                raise
            return lambda: self._remove(name, registration)

        return ctx.effect(body, f"model provider {name}")

    def _remove(self, name: str, registration: _Registration) -> None:
        if self._registrations.get(name) is registration:
            del self._registrations[name]
            self._changed(undoing=True)

    def _changed(self, undoing: bool = False) -> None:
        if self._runtime.has_listeners(CHANGE.name):
            self._runtime.events.emit(CHANGE.name, (), None, contain=undoing)

    def describe(self) -> Any:
        """What is registered, for snapshots of the runtime."""
        return [[name, self._registrations[name].owner] for name in self.names()]


class ModelsFacade:
    """`ctx.models`: registers in the name of one context."""

    __slots__ = ("_ctx", "_models")

    def __init__(self, models: Models, ctx: Context) -> None:
        self._models = models
        self._ctx = ctx

    def register(self, provider: ModelProvider) -> Effect:
        """Register a provider for as long as this fiber lives. Calls that already run outlive it.

        Raises `ProviderRefused` for a name that is taken.
        """
        return self._models.add(self._ctx, provider)

    def names(self) -> tuple[str, ...]:
        """The names of the registered providers, sorted."""
        return self._models.names()

    def get(self, name: str) -> ModelProvider | None:
        """The provider of this name."""
        return self._models.get(name)

    def require(self, name: str) -> ModelProvider:
        """The provider of this name. Raises `NO_ADAPTER`."""
        return self._models.require(name)

    def key_variables(self) -> frozenset[str]:
        """Environment variables that providers read keys from."""
        return self._models.key_variables()
