"""Edits of the files: what the screen says while one waits, and after it came into force."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tests.support.previews as p
from tests.tui.at_rest import settled
from tests.tui.conftest import Screen
from workbench.config import open_composition
from workbench.config.difference.request import request_difference
from workbench.tui.app import WorkbenchApp
from workbench.tui.live import CompositionSubject
from workbench.tui.view import answer as answers
from workbench.tui.view.edit_cost import cost_sentence
from workbench.tui.view.edits import Change, Waiting, change_between, waiting_line
from workbench.tui.view.pieces import plain, width_of

Workbench = Callable[..., Any]
OTHER = p.preview(
    [replace(p.CODING_AGENT.sections[0], rendered="Other words.", text="Other words.")],
    scope=p.CODING_AGENT.trace.scope,
)


@pytest.mark.parametrize(
    ("waiting", "said"),
    [
        (Waiting(), "◆ An edit waits: looking at what it changes …"),
        (Waiting(""), "◆ An edit waits; it changes nothing in this prompt."),
        (Waiting("section a of b is changed"), "◆ An edit waits: section a of b is changed."),
        (Waiting("x.yml:1: no\nmore", is_refused=True), "◆ An edit waits and cannot be used: x.yml:1: no"),
        (Waiting("section \x1b[2J[/] is added"), "◆ An edit waits: section ‹ESC›[2J[/] is added."),
    ],
)
def test_an_edit_that_waits(waiting: Waiting, said: str) -> None:
    assert plain(waiting_line(waiting)) == said


def test_what_an_edit_would_cost() -> None:
    """Number of the first changed token, its owner, and what is read anew, the conversation included."""
    same = request_difference(p.CODING_AGENT, p.CODING_AGENT)
    assert cost_sentence(same) == ""
    edited = request_difference(p.CODING_AGENT, OTHER)
    said = cost_sentence(edited, 1_200)
    assert said.startswith("section harness:identity of system_prompt is changed at token 1; ")
    assert said.endswith(" (system_prompt.py:41:9)")
    assert edited.prefix is not None
    assert f"{edited.prefix.read_anew:,} tokens are read anew, and ≈ 1,200 of the conversation behind them" in said
    assert "conversation" not in cost_sentence(edited)
    context = p.preview(p.SECTIONS, [replace(p.CONTEXTS[0], rendered="Other.")], p.TOOLS, p.VARIABLES, scope="main")
    said = cost_sentence(request_difference(p.CODING_AGENT, context))
    assert said.partition(" (")[0].endswith("a message, and breaks nothing")
    other_model = [replace(each, value="other") if each.name == "model" else each for each in p.VARIABLES]
    switched = p.preview(p.SECTIONS, p.CONTEXTS, p.TOOLS, other_model, scope="main")
    said = cost_sentence(request_difference(p.CODING_AGENT, switched))
    assert said.startswith("it goes to another model, deepseek-chat → other: nothing of ≈ ")


async def test_a_pending_edit_of_files_says_what_it_would_cost(tmp_path: Path) -> None:
    path = tmp_path / "a.yml"
    path.write_text("persona: You answer.\nagents: [{name: main, provider: p, model: m}]\n")
    async with open_composition(path) as opened:
        opened.auto_apply = False
        edits = CompositionSubject(opened).edits

        async def would(text: str) -> str:
            path.write_text(text)
            await opened.reload()
            return (await edits.pending_change("main")).sentence or ""

        said = await would("persona: You answer briefly.\nagents: [{name: main, provider: p, model: m}]\n")
        assert said.startswith("section deployment:persona of deployment is changed at token ")
        assert " tokens are " in said
        assert "a.yml:1:" in said
        said = await would("persona: You answer.\nagents: [{name: main, provider: p, model: other}]\n")
        assert "it goes to another model, m → other" in said
        said = await would("persona: You {{x}}.\nagents: [{name: main, provider: p, model: m}]\n")
        assert "the request could not be sent any more: " in said


def test_what_an_edit_changed_first_stands_at_the_right_end() -> None:
    change = Change("tool:bash", "changed")
    assert plain(answers.answer(p.CODING_AGENT, 3, first=change).fact) == "~ tool:bash changed first, 3 in all"
    assert plain(answers.answer(p.CODING_AGENT, 1, first=change).fact) == "~ tool:bash changed first"
    long = answers.answer(p.CODING_AGENT, 1, first=Change("x" * 200, "removed"), short=True).fact
    assert width_of(long) < 45
    assert change_between(p.CODING_AGENT, p.CODING_AGENT) is None
    assert change_between(p.CODING_AGENT, OTHER) == Change("harness:identity", "changed")


async def test_a_pending_edit_is_said_and_can_be_applied_or_discarded(workbench: Workbench) -> None:
    edits = p.FakeEdits(pending=object(), change=Waiting("section a of b is changed"))
    async with workbench(p.FakeSubject(edits=edits)) as screen:
        assert "◆ An edit waits: section a of b is changed." in screen.text()
        assert "a apply the edit" in screen.text()
        assert "◌ edits wait" in screen.text()
        screen.subject.change()
        await screen.settle()
        assert edits.done == ["look main"]  # once for each edit
        await screen.press("a")
        screen.subject.change(OTHER, topic="files")
        await screen.settle()
        assert edits.done == ["look main", "apply"]
        assert "An edit waits" not in screen.text()
        assert "~ harness:identity changed first" in screen.text()
        edits.pending = object()
        screen.subject.change(topic="files")
        await screen.settle()
        await screen.press("x")
        screen.subject.change(topic="files")
        await screen.settle()
        assert edits.done == ["look main", "apply", "look main", "discard"]
        assert "An edit waits" not in screen.text()
        await screen.press("a")
        assert edits.done[-1] == "discard"  # nothing waits any more


async def test_the_whole_sentence_stands_on_the_sheet_of_notes(workbench: Workbench) -> None:
    edits = p.FakeEdits(pending=object(), change=Waiting("section a of b is changed; " + "words " * 30 + "the end"))
    async with workbench(p.FakeSubject(edits=edits), size=(80, 24)) as screen:
        assert "the end" not in screen.text()
        await screen.press("o")
        assert "An edit waits" in screen.text()
        assert "the end" in screen.text()


async def test_another_scope_is_looked_at_too(workbench: Workbench) -> None:
    edits = p.FakeEdits(pending=object(), change=Waiting(""))
    async with workbench(p.FakeSubject(edits=edits)) as screen:
        await screen.press("s", "down", "enter")
        assert edits.done == ["look main", "look reviewer"]


async def test_an_error_is_said_and_ends_with_the_next_edit(workbench: Workbench) -> None:
    edits = p.FakeEdits(pending=object(), change=ValueError("broken \x1b[31m[/]"))
    async with workbench(p.FakeSubject(edits=edits)) as screen:
        assert "cannot be used: ValueError: broken ‹ESC›[31m[/]" in screen.text()
        await screen.press("a")
        assert "× The edit was not applied: ValueError: broken" in screen.text()
        screen.subject.change(topic="files")
        await screen.settle()
        assert "not applied" not in screen.text()


async def test_edits_can_be_held_and_let_go(workbench: Workbench) -> None:
    edits = p.FakeEdits(are_held=False)
    async with workbench(p.FakeSubject(edits=edits)) as screen:
        assert "● live" in screen.text()
        await screen.press("p")
        assert screen.subject.edits.are_held
        assert "Edits wait until they are applied." in screen.text()
        assert "◌ edits wait" in screen.text()
        await screen.press("p")
        assert not screen.subject.edits.are_held
    async with workbench() as screen:
        await screen.press("p")
        assert "no files here" in screen.text()


FILE = """
sections:
  - {name: team:first, order: 10, text: Stay as it is.}
  - {name: team:style, order: 50, text: WORDS}
