"""The place Prompt, driven by keys and mouse: what is chosen, shown, said and asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from textual.events import Key, MouseScrollDown

import tests.support.previews as p
import tests.support.traces as t
from workbench.prompt.trace import Change
from workbench.tui.bridge import Changed
from workbench.tui.commands import COMMANDS
from workbench.tui.places.prompt.place import PromptPlace
from workbench.tui.places.trace.place import TracePlace
from workbench.tui.view.entries import PluginTrouble
from workbench.tui.widgets.entry_list import EntryList
from workbench.tui.widgets.inputs import SafeInput
from workbench.tui.widgets.picker import Picker, PickList
from workbench.tui.widgets.sheet import Sheet

Workbench = Callable[..., Any]


async def test_the_first_agent_is_shown(workbench: Workbench) -> None:
    async with workbench() as screen:
        assert screen.subject.asked == ["main"]
        assert screen.place.model.chosen.name == "harness:identity"
        assert screen.place.entry_list.has_focus
        assert "You are coding-agent, powered by the deepseek-chat model." in screen.text()


async def test_each_command_has_its_action(workbench: Workbench) -> None:
    async with workbench() as screen:
        carriers = {
            "app": [screen.app],
            "prompt": [screen.place],
            "lines": [screen.place.entry_list, screen.place.prompt_text],
            "list": [screen.place.entry_list],
            "text": [screen.place.prompt_text],
        }
        for command in COMMANDS:
            for carrier in carriers.get(command.where, ()):
                assert callable(getattr(carrier, f"action_{command.action}", None)), command.id


async def test_moving_in_the_list_skips_headings_and_shows_the_entry(workbench: Workbench) -> None:
    seen: list[str] = []

    def hook(message: object) -> None:
        if isinstance(message, EntryList.Chosen) and (not seen or seen[-1] != message.key.name):
            seen.append(message.key.name)

    async with workbench(message_hook=hook) as screen:
        await screen.press("j", "down", *["down"] * 5)
        assert screen.place.model.chosen.name == "sandbox:policy"
        assert seen[:2] == ["deployment:persona", "tool:bash"]
        assert screen.place.prompt_text.page.name == "context"
        assert "Writes are allowed below /srv/app" in screen.text()
        await screen.press("G")
        assert screen.place.model.chosen.name == "provider"
        await screen.press("g")
        assert screen.place.model.chosen.name == "harness:identity"


async def test_a_tool_shows_its_schema(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("G", "k", "k", "k", "k", "k")
        assert screen.place.model.chosen.name == "read"
        assert '"properties": {' in screen.text()


async def test_a_variable_shows_where_it_is_used(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("G", "k")
        assert screen.place.model.chosen.name == "model"
        assert screen.place.prompt_text.page.name == "system"
        assert "used in  deployment:persona" in screen.text()


async def test_the_cursor_in_the_text_takes_the_list_along(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("enter")
        text = screen.place.prompt_text
        assert text.has_focus
        assert text.cursor == (0, 0)
        await screen.press("j", "j", "j", "j", "j")
        assert text.cursor == (2, 0)
        assert screen.place.model.chosen.name == "tool:bash"
        assert screen.place.entry_list.chosen.name == "tool:bash"
        await screen.press("k")
        assert text.cursor == (1, 3)
        await screen.press("G")
        assert text.cursor == (6, 0)
        await screen.press("left")
        assert screen.place.entry_list.has_focus


async def test_find_goes_through_all_pages_and_around(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("slash", *"return")
        model = screen.place.model
        assert len(model.hits) == 2
        assert model.chosen.name == "bash"
        assert screen.place.prompt_text.page.name == "tools"
        assert "1 of 2" in screen.text()
        await screen.press("enter", "n")
        assert model.chosen.name == "read"
        await screen.press("n")
        assert model.chosen.name == "bash"
        await screen.press("N")
        assert model.chosen.name == "read"
        await screen.press("escape")
        assert model.hits == []


async def test_find_says_when_there_is_nothing(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("slash", *"zzz")
        assert "not found" in screen.text()
        await screen.press("escape")
        assert "not found" not in screen.text()
        assert screen.place.key_hints.display


async def test_words_that_a_listener_took_out_lead_to_it(workbench: Workbench) -> None:
    cut = Change("section", "tool:bash", "changed", "Never guess.", "Check.", "before next")
    subject = p.FakeSubject(t.with_listeners(t.span("soften", p.LIMITS, "passed", changes=(cut,))))
    async with workbench(subject) as screen:
        await screen.press("slash", *"never guess")
        await screen.until(lambda: "soften of limits took out “never guess” in section tool:bash." in screen.text())
        await screen.press("enter")
        assert "t who changed it" in screen.text()
        await screen.press("t")
        await screen.until(lambda: isinstance(screen.app.place, TracePlace))
        assert screen.app.place.model.chosen.label == "soften"
        await screen.press("1", "escape")
        await screen.until(lambda: "took out" not in screen.text())


async def test_words_of_an_entry_that_is_not_sent(workbench: Workbench) -> None:
    hidden = p.entry("team:old", 5, "Never guess.", p.BASH, state="shadowed")
    subject = p.FakeSubject(p.preview((*p.SECTIONS, hidden), scope="main"))
    async with workbench(subject) as screen:
        await screen.press("slash", *"never guess")
        await screen.until(lambda: "is only in section team:old, which is not sent: shadowed." in screen.text())


async def test_a_capital_makes_case_count(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("slash", *"Read")
        assert len(screen.place.model.hits) == 2
        await screen.press("backspace", "backspace", "backspace", "backspace", *"read")
        assert len(screen.place.model.hits) == 6


async def test_copy_gives_the_original_bytes(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    async with workbench(p.FakeSubject(p.HOSTILE_PREVIEW)) as screen:
        await screen.press("y")
        assert screen.app.clipboard == p.HOSTILE
        assert "Copied 156 chars" in screen.text()
        await screen.press("Y")
        assert screen.app.clipboard == p.HOSTILE_PREVIEW.system


async def test_copy_survives_lone_surrogates(workbench: Workbench) -> None:
    shown = p.preview([p.entry("x", 1, "a\ud800b", p.FILES)])
    async with workbench(p.FakeSubject(shown)) as screen:
        await screen.press("y")
        assert screen.app.clipboard == "a\ud800b"


async def test_plain_text_has_no_bands(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("m")
        assert "60 chars" not in screen.text().split("coding-agent, powered")[0].split("Sections")[1]
        assert screen.place.prompt_text.page.is_bare
        await screen.press("m")
        assert not screen.place.prompt_text.page.is_bare


async def test_names_in_place_of_values(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("v")
        assert "powered by the {{model}} model" in screen.text()
        await screen.press("v")
        assert "powered by the deepseek-chat model" in screen.text()


async def test_lines_can_run_to_the_right(workbench: Workbench) -> None:
    async with workbench() as screen:
        assert "enough to be reviewed" in screen.text()
        before = screen.place.prompt_text.virtual_size.height
        await screen.press("w")
        assert screen.place.prompt_text.virtual_size.height < before
        assert screen.place.prompt_text.virtual_size.width > 100
        screen.place.prompt_text.scroll_to(x=40, animate=False)
        await screen.settle()
        assert "reviewed in one sitting." in screen.text()


async def test_another_scope_is_assembled_for(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("s")
        picker = screen.app.screen
        assert isinstance(picker, Picker)
        assert picker.query_one(PickList).item.id == "main"
        await screen.pilot.press("down", "enter")
        await screen.settle()
        assert screen.app.viewing.scope == "reviewer"
        assert screen.subject.asked[-1] == "reviewer"


async def test_a_scope_that_is_gone_is_left(workbench: Workbench) -> None:
    async with workbench() as screen:
        screen.subject.scopes = screen.subject.scopes[:1]
        screen.subject.change()
        await screen.settle()
        assert screen.app.viewing.scope == "(global)"


async def test_the_palette_runs_commands_and_jumps(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("ctrl+p", *"plain")
        await screen.press("enter")
        assert screen.place.model.is_plain
        await screen.press("m", "ctrl+p", *"tool:web")
        await screen.press("enter")
        assert screen.place.model.chosen.name == "tool:web_search"


async def test_help_covers_and_goes(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("question_mark")
        assert isinstance(screen.app.screen, Sheet)
        assert "Help for Prompt" in screen.text()
        await screen.press("escape")
        assert isinstance(screen.app.screen, PromptPlace)


async def test_colours_can_be_changed(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("c", *"light")
        await screen.press("enter")
        assert screen.app.theme == "workbench-light"
        assert screen.place.entry_list.paint.style("text", "base").bgcolor.name == "#fcfbf8"


async def test_quit_ends_with_zero(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.pilot.press("q")
        assert screen.app.return_value == 0


# live


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
        subject.change()
        await asyncio.sleep(0.08)
        subject.change(p.EMPTY)
        await asyncio.sleep(0.08)
        asked = len(subject.asked)
        subject.gate.set()
        await screen.settle()
        assert len(subject.asked) == asked + 1
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


async def test_a_hanging_assembly_says_who_hangs_and_the_app_lives(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.tui.viewing.assembling.PATIENCE", 0.0)
    async with workbench() as screen:
        subject = screen.subject
        subject.gate = asyncio.Event()
        subject.waits = [p.FakeWait("limits: wait_for_ever", 3.0)]
        subject.change()
        await asyncio.sleep(0.1)
        screen.place.refresh_frame()
        await screen.pilot.press("j")
        assert "waiting for limits: wait_for_ever" in screen.text()
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
        subject.gate = asyncio.Event()
        subject.change()
        await asyncio.sleep(0.08)
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


# sizes and the mouse


@pytest.mark.parametrize("size", [(20, 5), (50, 14), (70, 20), (80, 24), (100, 30), (160, 45), (300, 90)])
@pytest.mark.parametrize("name", ["CODING_AGENT", "FAILING", "HOSTILE_PREVIEW", "EMPTY"])
async def test_every_size_can_be_drawn_and_used(workbench: Workbench, size: tuple[int, int], name: str) -> None:
    async with workbench(p.FakeSubject(getattr(p, name)), size=size) as screen:
        await screen.press("j", "tab", "j", "tab", "G", "w", "v", "m")
        lines = screen.text().splitlines()
        assert len(lines) == size[1]


async def test_one_pane_at_a_time_where_there_is_no_room(workbench: Workbench) -> None:
    async with workbench(size=(70, 20)) as screen:
        assert screen.place.entry_list.display
        assert not screen.place.prompt_text.display
        await screen.press("tab")
        assert screen.place.prompt_text.display
        assert not screen.place.entry_list.display
        await screen.press("tab")
        assert screen.place.entry_list.has_focus


async def test_resizing_keeps_what_is_chosen(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.press("j", "j")
        for size in ((80, 24), (40, 10), (200, 50), (120, 40)):
            await screen.pilot.resize_terminal(*size)
            await screen.settle()
        assert screen.place.model.chosen.name == "tool:bash"
        assert "Check the exit marker" in screen.text()


async def test_a_click_chooses(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.pilot.click("#list", offset=(12, 4))
        await screen.settle()
        assert screen.place.model.chosen.name == "tool:read"
        await screen.pilot.click("#text", offset=(20, 1))
        await screen.settle()
        assert screen.place.model.chosen.name == "harness:identity"
        assert screen.place.prompt_text.has_focus


async def test_a_click_on_the_scope_opens_the_scopes(workbench: Workbench) -> None:
    async with workbench() as screen:
        await screen.pilot.click("ContextBar", offset=(25, 0))
        await screen.pilot.pause()
        assert isinstance(screen.app.screen, Picker)


async def test_the_wheel_scrolls_the_text(workbench: Workbench) -> None:
    async with workbench(p.FakeSubject(p.big(50))) as screen:
        text = screen.place.prompt_text
        await screen.pilot._post_mouse_events([MouseScrollDown], text)
        await screen.settle()
        assert text.scroll_y > 0


async def test_a_large_prompt_is_shown_and_moved_in(workbench: Workbench) -> None:
    async with workbench(p.FakeSubject(p.big(3000))) as screen:
        await screen.press("G", "k", "k", "k", "k", "k", "k", "k", "k")
        assert screen.place.model.chosen.name == "part:2999"
        assert "part:2999" in screen.text().split("Sections")[-1]
        await screen.press("enter", "G", "pageup", "g")
        assert screen.place.prompt_text.cursor == (0, 0)


async def test_keys_that_are_typed_ahead_of_a_field_are_never_commands(workbench: Workbench) -> None:
    """`q` would quit, and `c` open the colours."""
    async with workbench() as screen:
        for key in ("slash", "q", "u", "c", "k"):
            screen.app.post_message(Key(key, key if len(key) == 1 else "/"))
        await screen.settle()
        assert isinstance(screen.app.focused, SafeInput)
        assert isinstance(screen.app.screen, PromptPlace)
        await screen.press("escape")
        for key in ("ctrl+p", "q", "c"):
            screen.app.post_message(Key(key, key if len(key) == 1 else None))
        await screen.settle()
        assert screen.app.screen.query_one(SafeInput).has_focus
        assert screen.app.is_running
