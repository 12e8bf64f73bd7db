"""What is registered now, as frozen data. `reading.py` makes it, and nothing in it leads back to the runtime.

Source: docs/registry.md 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar, get_args

from workbench.prompt.source import TextSource
from workbench.prompt.views import Owner

Kind: TypeAlias = Literal[
    "section",
    "context",
    "listener",
    "tool",
    "restriction",
    "guard",
    "presentation",
    "code runtime",
    "tool provider",
    "variable",
    "suppressor",
    "service",
]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""In the order in which they are listed."""
GLOBAL: Final = "global"
"""Label of the layer that everybody reads."""

T = TypeVar("T")
PluginAction: TypeAlias = Literal["stop", "restart", "start"]
PluginState: TypeAlias = Literal["active", "waiting", "loading", "stopping", "failed", "stopped"]


class RegistryKey(NamedTuple):
    """What makes a registration the same one at the next look."""

    kind: Kind
    name: str
    layer: str
    of: str = ""
    """The event that a listener listens to."""
    nth: int = 0
    """Of registrations that are equal in the four fields above."""


@dataclass(frozen=True, slots=True)
class Registration:
    """One registration."""

    key: RegistryKey
    owner: Owner
    order: float | None = None
    """Of a section or context."""
    order_key: str = ""
    """Key of the named allocation when `order` is that position, such as `TOOL_BASH`."""
    position: int = 0
    """Of a listener: its place in the call order of its event, from 1."""
    mode: str = ""
    """Of a listener: how its event is dispatched, where that was declared."""
    text: str | None = None
    """Raw text of a section or context, description of a tool, what a restriction says. None: it is computed."""
    detail: str = ""
    """Parameters of a tool as JSON; type of a service's value."""
    is_complete: bool = False
    is_literal: bool = False
    is_everywhere: bool = False
    """A listener that hears every scope."""
    is_computed: bool = False
    """Its text or value is asked for at each assembly."""
    source: TextSource | None = None
    """Where its text stands in a file, else the code that computes or registers it."""
    since: float | None = None
    """Seconds since the epoch; None: before anybody looked."""
    shadowed_in: tuple[str, ...] = ()
    """Scopes that read a nearer one of the same name."""
    shadows: tuple[str, ...] = ()
    """Layers whose entry of the same name it hides."""
    denied_in: tuple[str, ...] = ()
    """Scopes whose restrictions hide a tool."""
    dependents: tuple[str, ...] = ()
    """Plugins that stand on a service."""
    state: PluginState = "active"
    """Of the providing plugin of a service."""

    @property
    def kind(self) -> Kind:
        return self.key.kind

    @property
    def name(self) -> str:
        return self.key.name

    @property
    def layer(self) -> str:
        return self.key.layer


@dataclass(frozen=True, slots=True)
class LayerFact:
    """A layer: what is registered globally, or for one scope."""

    label: str
    chain: tuple[str, ...]
    """Layers that its scope reads: itself, then those around it, `global` last."""
    note: str = ""
    """Such as `agent`."""
    is_scope: bool = True
    """A prompt can be shown for it."""

    @property
    def parent(self) -> str:
        """Label of the layer around it; empty for the global one."""
        return self.chain[1] if len(self.chain) > 1 else ""


@dataclass(frozen=True, slots=True)
class Need:
    """A service that a plugin has declared."""

    service: str
    is_required: bool
    provider: str = ""
    """Plugin that provides it now; empty: nobody does."""
    provider_uid: int | None = None


@dataclass(frozen=True, slots=True)
class Left:
    """Something that a plugin still owns after it was stopped."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a stop, a restart, or the start of what was stopped."""

    action: PluginAction
    plugin: str
    left: tuple[Left, ...]
    """What the search found that the ended activation still owns; empty: nothing is left."""
    error: str = ""
    """Why it could not be done, or what the load after a restart raised."""
    at: float = 0.0
    """Seconds since the epoch."""
    uid: int = 0
    """The number of the plugin from now on: another one after a start."""

    @property
    def is_clean(self) -> bool:
        return not self.left


@dataclass(frozen=True, slots=True)
class PluginFact:
    """One load of one plugin: a fiber."""

    uid: int
    name: str
    owner: Owner
    parent: int | None
    """uid of the fiber that loaded it; None for the root."""
    layer: str
    """The scope that it registers in."""
    state: PluginState
    reason: str = ""
    """What it waits for, why it failed, what its load or undo is waiting for."""
    seconds: float = field(default=0.0, compare=False)
    """How long it has been in its state."""
    since: float = field(default=0.0, compare=False)
    """The same as seconds since the epoch."""
    needs: tuple[Need, ...] = ()
    provides: tuple[str, ...] = ()
    """Services that it declares or provides."""
    cycle: tuple[str, ...] = ()
    """Plugins of a ring that wait for one another, this one first."""
    source: TextSource | None = None
    """Where its code begins."""
    outcome: Outcome | None = None
    """Of the last stop or restart that was asked for through this view."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Required services that nobody provides."""
        return tuple(need.service for need in self.needs if need.is_required and not need.provider)


class LedgerEntry(NamedTuple):
    """One effect of a plugin with those below it."""

    label: str
    parts: tuple[LedgerEntry, ...] = ()


