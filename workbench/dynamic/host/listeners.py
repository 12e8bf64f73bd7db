"""Listeners of packages, as they are registered.

Those of a waterfall are watched for one thing: whether they passed the call on.

Source: docs/dynamic-packages.md 15.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import isawaitable
from typing import Any


def listener_for(
    listener: Callable[..., Any], owner: str, slipped: Callable[[str], None] | None
) -> Callable[..., Any]:
    """The function to register. `slipped(how)` hears `short-circuited` or `not awaited`.

    `owner` names package and run in what the listener raises.
    """
    if slipped is None:

        def plain(*args: Any) -> Any:
            return listener(*args)

        return _named(plain, listener)

    async def watched(*args: Any) -> Any:
        follow = args[-1]
        asked = awaited = 0

        async def counted() -> Any:
            nonlocal awaited
            awaited += 1
            return await follow()

        def next_() -> Any:
            nonlocal asked
            asked += 1
            return _Next(counted)

        try:
            result = listener(*args[:-1], next_)
            while isawaitable(result):
                result = await result
        except Exception as error:
            error.add_note(f"in a listener of package {owner}")
            raise
        if not asked:
            slipped("short-circuited")
        elif awaited < asked:
            slipped("not awaited")
        return result

    return _named(watched, listener)


class _Next:
    """What `next()` gives: the rest of the chain, as soon as it is awaited. Unawaited it runs nothing."""

    __slots__ = ("_counted",)

    def __init__(self, counted: Callable[[], Any]) -> None:
        self._counted = counted

    def __await__(self) -> Any:
        return self._counted().__await__()


def _named(function: Callable[..., Any], listener: Callable[..., Any]) -> Callable[..., Any]:
    function.__wrapped__ = listener  # type: ignore[attr-defined] # who asks where it stands means that one
    named: Any = function
    named.__name__ = getattr(listener, "__name__", "listener")
    named.__qualname__ = getattr(listener, "__qualname__", named.__name__)
    return function
