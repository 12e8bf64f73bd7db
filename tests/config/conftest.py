"""Small files to read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.compositions import Problems, Write
from workbench.config.composition import load
from workbench.config.problems import LoadError


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a file into a folder of its own, which is the working directory, and gives its relative path."""
    monkeypatch.chdir(tmp_path)

    def write_file(name: str, content: str | bytes) -> Path:
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


@pytest.fixture
def problems(write: Write) -> Problems:
    """What is wrong in a composition with this text; none when it loads."""

    def problems_of(text: str) -> list[str]:
        try:
            load(write("c.yml", text))
        except LoadError as error:
            return [str(problem) for problem in error.problems]
        return []

    return problems_of
