"""A deadline for each turn of the event loop, so that a plugin that blocks it does not stop everything.

The loop is watched from inside: its selector starts a timer when it hands over to callbacks and stops it
when the loop waits again. Nothing runs while the loop is idle, and there is no thread. When the timer
fires, the loop is still inside one callback: a signal handler finds the plugin frame that holds it and
raises there, so that the call fails like any other, with an error that names file, line and function.

Only a loop in the main thread on POSIX can be interrupted so; any other one is simply not watched.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import threading
from collections.abc import Callable
from functools import cache
from types import FrameType, TracebackType
from typing import Any, NoReturn

__all__ = ["LoopBlocked", "LoopStillBlocked", "Watchdog", "is_library_file", "is_plugin_file"]

DEFAULT_LIMIT = 5.0
"""Seconds that one turn of the loop may take."""
PATIENCE = 3
"""Times that an ordinary exception is raised before one that `except Exception` does not stop."""


class LoopBlocked(Exception):
    """Code kept the event loop from running, and was interrupted where it stood."""

    def __init__(self, file: str, line: int, function: str, seconds: float) -> None:
        super().__init__(
            f"{file}:{line}: {function}() blocked the event loop for {seconds:.0f} s and was interrupted; "
            "await what takes long, or move it to a thread"
        )
        self.file = file
        self.line = line
        self.function = function
        self.seconds = seconds


class LoopStillBlocked(BaseException):
    """The same for code that swallows `LoopBlocked` and goes on."""


class Watchdog:
    """Watches the running loop, from entering the context until leaving it."""

    def __init__(self, limit: float = DEFAULT_LIMIT, *, is_plugin: Callable[[str], bool] | None = None) -> None:
        """`limit`: seconds for one turn. `is_plugin`: whether a file may be blamed and interrupted."""
        self.limit = limit
        self._is_plugin = is_plugin or is_plugin_file
        self._selector: Any = None
        self._strikes = 0
        self._previous: Any = None
        self._traced: FrameType | None = None
        """The frame that is to be interrupted as soon as it runs a line."""
        self._trace_before: Any = None

    @property
    def is_watching(self) -> bool:
        """The loop has a selector of the ordinary kind, and signals reach this thread."""
        return self._selector is not None

    def __enter__(self) -> Watchdog:
        selector = getattr(asyncio.get_running_loop(), "_selector", None)
        is_main = threading.current_thread() is threading.main_thread()
        if selector is not None and is_main and hasattr(signal, "setitimer"):
            self._previous = signal.signal(signal.SIGALRM, self._on_alarm)
            self._selector = selector
            selector.select = self._watched(selector.select)
            self.begin_turn()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._selector is not None:
            self.end_turn()
            del self._selector.select
            self._selector = None
            signal.signal(signal.SIGALRM, self._previous)

    def _watched(self, select: Callable[[float | None], Any]) -> Callable[[float | None], Any]:
        def watched(timeout: float | None = None) -> Any:
            self.end_turn()
            try:
                return select(timeout)
            finally:
                self.begin_turn()

        return watched

    def begin_turn(self) -> None:
        """The loop hands over to callbacks."""
        if self._selector is not None:
            self._strikes = 0
            signal.setitimer(signal.ITIMER_REAL, self.limit)

    def end_turn(self) -> None:
        """The loop waits again."""
        if self._selector is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self._stop_tracing()

    def _on_alarm(self, _signal: int, frame: FrameType | None) -> None:
        culprit, is_innermost = self._culprit(frame)
        if culprit is None:  # our own work takes long; nobody to blame
            signal.setitimer(signal.ITIMER_REAL, self.limit)
            return
        self._strikes += 1
        signal.setitimer(signal.ITIMER_REAL, self.limit)
        if is_innermost:
            self._raise(culprit)
        self._raise_later(culprit)

    def _raise(self, culprit: FrameType) -> NoReturn:
        seconds = self.limit * self._strikes
        blocked = LoopBlocked(culprit.f_code.co_filename, culprit.f_lineno, culprit.f_code.co_name, seconds)
        if self._strikes > PATIENCE:
            raise LoopStillBlocked(str(blocked))
        raise blocked

    def _raise_later(self, culprit: FrameType) -> None:
        """Raises when our code has come back to the plugin: never inside our own bookkeeping."""

        def on_line(frame: FrameType, _event: str, _argument: object) -> object:
            self._stop_tracing()
            self._raise(frame)

        if self._traced is None:
            self._trace_before = sys.gettrace()
        else:
            self._traced.f_trace = None
        self._traced = culprit
        culprit.f_trace = on_line
        sys.settrace(_trace_nothing)

    def _stop_tracing(self) -> None:
        if self._traced is not None:
            self._traced.f_trace = None
            self._traced = None
            sys.settrace(self._trace_before)

    def _culprit(self, frame: FrameType | None) -> tuple[FrameType | None, bool]:
        """The innermost plugin frame of this callback, and whether only library code is inside it."""
        culprit: FrameType | None = None
        is_innermost = True
        while frame is not None:
            if frame.f_code is asyncio.Handle._run.__code__:
                return culprit, is_innermost
            if culprit is None:
                if self._is_plugin(frame.f_code.co_filename):
                    culprit = frame
                elif not is_library_file(frame.f_code.co_filename):
                    is_innermost = False
            frame = frame.f_back
        return None, False  # the loop has ended, and the program goes on


def _trace_nothing(_frame: FrameType, _event: str, _argument: object) -> None:
    """No new frame is traced."""


def is_plugin_file(file: str) -> bool:
    """Neither the standard library, nor ours, nor a library that we stand on; our own plugins are plugins."""
    if file.startswith(_OUR_PLUGINS):
        return True
    return not file.startswith(_OURS) and not is_library_file(file)


def is_library_file(file: str) -> bool:
    """The standard library, or a library that we stand on."""
    if file.startswith(("<frozen", *_stood_on())):
        return True
    return file.startswith(_standard()) and not file.startswith(_site_packages())


@cache
def _stood_on() -> tuple[str, ...]:
    """Where the libraries lie that we are installed with; any other installed package may be a plugin."""
    from importlib.metadata import packages_distributions  # slow to import, and needed in an emergency only

    ours = _required(_OWN_NAME, set())
    packages = [package for package, owners in packages_distributions().items() if ours & set(owners)]
    return tuple(
        os.path.join(folder, package + ending)
        for folder in _site_packages()
        for package in packages
        for ending in (os.sep, ".py")
    )


def _required(name: str, seen: set[str]) -> set[str]:
    """The distribution and all that it requires, by the names that they give themselves; of ours, extras too."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        found = distribution(name)
    except PackageNotFoundError:
        return seen
    if found.name not in seen:
        seen.add(found.name)
        for requirement in found.requires or ():
            if name == _OWN_NAME or "extra ==" not in requirement:
                _required(_NAME.match(requirement)[0], seen)  # type: ignore[index]
    return seen


@cache
def _folders(*names: str) -> tuple[str, ...]:
    """Of the interpreter, by the names of `sysconfig`."""
    import sysconfig  # needed in an emergency only, too

    return tuple({_folder(sysconfig.get_path(name)) for name in names})


def _standard() -> tuple[str, ...]:
    return _folders("stdlib", "platstdlib")


def _site_packages() -> tuple[str, ...]:
    return _folders("purelib", "platlib")


def _folder(path: str) -> str:
    return os.path.join(os.path.abspath(path), "")


_NAME = re.compile(r"[A-Za-z0-9._-]+")
_OWN_NAME = "prompt-workbench"
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_OURS = _folder(_PACKAGE)
_OUR_PLUGINS = _folder(os.path.join(_PACKAGE, "plugins"))
