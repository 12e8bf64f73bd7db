"""Random programs over a runtime: what they are made of. See `program_world` for how they run."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from hypothesis import strategies as st

REFUSED, FAILING = 13, -1
"""Configs: the first does not validate, the second makes the plugin call raise."""


class Terse:
    """Prints only the fields that say something, so that a shrunk program can be read."""

    def __repr__(self) -> str:
        said = [
            f"{f.name}={getattr(self, f.name)!r}"
            for f in fields(self)  # type: ignore[arg-type]
            if getattr(self, f.name) != f.default
        ]
        return f"{type(self).__name__}({', '.join(said)})"


@dataclass(frozen=True, repr=False)
class Plugin(Terse):
    """A generated plugin: what its call registers, how long it takes and how it ends."""

    name: str = "p"
    inject: tuple[str, ...] = ()
    provides: tuple[str, ...] = ()
    registers: tuple[str, ...] = ()
    seconds: float = 0
    awaits: str = ""
    """What the call waits for before it takes its seconds."""
    registers_late: tuple[str, ...] = ()
    """After the call has taken its seconds."""
    fails: bool = False
    child: Plugin | None = None


@dataclass(frozen=True, repr=False)
class Load(Terse):
    plugin: Plugin = Plugin()
    below: int = 0
    """0 is root; otherwise one of the fibers."""
    config: int = 1


@dataclass(frozen=True, repr=False)
class Ask(Terse):
    """Ask a fiber to dispose, restart or update; a waiter may be cancelled after some seconds."""

    what: str = "dispose"
    fiber: int = 0
    config: int = 1
    waits: float | None = None
    """None: nobody waits."""


@dataclass(frozen=True, repr=False)
class CallDisposer(Terse):
    which: int = 0


@dataclass(frozen=True, repr=False)
class RootService(Terse):
    """Root provides the name, or withdraws it if it does."""

    name: str = "a"


@dataclass(frozen=True, repr=False)
class Dispatch(Terse):
    """An event in some mode, in a task of its own that may be cancelled."""

    mode: str = "emit"
    target: int | None = None
    cancelled_after: float | None = None


@dataclass(frozen=True, repr=False)
class Wait(Terse):
    turns: int = 0
    seconds: float = 0


Step = Load | Ask | CallDisposer | RootService | Dispatch | Wait


@dataclass(frozen=True, repr=False)
class Program(Terse):
    base: tuple[Plugin, ...] = ()
    """Plugins that live before and after."""
    steps: tuple[Step, ...] = ()
    reload_base: bool = False
    """At the end the base is disposed and loaded again instead of restarted."""


# Strategies

SERVICES = ("a", "b", "x0", "x1")
MOMENTS = st.sampled_from([0, 0.3, 0.5, 1.2])
INDEX = st.integers(0, 7)
AWAITED = ("a neighbour's dispose", "a neighbour's restart", "withdrawals", "a child")


def tuples(elements: st.SearchStrategy[Any], size: int, at_least: int = 0) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(elements, min_size=at_least, max_size=size).map(tuple)


def plugins(registrations: tuple[str, ...], child: st.SearchStrategy[Plugin | None]) -> st.SearchStrategy[Plugin]:
    services = st.lists(st.sampled_from(SERVICES), max_size=2, unique=True).map(tuple)
    return st.builds(
        Plugin,
        name=st.sampled_from("pqr"),
        inject=services,
        provides=services,
        registers=tuples(st.sampled_from(registrations), 4),
        seconds=MOMENTS,
        awaits=st.sampled_from(["", "", "", *AWAITED]),
        registers_late=tuples(st.sampled_from(registrations), 2),
        fails=st.sampled_from([False, False, False, True]),
        child=child,
    )


@st.composite
def bases(draw: st.DrawFn, calm: tuple[str, ...]) -> tuple[Plugin, ...]:
    """Plugins that load without fail, each requiring only what an earlier one provides."""
    made: list[Plugin] = []
    for i in range(draw(st.integers(0, 3))):
        made.append(
            Plugin(
                name=f"base{i}",
                inject=(f"x{i - 1}",) if i and draw(st.booleans()) else (),
                provides=(f"x{i}",),
                registers=draw(tuples(st.sampled_from(calm), 4)),
                seconds=draw(MOMENTS),
                child=Plugin(name=f"child{i}", inject=(f"x{i}",), registers=("listener",))
                if draw(st.booleans())
                else None,
            )
        )
    return tuple(made)


def steps(plugin: st.SearchStrategy[Plugin], modes: tuple[str, ...]) -> st.SearchStrategy[Step]:
    return st.one_of(
        st.builds(Load, plugin=plugin, below=INDEX, config=st.sampled_from([1, 1, 2, FAILING, REFUSED])),
        st.builds(
            Ask,
            what=st.sampled_from(["dispose", "dispose", "restart", "update"]),
            fiber=INDEX,
            config=st.sampled_from([1, 2, FAILING, REFUSED]),
            waits=st.none() | MOMENTS,
        ),
        st.builds(CallDisposer, which=st.integers(0, 20)),
        st.builds(RootService, name=st.sampled_from(SERVICES)),
        st.builds(
            Dispatch,
            mode=st.sampled_from(modes),
            target=st.none() | st.integers(0, 2),
            cancelled_after=st.none() | MOMENTS,
        ),
        st.builds(Wait, turns=st.integers(0, 3)),
        st.builds(Wait, seconds=MOMENTS),
    )


def programs(
    registrations: tuple[str, ...], calm: tuple[str, ...], modes: tuple[str, ...]
) -> st.SearchStrategy[Program]:
    """Programs whose plugins register these, and whose base registers only the calm ones."""
    child = st.none() | plugins(registrations, st.none() | plugins(calm, st.none()))
    step = steps(plugins(registrations, child), modes)
    return st.builds(
        Program,
        base=bases(calm),
        steps=st.integers(1, 24).flatmap(lambda size: tuples(step, size, at_least=size // 2)),
        reload_base=st.booleans(),
    )
