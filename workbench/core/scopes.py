"""Scopes: keys that decide the layer of a registration and the audience of an event.

Keys are compared by identity. They route registrations of trusted code and are no authority boundary.

Source: docs/runtime.md 7.2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from workbench.core.effects import Effect, open_effect
from workbench.core.errors import CoreError

if TYPE_CHECKING:
    from workbench.core.context import Context

ScopeKey = object


class ScopeLinks:
    """Which scope encloses which. A key has one parent, for as long as the scope that bound it lives."""

    def __init__(self) -> None:
        self._links: dict[int, tuple[ScopeKey, ScopeKey, Scope]] = {}
        self.version = 0
        """Counts up with every change, for whoever caches a chain."""

    def chain(self, key: ScopeKey | None) -> tuple[ScopeKey, ...]:
        """The scope, its parent, its grandparent and so on; empty without a scope."""
        if key is None:
            return ()
        link = self._links.get(id(key))
        if link is None:
            return (key,)
        keys = [key]
        while link is not None:
            keys.append(link[1])
            link = self._links.get(id(link[1]))
        return tuple(keys)

    def parent(self, key: ScopeKey) -> ScopeKey | None:
        link = self._links.get(id(key))
        return None if link is None else link[1]

    def bind(self, scope: Scope, parent: ScopeKey) -> bool:
        """Link the scope's key below `parent`; False when another scope has bound the same parent.

        Raises `SCOPE_BOUND` for another parent and `SCOPE_CYCLE` for a ring.
        """
        key = scope.key
        link = self._links.get(id(key))
        if link is not None and link[2] is not scope:
            if link[1] is parent:
                return False
            raise CoreError(
                "SCOPE_BOUND",
                f"scope {scope_label(key)!r} is already bound to parent {scope_label(link[1])!r}; "
                "only the scope that bound it may move it",
            )
        if any(each is key for each in self.chain(parent)):
            raise CoreError(
                "SCOPE_CYCLE",
                f"scope {scope_label(key)!r} below {scope_label(parent)!r} would close a cycle; "
                "choose a parent that is not its descendant",
            )
        self._links[id(key)] = (key, parent, scope)
        self.version += 1
        return True

    def release(self, scope: Scope) -> None:
        link = self._links.get(id(scope.key))
        if link is not None and link[2] is scope:
            del self._links[id(scope.key)]
            self.version += 1

    def described(self) -> list[tuple[str, str]]:
        """Every link as (child, parent), by label, for snapshots."""
        return sorted((scope_label(key), scope_label(parent)) for key, parent, _ in self._links.values())


def scope_label(key: ScopeKey | None) -> str:
    """The name under which a person knows a scope: its `label` or `name`, else the text itself."""
    if key is None:
        return "global"
    if isinstance(key, str):
        return key
    for attribute in ("label", "name"):
        value = getattr(key, attribute, None)
        if isinstance(value, str) and value:
            return value
    return type(key).__name__


class Scope:
    """A handle on a scope key: what is registered through `.ctx` belongs to it and goes with it."""

    def __init__(self, ctx: Context, key: ScopeKey) -> None:
        self.key = key
        self._links = ctx.runtime.scopes
        self.effect: Effect = open_effect(ctx.home, lambda: None, f"scope {scope_label(key)}")
        self.ctx: Context = ctx.within(self.effect, key)

    @property
    def parent(self) -> ScopeKey | None:
        return self._links.parent(self.key)

    def move(self, parent: ScopeKey) -> None:
        """Bind the key to another parent. Raises `SCOPE_BOUND`, `SCOPE_CYCLE`, `INACTIVE_CONTEXT`."""
        self.ctx.check_active(f"move of scope {scope_label(self.key)}")
        self._links.bind(self, parent)

    @property
    def dispose(self) -> Callable[[], Any]:
        """Undo everything that was registered through the scope, and its link."""
        return self.effect


def create_scope(ctx: Context, key: ScopeKey, parent: ScopeKey | None = None) -> Scope:
    """A scope for `key`, owned by the context's fiber.

    With `parent`, the key's enclosing scope is bound for as long as this scope lives.
    Raises `SCOPE_BOUND` when it is bound to another one, `SCOPE_CYCLE` for a ring.
    """
    if key is None:
        raise CoreError("SCOPE_BOUND", "None is the global layer and cannot be the key of a scope")
    scope = Scope(ctx, key)
    if parent is not None:
        try:
            scope._links.bind(scope, parent)
        except CoreError:
            scope.effect()
            raise
        scope.effect.collect(lambda: scope._links.release(scope))
    return scope
