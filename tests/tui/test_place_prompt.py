"""The place Prompt, driven by keys: what is chosen, shown, said and asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tests.support.previews as p
import tests.support.traces as t
from workbench.prompt.trace import Change
from workbench.tui.commands import COMMANDS
from workbench.tui.places.prompt.place import PromptPlace
from workbench.tui.places.trace.place import TracePlace
from workbench.tui.widgets.entry_list import EntryList
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
        assert "taken out" in screen.text()
        assert "not found" not in screen.text()
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
