"""Compositions on disk, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from workbench.check.checking import check_file
from workbench.check.finding import Finding

Found = Callable[..., Awaitable[tuple[Finding, ...]]]


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Found:
    """Writes `agent.yml`, and other files given by keyword (`kit_py=…`), and checks it."""

    async def check(
        composition: str, *, profiles: tuple[str, ...] | None = None, **files: str
    ) -> tuple[Finding, ...]:
        monkeypatch.chdir(tmp_path)
        write(tmp_path, agent_yml=composition, **files)
        return (await check_file("agent.yml", profiles=profiles, settle_seconds=0.1)).findings

    return check


def write(folder: Path, **files: str) -> None:
    """Write files whose names are given as `agent_yml`."""
    for name, content in files.items():
        (folder / ".".join(name.rsplit("_", 1))).write_text(content, encoding="utf-8")
