"""The place Prompt while things change: edits, failures, what hangs, and what it says of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import tests.support.previews as p
from tests.tui.at_rest import comes
from workbench.tui.bridge import Changed
from workbench.tui.view.entries import PluginTrouble

Workbench = Callable[..., Any]


async def test_a_change_is_shown_and_marked(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("j", "j")
        sections = (*p.SECTIONS[:2], replace(p.SECTIONS[2], rendered="Brand new.", spans=()), *p.SECTIONS[3:])
        screen.subject.change(p.preview(sections, p.CONTEXTS, p.TOOLS, p.VARIABLES, scope="main"))
        await screen.settle()
        assert "Brand new." in screen.text()
        assert {key.name for key in screen.place.model.changed} == {"tool:bash"}
        assert "~ 1 changed just now" in screen.text()
        assert screen.place.model.chosen.name == "tool:bash"


async def test_what_is_looked_at_stays_while_things_change_above(workbench: Workbench) -> None:
    shown = p.big(200)
    async with workbench(p.FakeSubject(shown)) as screen:
        await screen.press("enter", *["pagedown"] * 4)
        before = screen.text().splitlines()[8:30]
        longer = replace(shown.sections[0], rendered="One more line.\n" * 9)
        screen.subject.change(p.preview((longer, *shown.sections[1:]), (), p.TOOLS, p.VARIABLES))
        await screen.settle()
        after = screen.text().splitlines()[8:30]
        assert [line[39:100] for line in after] == [line[39:100] for line in before]


async def test_a_burst_is_one_message_per_frame_and_few_assemblies(workbench: Workbench) -> None:
    seen: list[Changed] = []

    def hook(message: object) -> None:
        if isinstance(message, Changed) and message not in seen:
            seen.append(message)

    async with workbench(message_hook=hook) as screen:
        asked = len(screen.subject.asked)
        for number in range(100_000):
            screen.subject.change(topic=f"t{number % 3}")
        await screen.settle()
        assert [message.topics for message in seen] == [frozenset({"t0", "t1", "t2"})]
        assert len(screen.subject.asked) - asked <= 2


async def test_changes_during_an_assembly_are_not_lost(workbench: Workbench) -> None:
    async with workbench() as screen:
        subject = screen.subject
        subject.gate = asyncio.Event()
        asked = len(subject.asked)
        subject.change()
        await comes(lambda: len(subject.asked) == asked + 1)
        subject.change(p.EMPTY)
        await comes(lambda: screen.app.viewing.assembling.is_stale)
        subject.gate.set()
        await screen.settle()
        assert len(subject.asked) == asked + 2
        assert "Nothing to read." in screen.text()


async def test_nothing_is_assembled_while_the_files_are_exchanged(workbench: Workbench) -> None:
    async with workbench() as screen:
        asked = len(screen.subject.asked)
        screen.subject.is_changing = True
        screen.subject.change()
        await screen.settle()
        assert len(screen.subject.asked) == asked
        screen.subject.is_changing = False
        screen.subject.change()
        await screen.settle()
        assert len(screen.subject.asked) == asked + 1


async def test_a_broken_edit_keeps_the_last_good_state_and_says_so(workbench: Workbench) -> None:
    async with workbench() as screen:
        screen.subject.problems = ['agent.yml:14:3: unknown key "tols"; did you mean "tools"?']
        screen.subject.change()
        await screen.settle()
        text = screen.text()
        assert '× agent.yml:14:3: unknown key "tols"' in text
        assert "last good state stays" in text
        assert "× broken file" in text
        assert "You are coding-agent" in text
        screen.subject.problems = ()
        screen.subject.change()
        await screen.settle()
        assert "● live" in screen.text()


async def test_a_file_that_is_broken_from_the_start_shows_all_problems(workbench: Workbench) -> None:
    subject = p.FakeSubject(p.EMPTY, is_loaded=False, problems=["a.yml:1:2: first", "a.yml:3:4: second; do it"])
    async with workbench(subject) as screen:
        text = screen.text()
        assert "a.yml:3:4" in text
        assert "second; do it" in text
        assert "nothing is loaded" in text
        subject.is_loaded, subject.problems = True, ()
        subject.change(p.CODING_AGENT)
        await screen.settle()
        assert "You are coding-agent" in screen.text()


async def test_a_mended_file_is_looked_at_from_its_first_agent(workbench: Workbench) -> None:
    nobody, agent = p.ScopeChoice("(global)", "all"), p.ScopeChoice("main", "one of them", has_agent=True)
    subject = p.FakeSubject(p.EMPTY, is_loaded=False, problems=["a.yml:1:2: no"], scopes=[nobody])
    async with workbench(subject) as screen:
        subject.is_loaded, subject.problems, subject.scopes = True, (), [nobody, agent]
        subject.change(p.CODING_AGENT)
        await screen.settle()
        assert screen.app.viewing.scope == "main"
        screen.app.viewing.take_scope("(global)")
        subject.change()
        await screen.settle()
        assert screen.app.viewing.scope == "(global)"


async def test_a_failure_is_gone_to_and_recovered_from(workbench: Workbench) -> None:
    async with workbench() as screen:
        screen.subject.change(p.FAILING)
        await screen.settle()
        assert screen.place.model.chosen.name == "tool:bash"
        text = screen.text()
        assert "× This prompt cannot be sent" in text
        assert "unknown variable {{workdir}}" in text
        assert "– no request" in text
        screen.subject.change(p.CODING_AGENT)
        await screen.settle()
        assert "120 seconds" in screen.text()


async def test_a_faulty_line_far_below_is_brought_into_view(workbench: Workbench) -> None:
    long = replace(p.FAILING.sections[2], text="Line.\n" * 60 + p.FAILING.sections[2].text)
    failure = replace(p.UNKNOWN, offset=(p.UNKNOWN.offset or 0) + 360, line=62)
    shown = p.preview([*p.SECTIONS[:2], replace(long, failure=failure)], failures=[failure])
    async with workbench(p.FakeSubject(shown), size=(80, 24)) as screen:
        assert "^^^^^^^^^^^" in screen.text()
        assert "unknown variable" in screen.text()


async def hang(subject: p.FakeSubject) -> None:
    """An assembly has been asked for, and does not come back before `gate` is set."""
    subject.gate = asyncio.Event()
    asked = len(subject.asked)
    subject.change()
    await comes(lambda: len(subject.asked) == asked + 1)


async def test_a_hanging_assembly_says_who_hangs_and_the_app_lives(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.tui.viewing.assembling.PATIENCE", 0.0)
    async with workbench() as screen:
        subject = screen.subject
        subject.waits = [p.FakeWait("limits: wait_for_ever", 3.0)]
        await hang(subject)
        screen.place.refresh_frame()
        await screen.pilot.press("j")
        await screen.comes("waiting for limits: wait_for_ever")
        assert "You are coding-agent" in screen.text()
        assert screen.place.model.chosen.name == "deployment:persona"
        subject.gate.set()
        await screen.settle()
        assert "waiting for" not in screen.text()


async def test_a_hanging_assembly_is_given_up_for_the_next_change(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.tui.viewing.assembling.PATIENCE", 0.0)
    async with workbench() as screen:
        subject = screen.subject
        await hang(subject)
        subject.gate = None
        subject.change(p.EMPTY)
        await screen.settle()
        assert "Nothing to read." in screen.text()


async def test_an_error_of_our_own_is_shown_and_passes(workbench: Workbench) -> None:
    async with workbench() as screen:
        screen.subject.error = RuntimeError("no prompt service\x1b[2J")
        screen.subject.change()
        await screen.settle()
        assert "No preview: RuntimeError: no prompt service‹ESC›[2J" in screen.text()
        screen.subject.error = None
        screen.subject.change()
        await screen.settle()
        assert "No preview" not in screen.text()


async def test_plugins_that_do_not_run_stand_in_the_list(workbench: Workbench) -> None:
    subject = p.FakeSubject(troubles=[PluginTrouble(p.BASH, "failed", "ValueError: no shell here")])
    async with workbench(subject) as screen:
        assert "× 1 plugin failed" in screen.text()
        await screen.press("G")
        assert "ValueError: no shell here" in screen.text()


async def test_notes_on_the_file(workbench: Workbench) -> None:
    subject = p.FakeSubject(notes=["a.yml:3:1: !!js is not evaluated"])
    async with workbench(subject) as screen:
        assert "1 note on the file" in screen.text()
        await screen.press("o")
        assert "!!js is not evaluated" in screen.text()