class Reading(NamedTuple):
    """What one scope reads under the name of a registration."""

    scope: str
    layer: str
    """Layer of the entry that it reads; empty: none."""
    why: str = ""
    """Why it reads none: `denied`, `suppressed`, `displaced by …`, `out of scope`."""


@dataclass(frozen=True, slots=True)
class Registry:
    """Everything that is registered at one moment."""

    layers: tuple[LayerFact, ...] = (LayerFact(GLOBAL, (GLOBAL,)),)
    """The global one first."""
    registrations: tuple[Registration, ...] = ()
    """By layer, then by kind; texts in order, listeners in call order, all else as registered."""
    plugins: tuple[PluginFact, ...] = ()
    """In the order of loading, the root first; those that were stopped here last."""
    cycles: tuple[tuple[str, ...], ...] = ()
    _memory: dict[str, object] = field(default_factory=dict, init=False, compare=False, repr=False)

    def layer(self, label: str) -> LayerFact | None:
        """The layer with that label."""
        return next((layer for layer in self.layers if layer.label == label), None)

    def plugin(self, uid: int) -> PluginFact | None:
        """The plugin with that uid."""
        return self._plugins_by_uid().get(uid)

    def find(self, key: RegistryKey) -> Registration | None:
        """The registration with that key."""
        return next((each for each in self.named(key.kind, key.name) if each.key == key), None)

    def named(self, kind: str, name: str) -> tuple[Registration, ...]:
        """All registrations of a kind and name."""
        return tuple(self._by_name().get((kind, name), ()))

    def children(self, uid: int | None) -> tuple[PluginFact, ...]:
        """The plugins that this one has loaded, with those that were stopped."""
        return tuple(plugin for plugin in self.plugins if plugin.parent == uid and plugin.uid != uid)

    def owned_by(self, uid: int) -> tuple[Registration, ...]:
        """What a plugin has registered."""
        return tuple(self._by_owner().get(uid, ()))

    def in_layer(self, label: str) -> tuple[Registration, ...]:
        """What is registered in one layer."""
        return tuple(self._by_layer().get(label, ()))

    @property
    def shadowed(self) -> int:
        """Registrations that some scope does not read because of a nearer one."""
        return self._count("shadowed", lambda each: bool(each.shadowed_in))

    @property
    def owner_count(self) -> int:
        """Plugins that have registered something."""
        return len(self._by_owner())

    def readings(self, registration: Registration) -> tuple[Reading, ...]:
        """Which entry of its kind and name each scope reads."""
        kind = registration.kind
        if kind not in ("section", "context", "tool", "variable"):
            return ()
        layers = {each.layer: each for each in self.named(kind, registration.name)}
        return tuple(self._reading(scope, layers, kind) for scope in self.layers if scope.is_scope)

    def _reading(self, scope: LayerFact, layers: dict[str, Registration], kind: str) -> Reading:
        nearest = next((layers[label] for label in scope.chain if label in layers), None)
        if nearest is None:
            return Reading(scope.label, "", "out of scope")
        if scope.label in nearest.denied_in:
            return Reading(scope.label, "", "denied")
        if kind == "context" and any(self._has(label, "suppressor") for label in scope.chain):
            return Reading(scope.label, "", "suppressed")
        if kind == "section":
            whole = self._complete_in(scope)
            if whole is not None and whole.name != nearest.name:
                return Reading(scope.label, "", f"displaced by {whole.name}")
        return Reading(scope.label, nearest.layer)

    def _complete_in(self, scope: LayerFact) -> Registration | None:
        for each in self._complete():
            layers = {other.layer: other for other in self.named("section", each.name)}
            nearest = next((layers[label] for label in scope.chain if label in layers), None)
            if nearest is each:
                return each
        return None

    def _has(self, layer: str, kind: str) -> bool:
        return any(each.kind == kind for each in self.in_layer(layer))

    # what is looked up more than once is kept; the facts themselves never change

    def _complete(self) -> list[Registration]:
        return self._kept("complete", lambda: [each for each in self.registrations if each.is_complete])

    def _by_name(self) -> dict[tuple[str, str], list[Registration]]:
        return self._kept("names", lambda: _grouped(self.registrations, lambda each: each.key[:2]))

    def _by_owner(self) -> dict[int, list[Registration]]:
        return self._kept("owners", lambda: _grouped(self.registrations, lambda each: each.owner.fiber))

    def _by_layer(self) -> dict[str, list[Registration]]:
        return self._kept("layers", lambda: _grouped(self.registrations, lambda each: each.key.layer))

    def _plugins_by_uid(self) -> dict[int, PluginFact]:
        return self._kept("plugins", lambda: {plugin.uid: plugin for plugin in self.plugins})

    def _count(self, name: str, holds: Callable[[Registration], bool]) -> int:
        return self._kept(name, lambda: sum(map(holds, self.registrations)))

    def _kept(self, name: str, make: Callable[[], T]) -> T:
        if name not in self._memory:
            self._memory[name] = make()
        return self._memory[name]  # type: ignore[return-value]


def _grouped(
    registrations: Iterable[Registration], by: Callable[[Registration], Any]
) -> dict[Any, list[Registration]]:
    groups: dict[Any, list[Registration]] = {}
    for each in registrations:
        groups.setdefault(by(each), []).append(each)
    return groups
