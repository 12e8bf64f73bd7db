"""The registry of subagent providers: who can start a child agent, under which name.

    ctx.subagents.register(provider)

A provider says whether the children it starts inherit the conversation. Tools are bound to one provider by
its name, and follow it as it comes and goes. Source: docs/agents.md 12 and docs/contributors.md 4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.agent.subagents.contract import SubagentError, SubagentProvider
from workbench.core import Event

if TYPE_CHECKING:
    from workbench.core import Context, Effect

PROVIDER_ADDED = Event("subagent/provider-added", "emit", (object,))
"""The provider can be resolved from now on. An observer that raises undoes its registration."""
PROVIDER_REMOVED = Event("subagent/provider-removed", "emit", (str,))
"""The name cannot be resolved any more. What an observer raises is logged and stops nobody."""


class SubagentProviders:
    """The providers that are there now, by name."""

    def __init__(self, ctx: Context) -> None:
        self._runtime = ctx.runtime
        self._owners: dict[str, tuple[SubagentProvider, str]] = {}

    def for_context(self, ctx: Context) -> SubagentsFacade:
        return SubagentsFacade(self, ctx)

    def get(self, name: str) -> SubagentProvider | None:
        found = self._owners.get(name)
        return None if found is None else found[0]

    def names(self) -> tuple[str, ...]:
        return tuple(self._owners)

    def add(self, ctx: Context, provider: SubagentProvider) -> Effect:
        provider_name = _checked_name(provider)
        ctx.check_active(f"subagent provider {provider_name!r}")

        def undo() -> None:
            if self.get(provider_name) is provider:
                del self._owners[provider_name]
                self._runtime.events.emit(PROVIDER_REMOVED.name, (provider_name,), None, contain=True)

        def body() -> Any:
            if provider_name in self._owners:
                owner = self._owners[provider_name][1]
                raise SubagentError(
                    f"subagent provider {provider_name!r} is already registered by plugin {owner!r}; "
                    "choose another name"
                )
            self._owners[provider_name] = provider, ctx.fiber.name
            try:
                self._runtime.events.emit(PROVIDER_ADDED.name, (provider,), None)
            except BaseException:
                undo()
                raise
            return undo

        return ctx.effect(body, f"subagent provider {provider_name}")

    def describe(self) -> Any:
        """What is registered, for snapshots of the runtime."""
        return [[name, provider.inherits_parent_context, owner] for name, (provider, owner) in self._owners.items()]


class SubagentsFacade:
    """`ctx.subagents`: registers in the name of one context."""

    __slots__ = ("_ctx", "_providers")

    def __init__(self, providers: SubagentProviders, ctx: Context) -> None:
        self._providers = providers
        self._ctx = ctx

    def register(self, provider: SubagentProvider) -> Effect:
        """Make a provider resolvable until this context's plugin ends.

        Raises `SubagentError` for a name that is taken and for what is no provider, `CoreError`
        (`INACTIVE_CONTEXT`), and what an observer raises.
        """
        return self._providers.add(self._ctx, provider)

    def get(self, name: str) -> SubagentProvider | None:
        """The provider of that name, if it is there now."""
        return self._providers.get(name)

    def names(self) -> tuple[str, ...]:
        """The names of all providers, in the order of their registration."""
        return self._providers.names()


def _checked_name(provider: SubagentProvider) -> str:
    name = getattr(provider, "name", None)
    if not isinstance(name, str) or not name:
        raise SubagentError(f"a subagent provider needs a name that is a text, not {name!r}")
    if not isinstance(getattr(provider, "inherits_parent_context", None), bool):
        raise SubagentError(f"subagent provider {name!r} must say whether it `inherits_parent_context`")
    return name
