"""The sandbox by itself: names in reach, ticks that change nothing, lossless JSON, the end of the runner."""

from __future__ import annotations

import asyncio
import builtins
import json
import threading
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dynamic.world import H_GREET, H_HI, H_REV, H_SEC, World, world
from workbench.core import Runtime
from workbench.dynamic.lossless import NotLossless, lossless_copy
from workbench.dynamic.sandbox.budget import Budget, BudgetSpent, Turns
from workbench.dynamic.sandbox.names import helper_view, make_namespace
from workbench.dynamic.sandbox.pulse import Pulse
from workbench.dynamic.source.host import compile_host

REACHABLE = """abs all any ascii bin bool bytearray bytes callable chr complex dict divmod enumerate filter float
format frozenset hash hex int isinstance issubclass iter len list map max min next object oct ord pow print property
range repr reversed round set slice sorted staticmethod classmethod str sum super tuple zip
getattr hasattr setattr type NotImplemented Ellipsis""".split()
TRAPS = "open input eval exec compile globals locals vars breakpoint".split()
INTERNAL = ["__build_class__", "__import__", "__debug__"]


def namespace(tick: Any = lambda: None) -> dict[str, Any]:
    return make_namespace("x", {}, print_=print, due=[True], look=tick, substitute=str)


def test_the_builtins_are_exactly_these() -> None:
    names = set(namespace()["__builtins__"])
    exceptions = {
        name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, Exception)
    }
    assert names == {*REACHABLE, *TRAPS, *INTERNAL, *exceptions}
    assert not names & {"BaseException", "SystemExit", "KeyboardInterrupt", "GeneratorExit"}


def test_helpers_are_read_only_and_hold_no_modules() -> None:
    for name in ("json", "math", "re", "base64", "datetime"):
        view = helper_view(name)
        assert not [each for each in dir(view) if type(getattr(view, each)) is type(json)]
        with pytest.raises(AttributeError):
            view.anything = 1
    assert helper_view("json").loads(helper_view("json").dumps({"a": [1]})) == {"a": [1]}
    assert helper_view("datetime").datetime(2026, 1, 1).year == 2026
    assert helper_view("math").floor(helper_view("math").pi) == 3


SOUND = '''"""doc"""
def documented(x):
    """Says so."""
    return x + 1
zero = (lambda: 0)()
nothing = (lambda: None)()
chosen = (lambda a, b=2: a or b)(0)
pairs = [(a, b) for a in range(3) if a for b in range(a)]
mapping = {k: v for k, v in zip("ab", [1, 2])}
unique = {x % 2 for x in range(5)}
lazy = list(x * x for x in range(4))
def counting():
    """Counts."""
    received = yield 1
    while received:
        received = yield received
    return "end"
def nested():
    out = []
    for i in range(2):
        try:
            if i:
                raise ValueError(i)
            out.append("fine")
        except ValueError as error:
            out.append(str(error))
        else:
            out.append("else")
        finally:
            out.append("finally")
    else:
        out.append("loop else")
    return out
class Own:
    """Own."""
    items = [n for n in range(3)]
    def __len__(self):
        return len(self.items)
    @property
    def twice(self):
        return super().__init__ and 2
trace = nested()
length = len(Own())
word = "yes" if isinstance(1, int) and not isinstance("", int) else "no"
kind = type(1).__name__
match [1, 2]:
    case [first, *rest]:
        matched = first, rest
docs = documented.__doc__, Own.__doc__, counting.__doc__
'''


def test_ticks_change_nothing_but_are_called() -> None:
    calls = 0

    def tick() -> None:
        nonlocal calls
        calls += 1

    ticked = namespace(tick)
    exec(compile_host(SOUND, "<x>", ()).code, ticked)
    plain = namespace()
    exec(compile(SOUND, "<x>", "exec", dont_inherit=True), plain)
    names = [name for name, value in plain.items() if not callable(value) and not name.startswith("__")]
    assert len(names) > 12
    assert {name: ticked[name] for name in names} == {name: plain[name] for name in names}
    assert ticked["__doc__"] == "doc"
    assert calls > 25
    for made in (ticked, plain):
        generator = made["counting"]()
        assert [next(generator), generator.send(5)] == [1, 5]


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53 - 1), 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: x != 0)
    | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=20,
)


