"""The façade: what `apply` gets instead of a context. It can add, and never remove.

Its class is made for one activation. The methods close over the real context; nothing hangs on an attribute.

Source: docs/dynamic-packages.md 10.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Protocol

from workbench.core import Context
from workbench.core.effects import GONE
from workbench.core.errors import inactive
from workbench.dynamic.host.guard import guarded, plain_disposer
from workbench.dynamic.host.listeners import listener_for
from workbench.dynamic.host.refused import FacadeRefusal, Refuse
from workbench.dynamic.host.tool_boundary import ToolTable, register_defined, tool_view
from workbench.dynamic.sandbox.names import frozen_object
from workbench.prompt import TextSource

MEMBERS = ("on", "once", "provide", "get")
TIMER_MEMBERS = ("timeout", "interval", "throttle", "debounce")
FRAMEWORK = frozenset(
    """root parent fiber scope registry plugin dispose extend isolate set effect emit parallel serial bail
    waterfall task declare runtime home within visibility check_active for_activation context""".split()
)


class FacadeOwner(Protocol):
    """The run that a façade belongs to."""

    tools: ToolTable

    @property
    def label(self) -> str: ...
    def note_refusal(self, message: str) -> None: ...
    def note_listener(self, event: str) -> Callable[[str], None] | None: ...


def make_facade(ctx: Context, declared: frozenset[str], optional: frozenset[str], owner: FacadeOwner) -> Any:
    """The façade of one activation. `declared` holds the optional services, too."""
    offered = _offered(declared)

    def refuse(message: str) -> FacadeRefusal:
        owner.note_refusal(message)
        return FacadeRefusal(message)

    def check() -> None:
        if ctx.home.ledger.phase == GONE:
            raise inactive(ctx.fiber.name, "the context of a package")

    def read(name: str) -> Any:
        check()
        if name in FRAMEWORK:
            raise refuse(
                f"{name!r} is a member of the framework, which packages are not given; there are: {offered}"
            )
        if name.startswith("_"):
            raise refuse(f"names that begin with an underscore are withheld, such as {name!r}")
        if name in TIMER_MEMBERS and "timer" not in declared:
            raise refuse(f"{name!r} needs the service 'timer': add 'timer' to `inject`")
        if name not in declared:
            raise refuse(
                f"service {name!r} is not declared: add {name!r} to `inject` of the package; there are: {offered}"
            )
        return _service(ctx, name, name in optional, owner, refuse)

    def get(_self: object, name: str, default: Any = None) -> Any:
        value = read(name)
        return default if value is None else value

    def on(_self: object, event: str, listener: Callable[..., Any], prepend: bool = False) -> Any:
        return plain_disposer(_listen(ctx, "on", event, listener, prepend, owner, refuse))

    def once(_self: object, event: str, listener: Callable[..., Any], prepend: bool = False) -> Any:
        return plain_disposer(_listen(ctx, "once", event, listener, prepend, owner, refuse))

    def provide(_self: object, name: str, value: Any) -> Any:
        return plain_disposer(ctx.provide(name, value))

    def set_(_self: object, name: str, _value: object) -> None:
        raise refuse(f"{name!r} cannot be set: a package adds with {offered}")

    members: dict[str, Any] = {"on": on, "once": once, "provide": provide, "get": get}
    if "timer" in declared:
        members.update(_timers(ctx))
    body = {
        **members,
        "__slots__": (),
        "__getattr__": lambda _self, name: read(name),
        "__setattr__": set_,
        "__delattr__": lambda self, name: set_(self, name, None),
        "__repr__": lambda _self: f"<context of {ctx.fiber.name}>",
        "__dir__": lambda _self: sorted({*members, *declared}),
        "__offers__": staticmethod(lambda name: name in members or name in declared),
    }
    return type("PackageContext", (), body)()


def _offered(declared: frozenset[str]) -> str:
    timers = TIMER_MEMBERS if "timer" in declared else ()
    return ", ".join([*MEMBERS, *timers, *sorted(declared)])


def _listen(
    ctx: Context,
    how: str,
    event: Any,
    listener: Any,
    prepend: bool,
    owner: FacadeOwner,
    refuse: Refuse,
) -> Any:
    if not isinstance(event, str):
        raise TypeError(f"the name of an event is a text, not a {type(event).__name__}")
    if event.startswith(("internal/", "cordis/")):
        raise refuse(f"packages do not listen to {event!r}: events of the framework carry live objects")
    if not callable(listener):
        raise TypeError(f"a listener of {event!r} must be callable, not a {type(listener).__name__}")
    declared = ctx.runtime.events.declared.get(event)
    is_waterfall = declared is not None and declared.mode == "waterfall"
    slipped = owner.note_listener(event) if is_waterfall else None
    wrapped = listener_for(listener, owner.label, slipped)
    register = ctx.on if how == "on" else ctx.once
    return register(event, wrapped, prepend=bool(prepend), contained=True)


def _timers(ctx: Context) -> dict[str, Any]:
    def timeout(_self: object, function: Any, seconds: float | None = None) -> Any:
        if seconds is None:
            return _waited(ctx.timeout(function))
        return plain_disposer(ctx.timeout(function, seconds))

    def interval(_self: object, function: Any, seconds: float | None = None) -> Any:
        if seconds is None:
            return _turns(ctx, function)
        return plain_disposer(ctx.interval(function, seconds))

    def throttle(_self: object, function: Callable[..., Any], seconds: float) -> Any:
        throttled = ctx.throttle(function, seconds)
        return lambda *args: throttled(*args)

    def debounce(_self: object, function: Callable[..., Any], seconds: float) -> Any:
        debounced = ctx.debounce(function, seconds)
        return lambda *args: debounced(*args)

    return {"timeout": timeout, "interval": interval, "throttle": throttle, "debounce": debounce}


async def _waited(sleep: Any) -> None:
    await sleep


def _turns(ctx: Context, seconds: float) -> Any:
    ticks = ctx.interval(seconds)

    async def turn(_self: object) -> None:
        await ticks.__anext__()

    return type("Turns", (), {"__slots__": (), "__aiter__": lambda self: self, "__anext__": turn})()


def _service(ctx: Context, name: str, is_optional: bool, owner: FacadeOwner, refuse: Refuse) -> Any:
    value = ctx.get(name) if is_optional else getattr(ctx, name)
    if value is None:
        return None
    if name == "tools":
        return _tools(ctx, value, owner, refuse)
    if name == "system_prompt":
        return _prompt(value)
    if name == "timer":
        return frozen_object("timer", {})
    return guarded(name, value, refuse)


def _tools(ctx: Context, tools: Any, owner: FacadeOwner, refuse: Refuse) -> Any:
    def register(tool: Any) -> Any:
        return plain_disposer(register_defined(tools, owner.tools, tool, _caller()))

    def schemas() -> list[Any]:
        return [tool_view(schema) for schema in tools.visible(None)]

    def get(name: str) -> Any:
        found = tools.get(name, None)
        return None if found is None else tool_view(found.schema)

    return _view("tools", {"register": register, "schemas": schemas, "get": get}, refuse)


def _prompt(prompt: Any) -> Any:
    def section(name: str, order: float, text: Any, literal: bool = False) -> Any:
        return plain_disposer(prompt.section(name, order, text, literal=literal, source=_caller()))

    def context(name: str, order: float, text: Any, literal: bool = False) -> Any:
        return plain_disposer(prompt.context(name, order, text, literal=literal, source=_caller()))

    def variable(name: str, provider: Any) -> Any:
        return plain_disposer(prompt.variable(name, provider, source=_caller()))

    return _view("system_prompt", {"section": section, "context": context, "variable": variable}, FacadeRefusal)


def _view(service: str, members: dict[str, Callable[..., Any]], refuse: Refuse) -> Any:
    def read(_self: object, name: str) -> Any:
        raise refuse(f"a package is not given {name!r} of {service!r}; there are: {', '.join(members)}")

    return frozen_object(
        service, {**{name: staticmethod(member) for name, member in members.items()}, "__getattr__": read}
    )


def _caller() -> TextSource | None:
    """Where the package's own code stands that asked for a registration."""
    frame = sys._getframe(2)
    return TextSource(frame.f_code.co_filename, frame.f_lineno, 1, None)
