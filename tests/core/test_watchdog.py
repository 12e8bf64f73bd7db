"""A callback that blocks the loop is interrupted where it stands, and nothing else is."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any

import anyio
import pytest
import rich
import textual
import uvicorn

from workbench.core import watchdog as module
from workbench.core.watchdog import LoopBlocked, LoopStillBlocked, Watchdog, is_library_file, is_plugin_file

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX timers")

LIMIT = 0.25


def run(main: Coroutine[Any, Any, Any], is_plugin: Callable[[str], bool] | None = None) -> Any:
    async def watched() -> Any:
        with Watchdog(LIMIT, is_plugin=is_plugin):
            return await main

    return asyncio.run(watched(), debug=False)


def hold(seconds: float) -> None:
    """What no coroutine should do."""
    time.sleep(seconds)


def sleep_in_one_piece() -> None:
    time.sleep(60)


def spin() -> None:
    while True:
        pass


@pytest.mark.parametrize("block", [sleep_in_one_piece, spin])
def test_names_the_frame_and_the_loop_lives_on(block: Callable[[], None]) -> None:
    async def main() -> str:
        with pytest.raises(LoopBlocked) as caught:
            block()
        assert caught.value.file == __file__
        assert caught.value.function == block.__name__
        assert caught.value.line in range(block.__code__.co_firstlineno, block.__code__.co_firstlineno + 4)
        await asyncio.sleep(0.01)
        return "alive"

    assert run(main()) == "alive"


def test_each_turn_has_a_limit_of_its_own() -> None:
    async def main() -> int:
        for _ in range(10):
            hold(LIMIT / 5)
            await asyncio.sleep(0)
        return 10

    assert run(main()) == 10


def test_code_that_swallows_the_error_is_stopped_in_the_end() -> None:
    def stubborn() -> None:
        while True:
            try:
                spin()
            except Exception:
                continue

    async def main() -> None:
        with pytest.raises(LoopStillBlocked):
            stubborn()

    run(main())


def test_our_own_slow_work_is_left_alone() -> None:
    async def main() -> str:
        hold(3 * LIMIT)
        return "done"

    assert run(main(), is_plugin=lambda _file: False) == "done"


def test_what_is_below_the_loop_is_never_blamed() -> None:
    """The program that runs the loop is no plugin, although its file is not ours."""
    code = compile("def program(run, main):\n    return run(main())\n", "/srv/program.py", "exec")
    namespace: dict[str, Any] = {}
    exec(code, namespace)

    async def main() -> str:
        hold(2 * LIMIT)
        return "done"

    def in_program(file: str) -> bool:
        return file == "/srv/program.py"

    assert namespace["program"](lambda coroutine: run(coroutine, in_program), main) == "done"


def test_what_comes_after_is_never_blamed() -> None:
    async def main() -> None:
        with Watchdog(LIMIT, is_plugin=lambda _file: True):
            await asyncio.sleep(0)
        hold(2 * LIMIT)

    asyncio.run(main(), debug=False)


def test_never_raises_inside_our_own_code() -> None:
    """A plugin that keeps us busy is interrupted between two calls."""
    inside = threading.Event()

    def ours() -> None:
        inside.set()
        end = time.monotonic() + LIMIT / 3
        while time.monotonic() < end:
            pass
        inside.clear()

    code = compile("def plugin(ours):\n    while True:\n        ours()\n", "/plugins/busy.py", "exec")
    namespace: dict[str, Any] = {}
    exec(code, namespace)

    before = sys.gettrace()

    async def main() -> None:
        with pytest.raises(LoopBlocked) as caught:
            namespace["plugin"](ours)
        assert caught.value.file == "/plugins/busy.py"
        assert not inside.is_set()
        assert sys.gettrace() is before

    run(main(), is_plugin=lambda file: file == "/plugins/busy.py")


def test_everything_is_put_back() -> None:
    before = signal.getsignal(signal.SIGALRM)

    async def main() -> None:
        await asyncio.sleep(0)

    run(main())
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_no_timer_runs_while_the_loop_is_idle() -> None:
    seen: list[tuple[float, float]] = []

    async def main() -> None:
        thread = threading.Timer(0.03, lambda: seen.append(signal.getitimer(signal.ITIMER_REAL)))
        thread.start()
        await asyncio.sleep(0.1)
        thread.join()

    run(main())
    assert seen == [(0.0, 0.0)]


def test_outside_the_main_thread_the_loop_is_not_watched() -> None:
    result: list[str] = []

    def in_thread() -> None:
        async def main() -> None:
            hold(2 * LIMIT)
            result.append("done")

        run(main())

    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    assert result == ["done"]


def test_who_may_be_blamed() -> None:
    assert is_plugin_file("/home/a/plugin.py")
    assert is_plugin_file("<string>")
    assert not is_plugin_file(asyncio.__file__)
    assert not is_plugin_file(module.__file__)
    assert not is_plugin_file("<frozen importlib._bootstrap>")
    assert is_library_file(asyncio.__file__)
    assert not is_library_file(pytest.__file__)
    assert is_plugin_file(module.__file__.replace("core/watchdog.py", "plugins/shell.py"))
    for library in (textual, rich, uvicorn, anyio):
        assert library.__file__ is not None
        assert is_library_file(library.__file__), library
