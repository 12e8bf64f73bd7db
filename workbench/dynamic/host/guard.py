"""Guards: a service as a package sees it. Public methods are forwarded; contexts and fibers are refused.

Nothing hangs on an attribute: the class of a guard is made for the one service, and its methods close over it.

Source: docs/dynamic-packages.md 10.
"""

from __future__ import annotations

from inspect import isawaitable
from typing import Any

from workbench.core import Context, Effect, Fiber, Runtime, Scope
from workbench.dynamic.host.refused import FacadeRefusal, Refuse

_PLAIN = (str, int, float, bool, type(None), dict, list)
_LIVE = (Context, Fiber, Runtime, Scope)


def guarded(service: str, value: Any, refuse: Refuse) -> Any:
    """The service behind a guard; plain JSON data as it is."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, _LIVE):
        raise refuse(f"service {service!r} is a {type(value).__name__}, which packages are not given")

    def read(_self: object, name: str) -> Any:
        if name.startswith("_"):
            raise refuse(
                f"names of service {service!r} that begin with an underscore are withheld, such as {name!r}"
            )
        found, member = _looked_up(value, name)
        if not found:
            raise refuse(f"service {service!r} has no {name!r}; it has: {', '.join(_public(value)) or '(nothing)'}")
        if not callable(member):
            return passed(member, f"{service}.{name}")

        def forwarded(*args: Any, **options: Any) -> Any:
            return passed(member(*args, **options), f"{service}.{name}()")

        return forwarded

    def call(_self: object, *args: Any, **options: Any) -> Any:
        return passed(value(*args, **options), f"{service}()")

    def passed(result: Any, where: str) -> Any:
        if isinstance(result, _LIVE):
            raise refuse(f"{where} gave a {type(result).__name__}, which packages are not given")
        if isinstance(result, Effect):
            return plain_disposer(result)
        if isawaitable(result):
            return waited(result, where)
        return result

    async def waited(result: Any, where: str) -> Any:
        return passed(await result, where)

    def offers(name: str) -> bool:
        return not name.startswith("_") and _looked_up(value, name)[0]

    body: dict[str, Any] = {
        "__slots__": (),
        "__getattr__": read,
        "__setattr__": _refuse_setting(service, refuse),
        "__repr__": lambda _self: f"<service {service}>",
        "__dir__": lambda _self: _public(value),
        "__offers__": staticmethod(offers),
    }
    if callable(value):
        body["__call__"] = call
    return type("ServiceGuard", (), body)()


def plain_disposer(effect: Effect) -> Any:
    """A disposer as a function that gives nothing which would have to be awaited."""

    def dispose() -> None:
        effect()

    return dispose


def _looked_up(value: Any, name: str) -> tuple[bool, Any]:
    # An AttributeError of the real object would carry that object along: it must not be the context of ours.
    try:
        return True, getattr(value, name)
    except AttributeError:
        return False, None


def _public(value: Any) -> list[str]:
    return [name for name in dir(type(value)) if not name.startswith("_")]


def _refuse_setting(service: str, refuse: Refuse) -> Any:
    def set_(_self: object, name: str, _value: object) -> None:
        raise refuse(f"{name!r} of service {service!r} cannot be set by a package")

    return set_


__all__ = ["FacadeRefusal", "guarded", "plain_disposer"]
