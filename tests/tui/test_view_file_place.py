"""Places in files, in few cells and in many."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from workbench.prompt.source import TextSource
from workbench.tui.view.file_place import file_and_line, short_path, with_place
from workbench.tui.view.pieces import Piece, plain

LONG = "/srv/harbor/agents/prompts/coding-agent.yml"


@pytest.mark.parametrize(
    ("room", "shown"),
    [
        (43, LONG),
        (42, "…/harbor/agents/prompts/coding-agent.yml"),
        (30, "…/prompts/coding-agent.yml"),
        (18, "…/coding-agent.yml"),
        (17, "coding-a…gent.yml"),
        (9, "codi….yml"),
        (2, "…"),
    ],
)
def test_folders_go_first_and_then_the_middle_of_the_name(room: int, shown: str) -> None:
    assert short_path(LONG, room) == shown


@given(st.lists(st.text("ab日👩é ", max_size=8), min_size=1, max_size=6), st.integers(1, 60))
def test_it_fits_whatever_the_path(parts: list[str], room: int) -> None:
    assert cell_len(short_path("/".join(parts), room)) <= room


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_file_and_line_are_there_at_every_width(width: int) -> None:
    source = TextSource(LONG, 157, 1)
    words = (Piece("a_listener_with_a_name  listener of harbor_rules"),)
    rows = with_place(words, source, width, right=(Piece("12.5 ms"),))
    assert all(cell_len(plain(row)) <= width for row in rows)
    assert "coding-agent.yml:157" in "\n".join(map(plain, rows))
    assert "12.5 ms" in plain(rows[0])
    assert len(rows) == (1 if width > 80 else 2)


def test_the_line_stays_when_the_name_cannot() -> None:
    assert file_and_line(TextSource(LONG, 157, 1), 14) == "codin….yml:157"
