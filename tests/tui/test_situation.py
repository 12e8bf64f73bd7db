"""What the lines around the panes say while there is nothing to show yet, and where there is little room."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

import tests.support.previews as p
from tests.tui.conftest import opened
from workbench.tui.view import frame
from workbench.tui.view.pieces import plain
from workbench.tui.viewing import situation
from workbench.tui.viewing.viewing import Viewing


def viewing(*, is_slow: bool, has_prompt: bool) -> Viewing:
    assembling = SimpleNamespace(is_running=True, is_slow=is_slow, seconds=12.0, error=None)
    subject = p.FakeSubject(waits=[p.FakeWait("limits: slow", 12)])
    preview = p.CODING_AGENT if has_prompt else None
    return cast(
        Viewing, SimpleNamespace(subject=subject, preview=preview, past=None, assembling=assembling, opening="")
    )


@pytest.mark.parametrize("has_prompt", [False, True])
def test_before_the_first_prompt_nothing_was_true_before(has_prompt: bool) -> None:
    said = situation.interruption(viewing(is_slow=True, has_prompt=has_prompt))
    assert said is not None
    assert plain(said.sentence) == "◐ Assembling for 12 s: waiting for limits: slow."
    assert plain(said.fact) == ("what is shown was true before" if has_prompt else "")


def test_before_the_first_prompt_nothing_is_live() -> None:
    assert situation.status_of(viewing(is_slow=False, has_prompt=False)) == frame.OPENING
    assert situation.status_of(viewing(is_slow=False, has_prompt=True)) == frame.LIVE


async def test_on_a_tiny_screen_the_sentence_comes_before_the_fact() -> None:
    async with opened(p.FakeSubject(problems=["a.yml:1:2: no"]), size=(40, 12)) as screen:
        assert "× a.yml:1:2: no" in screen.text()
        assert "good state" not in screen.text()


@pytest.mark.parametrize("key", ["2", "4"])
async def test_a_file_from_which_nothing_is_loaded(key: str) -> None:
    """Where its rows would stand: what is wrong with it, and what to do."""
    broken = p.FakeSubject(None, problems=["a.yml:1:2: no [b]such[/b] key"], is_loaded=False)
    async with opened(broken) as screen:
        await screen.press(key)
        assert "Nothing is loaded from this file" in screen.text()
        assert "  no [b]such[/b] key" in screen.text()
        assert "E opens the file there in your editor." in screen.text()


@pytest.mark.parametrize(
    ("edits", "is_watched", "words"),
    [
        (None, True, "this view follows"),
        (p.FakeEdits(), True, "this view follows when the file is saved"),
        (p.FakeEdits(), False, "f5 reads it again"),
    ],
)
def test_how_what_is_mended_comes_to_the_screen(edits: p.FakeEdits | None, is_watched: bool, words: str) -> None:
    looked_at = SimpleNamespace(subject=p.FakeSubject(edits=edits, is_watched=is_watched))
    assert situation.following(cast(Viewing, looked_at), "f5") == words
