"""Services: named values that one fiber provides and others may stand on.

Source: docs/runtime.md 4 and 5.
"""

from __future__ import annotations

import keyword
from collections.abc import Awaitable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.core.effects import GONE, Effect, open_effect
from workbench.core.errors import CoreError, ServiceReadError, inactive
from workbench.core.waitpoints import Waitpoint

if TYPE_CHECKING:
    from workbench.core.activation import Activation
    from workbench.core.context import Context
    from workbench.core.fiber import Fiber
    from workbench.core.runtime import Runtime

Visibility = object
"""A label object of `ctx.isolate`, or None for the visibility that everybody shares."""
ServiceKey = tuple[str, Visibility | None]
_MISSING = object()


class Isolation:
    """A visibility of its own for one service name."""

    __slots__ = ("__weakref__", "label", "maker")

    def __init__(self, label: str | None, maker: str) -> None:
        self.label = label
        self.maker = maker

    def __str__(self) -> str:
        return self.label if self.label is not None else self.maker


class ServiceEntry:
    """One provided value, of one activation."""

    __slots__ = ("effect", "key", "ledger", "value", "visible", "watchers")

    def __init__(self, key: ServiceKey, value: Any, ledger: Activation) -> None:
        self.key = key
        self.value = value
        self.ledger = ledger
        self.visible = False
        """Whether others see it: only while its provider is active."""
        self.effect: Effect | None = None
        """What withdraws it."""
        self.watchers: list[Waitpoint] = []
        """Undos that wait until no dependent stands on it any more."""


@dataclass(frozen=True, slots=True)
class ServiceView:
    """One row of `runtime.services()`."""

    name: str
    label: str
    """Of its visibility; empty for the shared one."""
    provider: str
    provider_uid: int | None
    state: str
    """State of the providing fiber."""
    dependents: tuple[str, ...]
    value: Any


