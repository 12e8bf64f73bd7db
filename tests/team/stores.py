"""Stores over D0, for the tests of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.team.scenario import D0
from workbench.team.store.versions import VersionStore


@contextmanager
def opened(path: Path | str, **more: Any) -> Iterator[VersionStore]:
    with closing(VersionStore(path, builtins=D0, **more)) as store:
        yield store


def check_chain(store: VersionStore, newest: int) -> None:
    """No gap, and every version is whole."""
    lines = store.history(limit=newest + 5)
    assert [line.revision for line in lines] == list(range(newest, -1, -1))
    assert [line.predecessor for line in lines] == [*range(newest - 1, -1, -1), None]
    for line in lines[:20]:
        assert store.version(line.revision).config.sections.communication