@given(PLAIN)
def test_what_json_gives_back_is_lossless(value: Any) -> None:
    copied = lossless_copy(value)
    assert copied == value == json.loads(json.dumps(value))
    if isinstance(value, dict | list):
        assert copied is not value


@given(
    PLAIN, st.sampled_from([(1,), {1}, b"x", float("nan"), float("inf"), -0.0, 2**53, "\ud800", object(), {1: 2}])
)
def test_one_bad_part_is_found_wherever_it_is(value: Any, bad: Any) -> None:
    with pytest.raises(NotLossless):
        lossless_copy({"good": value, "list": [value, {"deep": bad}]})


def test_shared_parts_are_no_cycle_and_no_explosion() -> None:
    shared: list[Any] = [1]
    assert lossless_copy([shared, shared]) == [[1], [1]]
    for _ in range(60):
        shared = [shared, shared]
    with pytest.raises(NotLossless, match="parts"):
        lossless_copy(shared)


async def test_the_end_of_the_runner_is_the_end_of_all(w: World) -> None:
    fibers = [fiber.name for fiber in w.rt.fibers()]
    for code in (H_GREET, H_HI, H_REV):
        await w.started(code)
    runner = next(fiber for fiber in w.rt.fibers() if fiber.name == "package_runner")
    await runner.dispose()
    await w.rt.quiesce()
    assert [fiber.name for fiber in w.rt.fibers()] == [
        name for name in fibers if name not in ("package_runner", "cordis-dynamic")
    ]
    assert w.root.get("dynamic") is None
    assert "cordis_run" not in await w.tool_names()  # the toolset waits for a runner
    assert [state for _, _, state in w.states if state == "stopped"] == ["stopped"] * 3


async def test_a_hold_lets_one_task_pass() -> None:
    async with Runtime() as rt:
        order: list[str] = []

        async def held(name: str) -> None:
            await rt.hold.pass_by()
            order.append(name)

        async def owner() -> None:
            await held("owner")
            await asyncio.sleep(0.01)
            order.append("end")

        task = asyncio.create_task(owner())
        with rt.hold.held_by(task):
            other = asyncio.create_task(held("other"))
            await task
        await other
        assert order == ["owner", "end", "other"]
        rt.hold.inside["work"] = None
        waiting = asyncio.create_task(rt.hold.until_quiet(lambda: not rt.hold.inside))
        await asyncio.sleep(0)
        assert not waiting.done()
        rt.hold.leave("work")
        await waiting


# the clock of ticks


def test_a_flag_is_set_after_its_delay_and_all_at_the_end() -> None:
    pulse = Pulse()
    soon, late = [False], [False]
    assert pulse.set_later(late, 3600)
    assert pulse.set_later(soon, 0.001)
    end = time.monotonic() + 60
    while not soon[0]:
        assert time.monotonic() < end
        time.sleep(0.001)
    assert late == [False]
    pulse.close()
    assert late == [True], "nobody would set it any more"
    assert not pulse.set_later(soon, 0)


def test_without_a_thread_every_tick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_self: object) -> None:
        raise RuntimeError("can't start new thread")

    loop = asyncio.new_event_loop()
    turns = Turns(loop)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    budget = Budget(turns, 0.02, "dyn-1")
    with pytest.raises(BudgetSpent):
        while True:
            assert budget.due == [True]
            budget.look()
    with pytest.raises(BudgetSpent):
        budget.look()
    assert budget.spent == 1
    loop.close()


async def test_the_thread_of_a_runner_ends_with_it() -> None:
    def running() -> int:
        return sum(thread.name == "package budgets" for thread in threading.enumerate())

    before = running()
    async with world() as made:
        await made.started(H_SEC)
        assert running() == before + 1
    assert running() == before