class Services:
    """The table of what is provided now, and of who requires which name."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._entries: dict[ServiceKey, ServiceEntry] = {}
        self._requirers: dict[ServiceKey, dict[Fiber, None]] = {}

    def visible(self, key: ServiceKey) -> ServiceEntry | None:
        entry = self._entries.get(key)
        return entry if entry is not None and entry.visible else None

    def require(self, fiber: Fiber, keys: Iterable[ServiceKey]) -> None:
        for key in keys:
            self._requirers.setdefault(key, {})[fiber] = None

    def release(self, fiber: Fiber, keys: Iterable[ServiceKey]) -> None:
        for key in keys:
            fibers = self._requirers.get(key)
            if fibers is not None:
                fibers.pop(fiber, None)
                if not fibers:
                    del self._requirers[key]

    def provide(self, ctx: Context, name: str, value: Any) -> Effect:
        """Raises `NAME_RESERVED`, `SERVICE_EXISTS`, `INACTIVE_CONTEXT`."""
        check_name(name, type(ctx))
        key = (name, ctx.visibility(name))
        ledger = ctx.home.ledger
        ctx.check_active(f"service {name!r}")
        present = self._entries.get(key)
        if present is not None:
            raise CoreError(
                "SERVICE_EXISTS",
                f"service {name!r} is already provided by plugin {present.ledger.fiber.name!r}; "
                "stop that plugin first, or choose another name",
            )
        entry = ServiceEntry(key, value, ledger)

        def body() -> Any:
            self._entries[key] = entry
            ledger.provided[key] = entry
            ledger.fiber.has_provided.add(name)
            if ledger.fiber.state == "active":
                entry.visible = True
                self.tell_entered([entry])
            return lambda: self._withdraw(entry)

        entry.effect = open_effect(ctx.home, body, f"provide {name}")
        return entry.effect

    def provide_built_in(self, name: str, value: Any, ledger: Activation) -> None:
        """A service of the runtime itself: visible from the start and never undone."""
        key = (name, None)
        entry = self._entries[key] = ServiceEntry(key, value, ledger)
        entry.visible = True

    def show_all(self, ledger: Activation) -> list[ServiceEntry]:
        """The provider becomes active: others see what it provides. Dependents are told separately."""
        entries = [entry for entry in ledger.provided.values() if not entry.visible]
        for entry in entries:
            entry.visible = True
        return entries

    def tell_entered(self, entries: Iterable[ServiceEntry]) -> None:
        for entry in entries:
            self._runtime.announce("internal/service", entry.key[0], True)
            self._kick_requirers(entry.key)

    def hide_all(self, ledger: Activation) -> list[ServiceEntry]:
        """The provider is being undone: its names are free at once. Dependents are told separately."""
        entries = [entry for key, entry in ledger.provided.items() if self._entries.get(key) is entry]
        for entry in entries:
            del self._entries[entry.key]
        return entries

    def tell_left(self, entries: Iterable[ServiceEntry]) -> None:
        for entry in entries:
            if entry.visible:
                entry.visible = False
                self._runtime.announce("internal/service", entry.key[0], False)
                self._kick_requirers(entry.key)

    def dependents(self, entry: ServiceEntry) -> list[Fiber]:
        """The fibers that stand on this entry, in the order in which they were loaded."""
        return [fiber for fiber in self._requirers.get(entry.key, ()) if fiber.stands_on(entry)]

    async def dependents_gone(self, entries: list[ServiceEntry], point: Waitpoint) -> None:
        """Wait until nobody stands on these entries, but for those that wait for `point` themselves.

        Those are fibers whose plugin call does, ancestors of the provider, whose undo includes this one, and
        fibers whose undo waits for this one through others.
        """

        def holders() -> list[Fiber]:
            return [
                fiber
                for entry in entries
                for fiber in self.dependents(entry)
                if not fiber.load_is_spared(point)
                and not fiber.is_ancestor_of(entry.ledger.fiber)
                and not point.leaves_out(fiber.point)
            ]

        waiting_for = holders()
        if not waiting_for:
            return
        for entry in entries:
            entry.watchers.append(point)
        label = "the undo of " + ", ".join(fiber.name for fiber in waiting_for)
        try:
            with point.waiting(label, *(fiber.point for fiber in waiting_for), exempt=True):
                await point.until(lambda: not holders())
        finally:
            for entry in entries:
                entry.watchers.remove(point)

    def entries(self) -> tuple[ServiceEntry, ...]:
        """Everything that is provided now, visible or not."""
        return tuple(self._entries.values())

    def names_of(self, ledger: Activation) -> list[str]:
        """What an activation provides now, visible or not, for whoever looks for what is left of it."""
        return [key[0] for key, entry in self._entries.items() if entry.ledger is ledger]

    def views(self) -> list[ServiceView]:
        return [
            ServiceView(
                name=key[0],
                label="" if key[1] is None else str(key[1]),
                provider=entry.ledger.fiber.name,
                provider_uid=entry.ledger.fiber.uid,
                state=entry.ledger.fiber.state,
                dependents=tuple(fiber.name for fiber in self.dependents(entry)),
                value=entry.value,
            )
            for key, entry in self._entries.items()
        ]

    def _kick_requirers(self, key: ServiceKey) -> None:
        for fiber in list(self._requirers.get(key, ())):
            fiber.kick()

    def _withdraw(self, entry: ServiceEntry) -> Awaitable[None] | None:
        if self._entries.get(entry.key) is not entry:
            return None
        del self._entries[entry.key]
        entry.ledger.provided.pop(entry.key, None)
        self.tell_left([entry])
        dependents = [fiber.point for fiber in self.dependents(entry)]
        if not dependents or entry.effect is None:
            return None
        point = entry.effect.end_point()
        for dependent in dependents:
            point.link(
                dependent, exempt=True
            )  # at once: whoever awaits the withdrawal may be running in one of them
        return self._withdrawn(entry, point, dependents)

    async def _withdrawn(self, entry: ServiceEntry, point: Waitpoint, dependents: list[Waitpoint]) -> None:
        try:
            await self.dependents_gone([entry], point)
        finally:
            for dependent in dependents:
                point.unlink(dependent, exempt=True)


class Service:
    """Base of class plugins that are a service themselves: `class Tools(Service): name = "tools"`.

    The constructor provides the instance; others see it when its `start()` has finished.
    """

    name: str = ""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        ctx.provide(type(self).name, self)


def check_name(name: object, context_type: type) -> None:
    """Raise `NAME_RESERVED` unless `name` can become an attribute of a context."""
    if isinstance(name, str) and name.isidentifier() and not keyword.iskeyword(name):
        if not name.startswith("_") and not hasattr(context_type, name):
            return
        reason = "it is a member of the context" if not name.startswith("_") else "names with `_` are private"
    else:
        reason = "it is not an identifier"
    raise CoreError("NAME_RESERVED", f"{name!r} cannot name a service: {reason}; choose another name")


def read_service(ctx: Context, name: str) -> Any:
    """The value that the attribute `name` of a context stands for.

    Raises `SERVICE_NOT_INJECTED`, `SERVICE_INACTIVE`, `INACTIVE_CONTEXT`.
    """
    refuse_earlier(ctx, name)
    value = _lookup(ctx, name)
    if value is not _MISSING:
        return value
    if ctx.fiber.is_root:
        entry = ctx.runtime.services_table.visible((name, ctx.visibility(name)))
        return None if entry is None else seen_from(ctx, entry.value)
    if _declares(ctx.home.ledger, name):
        raise ServiceReadError(
            "SERVICE_INACTIVE",
            f"service {name!r} is declared by plugin {ctx.fiber.name!r} but absent now; "
            f"use ctx.get({name!r}) for an optional one",
        )
    raise ServiceReadError(
        "SERVICE_NOT_INJECTED",
        f"plugin {ctx.fiber.name!r} reads service {name!r} without declaring it; add {name!r} to its `inject`",
    )


def get_service(ctx: Context, name: str, default: Any) -> Any:
    """What the attribute would give, else what is visible from here, else `default`."""
    refuse_earlier(ctx, name)
    value = _lookup(ctx, name)
    if value is not _MISSING:
        return value
    entry = ctx.runtime.services_table.visible((name, ctx.visibility(name)))
    return default if entry is None else seen_from(ctx, entry.value)


def set_service(ctx: Context, name: str, value: Any) -> None:
    """Raises `SERVICE_NOT_PROVIDED`, `SERVICE_FOREIGN`, `INACTIVE_CONTEXT`."""
    ctx.check_active(f"service {name!r}")
    key = (name, ctx.visibility(name))
    entry = ctx.runtime.services_table._entries.get(key)
    if entry is None:
        raise CoreError("SERVICE_NOT_PROVIDED", f"service {name!r} is not provided; call ctx.provide first")
    if entry.ledger is not ctx.home.ledger:
        raise CoreError(
            "SERVICE_FOREIGN",
            f"service {name!r} belongs to plugin {entry.ledger.fiber.name!r}; only that plugin may set it",
        )
    entry.value = value


def refuse_earlier(ctx: Context, name: str) -> None:
    """Raise `INACTIVE_CONTEXT` when the activation that the context belongs to has ended."""
    ctx.runtime.check_thread(f"service {name!r}")
    if ctx.home.ledger.phase == GONE:
        raise inactive(ctx.fiber.name, f"service {name!r}")


def seen_from(ctx: Context, value: Any) -> Any:
    """The value itself, or its facade for this context."""
    for_context = getattr(type(value), "for_context", None)
    return value if for_context is None else for_context(value, ctx)


def _lookup(ctx: Context, name: str) -> Any:
    """Own provided and declared services, then the ancestors', up to but not including root."""
    label = ctx.visibility(name)
    key = (name, label)
    ledger: Activation | None = ctx.home.ledger
    while ledger is not None:
        entry = ledger.provided.get(key)
        if entry is None:
            entry = ledger.ground.get(name)
            if entry is not None and entry.key[1] is not label:
                entry = None
        if entry is None and name in ledger.fiber.code.optional:
            entry = ctx.runtime.services_table.visible(key)
        if entry is not None:
            return seen_from(ctx, entry.value)
        ledger = ledger.outer
    return _MISSING


def _declares(ledger: Activation | None, name: str) -> bool:
    while ledger is not None:
        if name in ledger.fiber.code.required or name in ledger.fiber.code.optional:
            return True
        ledger = ledger.outer
    return False