agents:
  - {name: main}
"""


async def test_a_file_from_its_edit_to_its_preview(tmp_path: Path) -> None:
    file = tmp_path / "agent.yml"
    file.write_text(FILE)
    async with open_composition(file) as opened:
        app = WorkbenchApp(CompositionSubject(opened, "agent.yml"))
        async with app.run_test(size=(120, 40)) as pilot:
            await settled(pilot)
            screen = Screen(pilot, app.viewing.subject)  # type: ignore[arg-type]
            await screen.press("p")
            file.write_text(FILE.replace("WORDS", "Answer in one paragraph."))
            assert not await opened.reload()
            await screen.settle()
            assert "An edit waits: section team:style of agent.yml is changed" in screen.text()
            assert "Answer in one paragraph." not in screen.text()
            await screen.press("a")
            await screen.settle()
            assert "Answer in one paragraph." in screen.text()
            assert "~ team:style changed first" in screen.text()
            await screen.press("p")
            file.write_text(FILE.replace("WORDS", "Answer twice.").replace("Stay", "Stand"))
            assert await opened.reload()
            await screen.settle()
            assert "~ team:first changed first, 2 in all" in screen.text()
            await screen.press("p")
            file.write_text(FILE.replace("name: main", "name: other"))
            await opened.reload()
            await screen.settle()
            assert "agent.yml: there is no" in screen.text()
            await screen.press("x")
            assert opened.pending is None
            assert "An edit waits" not in screen.text()
