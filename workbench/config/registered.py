"""The scopes and entries of a composition that are registered now, and how they become those of another one.

Every registration is an effect; an edit undoes those that differ and makes the new ones, in one turn of the
loop, so that no assembly sees anything between. Source: docs/compositions.md 13.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from workbench.config.composition import Composition
from workbench.config.nodes import Path
from workbench.config.problems import LoadProblem
from workbench.config.scope_views import ScopeView
from workbench.config.wanted import EntryKey, Wanted, wanted_entries
from workbench.core import create_scope
from workbench.core.scopes import Scope

if TYPE_CHECKING:
    from workbench.core import Context, Effect


class Refusal(NamedTuple):
    """What the registry refused."""

    problem: LoadProblem
    error: Exception


class Registered:
    """What one activation of a composition has registered, but for its plugins."""

    def __init__(self, ctx: Context) -> None:
        self.runtime = ctx.runtime
        self._ctx = ctx
        self._scopes: dict[str, tuple[ScopeView, Scope]] = {}
        self._entries: dict[EntryKey, tuple[Wanted, Effect]] = {}
        self._restrictions: list[Effect] = []

    def context(self, label: str | None) -> Context:
        """Where the entries of a layer are registered; None is the global one."""
        return self._ctx if label is None else self._scopes[label][1].ctx

    def become(self, composition: Composition, views: Iterable[ScopeView]) -> list[Refusal]:
        """Undo what the composition does not want, and register what is not there yet.

        A refused entry stops no other one. The plugins of scopes that go must have been stopped.
        """
        wanted = wanted_entries(composition)
        scopes = {view.label: view for view in views if view.key is not None}
        gone = {label for label, (view, _) in self._scopes.items() if not _is_same(view, scopes.get(label))}
        for key, (present, effect) in list(self._entries.items()):
            new = wanted.get(key)
            if new is None or key.layer in gone or new[:2] != present[:2]:
                del self._entries[key]
                effect()
            else:
                self._entries[key] = new, effect
        self._become_scopes(scopes, gone)
        refused: list[Refusal] = []
        for key, entry in wanted.items():
            if key not in self._entries:
                register = partial(entry.register, self.context(key.layer))
                for effect in _attempt(composition, entry.path, register, refused):
                    self._entries[key] = entry, effect
        return refused

    def _become_scopes(self, wanted: dict[str, ScopeView], gone: set[str]) -> None:
        links = self.runtime.scopes
        for label in gone:
            self._scopes.pop(label)[1].dispose()
        moved = [label for label, (view, _) in self._scopes.items() if view.around != wanted[label].around]
        for label in moved:  # All of them first: two scopes may change places.
            links.release(self._scopes[label][1])
        new = [label for label in wanted if label not in self._scopes]
        for label in new:
            scope = create_scope(self._ctx, wanted[label].key)
            scope.effect.collect(partial(links.release, scope))
            self._scopes[label] = wanted[label], scope
        for label in (*moved, *new):
            scope, around = self._scopes[label][1], wanted[label].around
            self._scopes[label] = wanted[label], scope
            if around is not None:
                scope.move(wanted[around].key)
        for label, (_, scope) in self._scopes.items():
            self._scopes[label] = wanted[label], scope

    def lift_restrictions(self) -> None:
        """Before tools come and go: a restriction is judged by what its scope inherits."""
        for effect in reversed(self._restrictions):
            effect()
        self._restrictions = []

    def register_restrictions(self, composition: Composition) -> list[Refusal]:
        """What each scope may see of the tools that it inherits. They must be there."""
        refused: list[Refusal] = []
        for entry in composition.entries.restrictions:
            restrict = self.context(entry.scope).tools.restrict
            allow, deny = _listed(entry.allow), _listed(entry.deny)
            self._restrictions += _attempt(
                composition, entry.at, partial(restrict, allow=allow, deny=deny), refused
            )
        return refused


def _is_same(present: ScopeView, new: ScopeView | None) -> bool:
    return new is not None and new.key is present.key


def _attempt(
    composition: Composition, path: Path, register: Callable[[], Effect], refused: list[Refusal]
) -> list[Any]:
    """The effect, or nothing when it is refused."""
    try:
        return [register()]
    except Exception as error:
        document = composition.document
        message = str(error) or type(error).__name__
        refused.append(Refusal(document.problem(document.offset(path), path, message), error))
        return []


def _listed(names: tuple[str, ...] | None) -> list[str] | None:
    return None if names is None else list(names)
