"""Properties of the loop over random runs (docs/agents.md 17)."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.agent.random_runs import Op, answers, ops, run

FAST = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
DEEP = settings(max_examples=1500, deadline=None, suppress_health_check=list(HealthCheck))

programs = st.lists(ops, min_size=1, max_size=25)
scripts = st.lists(answers, max_size=20)


def _run(drawn: list[Any], program: list[Op]) -> int:
    with TemporaryDirectory() as folder:
        return asyncio.run(run(drawn, program, Path(folder)))


@FAST
@given(scripts, programs)
@example([("calls", ("ok", "fails", "slow"))], [("say", 1), ("turns", 20), ("cancel", 3, "user", False), ("say", 2)])
@example([("text", "a"), ("error", "CONTEXT_WINDOW_EXCEEDED")], [("say", 1), ("wait",), ("say", 2), ("wait",)])
@example([("text", "a"), ("text", "b")], [("say", 1), ("wait",), ("fork",), ("kill", 50), ("say", 2), ("fork",)])
def test_every_request_is_rebuilt_from_the_log(drawn: list[Any], program: list[Op]) -> None:
    assert _run(drawn, program) > 0


@pytest.mark.slow
@DEEP
@given(scripts, programs)
def test_every_request_is_rebuilt_from_the_log_deep(drawn: list[Any], program: list[Op]) -> None:
    assert _run(drawn, program) > 0
