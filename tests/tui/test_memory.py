"""What is remembered from one start to the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.tui.memory import RECENT, Memory, load


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "below" / "state.json"
    memory = Memory(file, "light", {"prompt.wrap": False})
    memory.opened("/srv/a.yml", now=lambda: 1.0)
    memory.opened("coding-agent", now=lambda: 2.0)
    memory.left("/srv/a.yml", "1 error")
    memory.save()
    assert load(file) == memory
    assert [each.path for each in memory.recent] == ["coding-agent", "/srv/a.yml"]
    assert [each.name for each in file.parent.iterdir()] == ["state.json"], "nothing is left beside it"


def test_a_file_is_listed_once_and_the_list_is_short() -> None:
    memory = Memory()
    for number in range(RECENT + 3):
        memory.opened(f"/{number}")
    memory.left("/5", "loads")
    memory.opened("/5")
    assert len(memory.recent) == RECENT
    assert memory.recent[0].path == "/5"
    assert memory.recent[0].health == "loads", "until it is known better"
    memory.forget("/5")
    assert "/5" not in [each.path for each in memory.recent]


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"version": 9}', '{"version": 1, "recent": [{}]}', '{"version": 1, "theme": 3}']
)
def test_what_cannot_be_read_is_put_aside(tmp_path: Path, text: str) -> None:
    file = tmp_path / "state.json"
    file.write_text(text)
    memory = load(file)
    assert memory == Memory(file)
    assert (tmp_path / "state.unreadable").read_text() == text
    memory.save()
    assert load(file) == memory


def test_a_file_that_may_not_be_read_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "state.json").mkdir()
    assert load(tmp_path / "state.json").file is None


def test_without_a_file_nothing_is_kept() -> None:
    assert load(None) == Memory()
    Memory().save()
