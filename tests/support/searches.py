"""Random searches in parts. The same every time, unless `WORKBENCH_SEARCH` asks for new ones."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, seed, settings
from hypothesis.strategies import SearchStrategy

IS_NEW = bool(os.environ.get("WORKBENCH_SEARCH"))
"""A change is judged by what it does, not by luck: what is new is looked for on purpose."""

RELAXED = settings(
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    print_blob=False,
    derandomize=not IS_NEW,
)
"""For what takes as long as it takes, and is too large to be kept."""


def search(check: Callable[[Any], None], examples: SearchStrategy[Any], number: int, part: int) -> None:
    """Check a number of examples. In parts, since a search remembers all that it has tried."""

    @settings(RELAXED, max_examples=number, derandomize=False)
    @given(example=examples)
    def test(example: Any) -> None:
        check(example)

    (test if IS_NEW else seed(part)(test))()
