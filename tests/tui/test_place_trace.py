"""The place Trace on a screen: moving, reading, earlier assemblies, finding who, and going elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest
from textual.events import MouseScrollDown

import tests.support.previews as p
import tests.support.traces as t
from tests.tui.conftest import Screen
from workbench.core import Runtime
from workbench.prompt import Preview, PromptAssembly
from workbench.prompt.plugin import SystemPrompt
from workbench.tui.commands import commands_of
from workbench.tui.live import RuntimeSubject
from workbench.tui.places.trace.place import TracePlace
from workbench.tui.view.entries import EntryKey
from workbench.tui.view.trace import RowKey

Workbench = Any


def trace_of(screen: Screen) -> TracePlace:
    place = screen.app.place
    assert isinstance(place, TracePlace)
    return place


def numbered(count: int) -> list[Preview]:
    """Previews whose listener adds one more character each time."""
    made = []
    for index in range(count):
        change = replace(t.CAPPED, after=t.CAPPED.after + "!" * index)  # type: ignore[operator]
        made.append(t.with_listeners(replace(t.CAP, outcome="passed", next_calls=1, changes=(change,))))
    return made


async def test_it_opens_at_the_listener_that_kept_others_out(workbench: Workbench) -> None:
    async with workbench(p.FakeSubject(t.traced())) as screen:
        await screen.press("2")
        place = trace_of(screen)
        assert place.timeline.has_focus
        assert place.model.chosen == RowKey("", "limits", "cap_foreground")
        text = screen.text()
        assert "Assembled in 3.0 ms. × cap_foreground did not call next: 1 listener never ran." in text
        assert "a foreground command ends after 120 seconds." in text
        assert "– house_style  listener of notes, plugins/notes.py:18" in text


async def test_each_command_has_its_action(workbench: Workbench) -> None:
    async with workbench(p.FakeSubject(t.traced())) as screen:
        await screen.press("2")
        for command in commands_of("trace"):
            assert callable(getattr(trace_of(screen), f"action_{command.action}", None)), command.id


async def test_moving_and_reading(workbench: Workbench) -> None:
    async with workbench(p.FakeSubject(t.traced())) as screen:
        await screen.press("2", "home")
        place = trace_of(screen)
        assert place.model.chosen == RowKey("collected")
        assert "Who gave what" in screen.text()
        await screen.press("end", "k", "k", "k")
        assert place.model.chosen == RowKey("", "notes", "house_style")
        await screen.press("k", "enter")
        assert place.detail_pane.has_focus
        assert place.detail_pane.block.change is t.CAPPED  # type: ignore[union-attr]
        await screen.press("G")
        assert place.detail_pane.cursor == len(place.detail_pane.detail) - 1
        await screen.press("left")
        assert place.timeline.has_focus
        await screen.press("tab")
        assert place.detail_pane.has_focus


async def test_a_click_and_the_wheel(workbench: Workbench) -> None:
    async with workbench(p.FakeSubject(t.traced()), size=(80, 24)) as screen:
        await screen.press("2")
        place = trace_of(screen)
        await screen.pilot.click("#timeline", offset=(5, 0))
        await screen.settle()
        assert place.model.chosen == RowKey("collected")
        await screen.pilot.click("#timeline", offset=(5, 5), times=2)
        await screen.settle()
        assert place.model.chosen == RowKey("", "limits", "cap_foreground")
        assert place.detail_pane.has_focus
        place.detail_pane.post_message(MouseScrollDown(place.detail_pane, 5, 2, 0, 1, 0, False, False, False))
        await screen.settle()
        assert place.detail_pane.scroll_y > 0


@pytest.mark.parametrize("size", [(20, 5), (60, 16), (79, 24), (80, 24), (120, 40), (300, 90)])
async def test_every_size_shows_the_chosen_row(workbench: Workbench, size: tuple[int, int]) -> None:
    async with workbench(p.FakeSubject(t.HOSTILE), size=size) as screen:
        await screen.press("2", "end", "home", "j", "j", "enter", "G", "left")
        place = trace_of(screen)
        assert place.timeline.size.height > 0
        await screen.pilot.resize_terminal(100, 30)
        await screen.settle()
        assert place.detail_pane.size.width == 100
        assert "ordered" in screen.text()
        assert not any(
            ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in screen.text() if character != "\n"
        )


async def test_one_pane_at_a_time_on_a_small_screen(workbench: Workbench) -> None:
    async with workbench(p.FakeSubject(t.traced()), size=(60, 16)) as screen:
        await screen.press("2")
        assert "cap_foreground" in screen.text()
        assert "It returned an assembly" not in screen.text()
        await screen.press("enter")
        assert "ends after 120 seconds." in screen.text()
        await screen.press("g")
        assert "It returned an assembly" in screen.text()
        await screen.press("h")
        assert "collected" in screen.text()


# earlier assemblies


async def test_earlier_assemblies_are_kept_stepped_through_and_chosen(workbench: Workbench) -> None:
    previews = numbered(3)
    subject = p.FakeSubject(previews[0])
    async with workbench(subject) as screen:
        await screen.press("2")
        for preview in previews[1:]:
            subject.change(preview)
            await screen.settle()
        place = trace_of(screen)
        assert place.model.preview is previews[2]
        assert "assembly 3, scope main" in screen.text()
        await screen.press("less_than_sign")
        assert place.model.preview is previews[1]
        assert "◂ assembly 2 of 3, scope main" in screen.text()
        assert "◂ past" in screen.text().split("\n")[0]
        subject.change(t.traced())
        await screen.settle()
        assert place.model.preview is previews[1], "a past one stays on the screen"
        await screen.press("comma", "comma")
        assert "This is the first one that is kept." in screen.text()
        await screen.press("full_stop")
        assert place.model.preview is previews[1]
        await screen.press("z")
        assert "assembly 4, scope main" in screen.text()
        assert "● live" in screen.text().split("\n")[0]
        await screen.press("a", *"bly 2", "enter")
        assert place.model.preview is previews[1]
        subject.change(previews[0], "prompt")
        await screen.settle()
        await screen.press("s", *"rev", "enter")
        assert "scope reviewer" in screen.text()


async def test_a_listener_that_never_ran_says_when_it_last_did(workbench: Workbench) -> None:
    ran = t.with_listeners(replace(t.TRIMMED), replace(t.HOUSE, outcome="passed", next_calls=1))
    subject = p.FakeSubject(ran)
    async with workbench(subject) as screen:
        await screen.press("2")
        subject.change(t.traced())
        await screen.settle()
        await screen.press("home", *["j"] * 6)
        assert "it last ran in assembly 1" in screen.text()


async def test_compare_gets_the_pair(workbench: Workbench) -> None:
    first, second = numbered(2)
    subject = p.FakeSubject(first)
    async with workbench(subject) as screen:
        await screen.press("2", "d")
        assert "There is no assembly of this scope before this one" in screen.text()
        subject.change(second)
        await screen.settle()
        gone: list[object] = []

        async def go_to(title: str, target: object = None) -> None:
            gone.append((title, target))

        screen.app.go_to = go_to  # type: ignore[method-assign]
        await screen.press("d")
        ((title, target),) = cast(list[tuple[str, Any]], gone)
        assert (title, target.left.number, target.came_from) == ("Compare", 1, "Trace")
        assert type(target.right).__name__ == "Now"
        gone.clear()
        await screen.press("home", "o")
        assert gone == []
        assert "A stage has no owner" in screen.text()
        await screen.press(*["j"] * 4, "o")
        assert gone == [("Registry", ("plugin", "limits"))]


async def test_from_an_entry_to_the_listener_that_changed_it(workbench: Workbench) -> None:
    async with workbench(p.FakeSubject(t.traced())) as screen:
        assert "who changed it" not in screen.text()
        await screen.press("j", "j")
        assert "t who changed it" in screen.text()
        await screen.press("t")
        assert trace_of(screen).model.chosen == RowKey("", "limits", "cap_foreground")


async def test_from_here_to_the_prompt_and_back(workbench: Workbench) -> None:
    async with workbench(p.FakeSubject(t.traced())) as screen:
        await screen.press("2", "p")
        assert screen.place.model.chosen.name == "tool:bash"
        await screen.app.go_to("Trace", EntryKey("section", "tool:read", "global"))
        assert "No listener changed it." in screen.text()
        await screen.app.go_to("Trace", RowKey("rendered"))
        assert trace_of(screen).model.chosen == RowKey("rendered")
        await screen.app.go_to("Trace", ("listener", "hygiene", "trim_paths"))
        assert trace_of(screen).model.chosen == RowKey("", "hygiene", "trim_paths")
        await screen.app.go_to("Trace", ("listener", "nobody", "x\x1b[2J"))
        assert "x‹ESC›[2J does not listen in this scope." in screen.text()
        await screen.app.go_to("Trace", screen.app.viewing.history[0])
        assert trace_of(screen).model.follows


# finding who


async def test_which_listener_removed_this_line(workbench: Workbench) -> None:
    async with workbench(p.FakeSubject(t.traced())) as screen:
        await screen.press("2", "home", "slash", *"600 sec")
        assert "− cap_foreground of limits took out “600 sec” in section tool:bash." in screen.text()
        assert "1 of 1" in screen.text()
        await screen.press("enter")
        place = trace_of(screen)
        assert place.model.chosen == RowKey("", "limits", "cap_foreground")
        assert "~ 1 section  found" in screen.text()
        await screen.press("slash", *"nowhere", "enter")
        assert "No listener put in or took out “nowhere”. 1 listener never ran." in screen.text()
        await screen.press("escape")
        assert "Assembled in 3.0 ms." in screen.text()


async def test_hits_one_after_the_other(workbench: Workbench) -> None:
    other = t.span("more", t.NOTES, "passed", t.work(1, 2), changes=(replace(t.CAPPED, name="x"),))
    shown = t.with_listeners(replace(t.CAP, outcome="passed"), other)
    async with workbench(p.FakeSubject(shown)) as screen:
        await screen.press("2", "slash", *"120", "enter")
        assert "(1 of 2)" in screen.text()
        await screen.press("n")
        assert "+ more of notes put in “120” in section x (2 of 2)." in screen.text()
        await screen.press("N")
        assert trace_of(screen).model.chosen == RowKey("", "limits", "cap_foreground")


# copying, failing, hostile, large


async def test_copy_gives_plain_text_or_the_text_of_the_change(workbench: Workbench) -> None:
    async with workbench(p.FakeSubject(t.traced())) as screen:
        copied: list[str] = []
        screen.app.copy = lambda text, done: copied.append(text)  # type: ignore[method-assign]
        await screen.press("2", "y", "enter", "y")
        assert copied[0].startswith("cap_foreground  listener of limits, plugins/limits.py:31")
        assert "+ 2 Run long commands" in copied[0]
        assert copied[1] == t.CAPPED.after
        assert trace_of(screen).text_to_save() == (copied[0], "trace-cap_foreground.txt")
        assert str(trace_of(screen).source().file) == "plugins/limits.py"  # type: ignore[union-attr]


async def test_text_is_selected_with_the_mouse_and_copied(workbench: Workbench) -> None:
    async with workbench(p.FakeSubject(t.traced())) as screen:
        copied: list[str] = []
        screen.app.copy = lambda text, done: copied.append(text)  # type: ignore[method-assign]
        await screen.press("2")
        pane = trace_of(screen).detail_pane
        before = [strip.text for strip in pane.render_lines(pane.size.region)]
        await screen.pilot.mouse_down("#detail", offset=(5, 2))
        await screen.pilot.hover("#detail", offset=(14, 5))
        await screen.pilot.mouse_up("#detail", offset=(14, 5))
        await screen.settle()
        await screen.press("y")
        assert copied[0].startswith("returned an assembly without calling next")
        assert copied[0].splitlines()[-1] in {"What it chan", "What it chang"}
        assert len(copied[0].splitlines()) == 4
        after = [strip.text.replace("▌", " ") for strip in pane.render_lines(pane.size.region)]
        assert after == before, "a selection changes grounds only"
        await screen.press("tab", "k", "k", "y")
        assert copied[1].startswith("waterfall  ")


async def test_an_assembly_that_failed_and_one_that_works_again(workbench: Workbench) -> None:
    subject = p.FakeSubject(t.RAISED)
    async with workbench(subject) as screen:
        await screen.press("2")
        assert "× The assembly failed in “waterfall”: ValueError: no limit" in screen.text()
        assert "× failed here" in screen.text()
        assert trace_of(screen).model.chosen == RowKey("", "limits", "cap")
        subject.change(t.traced())
        await screen.settle()
        assert "did not call next" in screen.text()


async def test_nothing_loaded_and_a_palette_jump(workbench: Workbench) -> None:
    subject = p.FakeSubject(p.EMPTY, is_loaded=False, problems=["a.yml:1: broken"])
    async with workbench(subject) as screen:
        await screen.press("2")
        assert "a.yml:1: broken" in screen.text()
        assert "What to do: E opens the file there" in screen.text()
        assert trace_of(screen).timeline.rows == []
        await screen.press("j", "enter", "y", "p", "2", "slash", "x", "escape", "o", "d")
        subject.is_loaded, subject.problems = True, ()
        subject.change(t.traced())
        await screen.settle()
        await screen.press("2", "ctrl+p", *"house_st", "enter")
        assert trace_of(screen).model.chosen == RowKey("", "notes", "house_style")


async def test_a_long_prompt_is_looked_through_beside_the_loop(workbench: Workbench) -> None:
    text = p.SHELL.format(5) + "\n"
    shown = t.with_listeners(
        preview=p.preview([p.entry("a", 1, text * 60, p.BASH), p.entry("b", 2, text * 60, p.FILES)])
    )
    async with workbench(p.FakeSubject(shown)) as screen:
        await screen.press("2")
        for _ in range(500):
            await screen.settle()
            if not trace_of(screen).model.needs_repeats:
                break
            await screen.pilot.pause(0.01)
        await screen.settle()
        assert "It repeats itself" in screen.text()
        await screen.press("end")
        assert "section b by files, line 1, and 59 times more" in screen.text()


async def test_a_live_runtime_whose_prompt_grows(workbench: Workbench) -> None:
    """FC-05 on the screen: both owners, and how much each step adds."""
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt)
        runtime.root.system_prompt.section("base", 1, "The base.")
        kept: list[str] = []

        async def keep(_assembly: PromptAssembly, _context: object, next: Any) -> PromptAssembly:
            result = await next()
            kept.append("Never delete what you have not read, in any folder of this machine.")
            result.sections[1].text = "\n".join(kept)
            return cast(PromptAssembly, result)

        runtime.root.on("system-prompt/assemble", keep)
        async with workbench(cast(Any, RuntimeSubject(runtime))) as screen:
            await screen.press("2", "r", "r", "r")
            assert "It grows at every step, by 68 characters now: root." in screen.text()
            assert "Said more than once" in screen.text()
            assert "What grows" in screen.text()
