"""Ids of packages, runs and requests: counted per runtime, and never given again.

Source: docs/dynamic-packages.md 2.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from workbench.core import Runtime


class Counters:
    """They outlive the runner."""

    __slots__ = ("packages", "requests", "runs")

    def __init__(self) -> None:
        self.packages = 0
        self.runs = 0
        self.requests = 0


_COUNTERS: WeakKeyDictionary[Runtime, Counters] = WeakKeyDictionary()


def counters_of(runtime: Runtime) -> Counters:
    return _COUNTERS.setdefault(runtime, Counters())
