"""The place Registry, driven as a person drives it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

import tests.support.previews as p
import tests.support.registries as r
from tests.tui.at_rest import comes
from tests.tui.conftest import Screen
from workbench.config.registry.facts import GLOBAL, Outcome, Registry, RegistryKey
from workbench.core import Context, Runtime
from workbench.prompt import PromptConfig, SystemPrompt
from workbench.tools import ToolRegistry
from workbench.tui.app import WorkbenchApp
from workbench.tui.live import RuntimeSubject
from workbench.tui.memory import Memory
from workbench.tui.places.registry import looking
from workbench.tui.places.registry.place import RegistryPlace
from workbench.tui.view.entries import EntryKey
from workbench.tui.view.pieces import plain
from workbench.tui.widgets.confirm import Confirm


class RegistryScreen(Screen):
    """The workbench with the place Registry in front."""

    @property
    def registry(self) -> RegistryPlace:
        place = self.app.place
        assert isinstance(place, RegistryPlace)
        return place

    @property
    def grouping(self) -> str:
        return self.registry.model.grouping

    @property
    def chosen(self) -> Any:
        row = self.registry.entries_tree.row
        return row.key if row is not None else None


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "REST", 0.0)


@asynccontextmanager
async def place(
    registry: Registry = r.CODING_AGENT, size: tuple[int, int] = (120, 40), **fields: Any
) -> AsyncIterator[RegistryScreen]:
    fields.setdefault("shown", r.with_trace(p.CODING_AGENT))
    subject = p.FakeSubject(registered=registry, counted=p.in_words, **fields)
    async with over(subject, size) as screen:
        yield screen


@asynccontextmanager
async def over(
    subject: Any, size: tuple[int, int] = (120, 40), memory: Memory | None = None
) -> AsyncIterator[RegistryScreen]:
    app = WorkbenchApp(subject, memory=memory)
    async with app.run_test(size=size) as pilot:
        screen = RegistryScreen(pilot, subject)
        await screen.settle()
        await pilot.press("3")
        await screen.until(lambda: isinstance(app.place, RegistryPlace))
        await screen.settle()
        yield screen


async def test_answer_tree_and_inspector() -> None:
    async with place() as screen:
        text = screen.text()
        assert "27 registrations by 13 owners in 3 layers." in text
        assert "∅ 1 shadowed   ◌ 1 waiting" in text
        assert "reviewer  agent, child of main" in text
        await screen.press("j", "j")
        assert screen.chosen == RegistryKey("section", "deployment:persona", GLOBAL)
        assert "Who reads which" in screen.text()


async def test_sizes_of_other_scopes_come_by_themselves() -> None:
    async with place() as screen:
        await screen.press("j")
        assert {"(global)", "reviewer"} <= set(screen.subject.asked)
        assert screen.text().count("11 tok") == 4  # its own size, and what three scopes read


async def test_groupings_by_key_and_by_click() -> None:
    async with place() as screen:
        await screen.press("j", "j", "g")
        assert screen.grouping == "plugin"
        assert screen.chosen == RegistryKey("section", "deployment:persona", GLOBAL)
        await screen.press("g")
        assert "listeners" in screen.text()
        row = screen.registry.heading.region
        await screen.pilot.click(offset=(row.x + 11, row.y))
        await screen.settle()
        assert screen.grouping == "layer"


async def test_folds_stay_when_something_changes_and_so_does_the_cursor() -> None:
    async with place() as screen:
        tree = screen.registry.entries_tree
        await screen.press("end", "up", "up", "up")
        before = screen.chosen
        screen.registry.model.fold(tree.rows[0], is_open=True)
        first = screen.subject.registered.registrations[0]
        more = replace(first, key=first.key._replace(name="aaa:first"))
        changed = replace(r.CODING_AGENT, registrations=(more, *r.CODING_AGENT.registrations))
        at = tree.cursor - round(tree.scroll_y)
        screen.subject.registered = changed
        screen.subject.change()
        await screen.settle()
        assert "aaa:first" in screen.text()
        assert screen.chosen == before
        assert tree.cursor - round(tree.scroll_y) in (at, at + 1)
        await screen.press("home", "left")
        assert "aaa:first" not in screen.text()
        screen.subject.registered = r.CODING_AGENT
        screen.subject.change()
        await screen.settle()
        assert "harness:identity" not in screen.text()


async def test_long_kinds_open_by_key_and_mouse() -> None:
    async with place() as screen:
        tree = screen.registry.entries_tree
        row = next(index for index, each in enumerate(tree.rows) if each.title == "5 tools")
        await screen.pilot.click(tree, offset=(4, row))
        await screen.settle()
        assert "web_search" in screen.text()
        await screen.press("enter")
        assert not any(each.registration and each.registration.name == "web_search" for each in tree.rows)
        await screen.press("right")
        assert any(each.registration and each.registration.name == "web_search" for each in tree.rows)


async def test_filter() -> None:
    async with place() as screen:
        await screen.pilot.press("slash", *"is:shadowed")
        await screen.settle()
        assert "1 of 27 registrations with is:shadowed." in screen.text()
        await screen.press("enter")
        assert screen.chosen is not None
        assert screen.app.focused is screen.registry.entries_tree
        assert "tool:bash" not in screen.text()
        await screen.press("escape")
        assert "tool:bash" in screen.text()


async def test_enter_leads_to_the_prompt_and_back() -> None:
    async with place() as screen:
        await screen.press("j", "j", "j")
        await screen.pilot.press("enter")
        await screen.until(lambda: screen.app.place.tab.title == "Prompt")
        assert screen.place.model.chosen is not None
        assert screen.place.model.chosen.name == "tool:bash"
        await screen.pilot.press("left_square_bracket")
        await screen.until(lambda: screen.app.place.tab.title == "Registry")
        assert screen.chosen == RegistryKey("section", "tool:bash", GLOBAL)


async def test_targets_from_other_places() -> None:
    async with place() as screen:
        registry = screen.registry
        registry.show_target(EntryKey("section", "deployment:persona", "reviewer"))
        await screen.settle()
        assert screen.chosen == RegistryKey("section", "deployment:persona", "reviewer")
        registry.show_target(EntryKey("tool", "web_search", "nowhere"))
        await screen.settle()
        assert screen.chosen == RegistryKey("tool", "web_search", GLOBAL)  # in a kind that was folded
        registry.show_target(("plugin", "lsp"))
        await screen.settle()
        assert screen.chosen == ("plugin", r.LSP.fiber)
        assert "nobody provides it" in screen.text()
        registry.show_target(EntryKey("section", "no\x1bsuch", ""))
        await screen.settle()
        assert "no‹ESC›such is not registered." in screen.text()


async def test_the_cursor_is_drawn_where_it_is() -> None:
    async with place() as screen:
        tree = screen.registry.entries_tree
        screen.registry.show_target(EntryKey("section", "deployment:persona", "reviewer"))
        await screen.settle()
        bars = [y for y in range(tree.size.height) if tree.render_line(y).text.startswith("▌")]
        assert bars == [tree.cursor - round(tree.scroll_y)]


async def test_a_target_before_the_place_was_ever_shown() -> None:
    subject = p.FakeSubject(registered=r.CODING_AGENT, counted=p.in_words)
    app = WorkbenchApp(subject)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = RegistryScreen(pilot, subject)
        await screen.settle()
        await app.go_to("Registry", ("plugin", "lsp"))
        await screen.until(lambda: screen.chosen == ("plugin", r.LSP.fiber))
        assert "nobody provides it" in screen.text()


async def test_another_subject_begins_anew() -> None:
    async with place() as screen:
        await screen.press("g", "slash", "b", "enter")
        screen.app.show(p.FakeSubject(registered=r.big(5), shown=p.big(5)))
        await screen.until(lambda: "5 registrations by 1 owner" in screen.text())
        assert screen.registry.model.query == ""
        assert "part:0004" in screen.text()


async def test_owner_s_other_entries() -> None:
    async with place() as screen:
        await screen.press("j", "j", "j", "o")
        assert screen.chosen == ("plugin", p.BASH.fiber)
        assert "Stands on" in screen.text()


async def test_copy_gives_the_raw_text() -> None:
    async with place() as screen:
        await screen.press("j", "j", "y")
        assert screen.app.clipboard == p.PERSONA


async def test_a_selection_by_mouse_is_copied_without_line_numbers_and_whole() -> None:
    async with place() as screen:
        screen.registry.show_target(EntryKey("section", "deployment:persona", "reviewer"))
        await screen.settle()
        inspector = screen.registry.inspector
        rows = [plain(inspector.document[row]) for row in range(len(inspector.document))]
        first = next(row for row, text in enumerate(rows) if "You review changes" in text)
        start = inspector.content_region.offset
        at = rows[first].index("review")
        await screen.pilot.mouse_down(offset=(start.x + 2 + at, start.y + first))
        await screen.pilot.hover(offset=(start.x + 2 + 8, start.y + first + 1))
        await screen.pilot.mouse_up(offset=(start.x + 2 + 8, start.y + first + 1))
        await screen.settle()
        await screen.press("y")
        assert screen.app.clipboard == "review changes; you do not make"


async def test_a_stop_asks_first_and_shows_the_proof() -> None:
    stopped = replace(r.CLEAN, plugin="bash")
    async with place(outcome=stopped, ledgers={p.BASH.fiber: r.LEDGER}) as screen:
        screen.registry.show_target(("plugin", "bash"))
        await screen.settle()
        assert "timeout 5 s" in screen.text()
        await screen.pilot.press("x")
        await screen.until(lambda: isinstance(screen.app.screen, Confirm))
        assert "Stop bash?" in screen.text()
        for key in ("enter", "space", "x", "R"):
            await screen.pilot.press(key)
        assert isinstance(screen.app.screen, Confirm)
        assert screen.subject.ended == []
        await screen.pilot.press("escape")
        await screen.settle()
        assert screen.subject.ended == []
        screen.subject.registered = replace(
            r.CODING_AGENT,
            plugins=tuple(
                replace(each, state="stopped", outcome=stopped) if each.name == "bash" else each
                for each in r.PLUGINS
            ),
        )
        await screen.pilot.press("x", "y")
        await screen.until(lambda: "Stopped bash: ✓ nothing left" in screen.text())
        assert screen.subject.ended == [(p.BASH.fiber, "stop")]
        await screen.press("x")
        assert "bash is stopped already." in screen.text()


async def test_what_is_left_is_listed() -> None:
    plugins = (*r.PLUGINS, r.plugin(replace(p.BASH, fiber=99), state="stopped", outcome=r.LEFT))
    async with place(replace(r.CODING_AGENT, plugins=plugins), outcome=r.LEFT) as screen:
        screen.registry._choose(("plugin", 99))
        await screen.settle()
        text = screen.text()
        assert "2 left" in text
        assert "late on tools/change" in text


async def test_a_stop_that_cannot_be_is_said() -> None:
    async with place(outcome=LookupError("it is gone\x1b")) as screen:
        screen.registry.show_target(("plugin", "bash"))
        await screen.pilot.press("R")
        await screen.until(lambda: isinstance(screen.app.screen, Confirm))
        await screen.pilot.press("y")
        await screen.until(lambda: "it is gone‹ESC›" in screen.text())
        assert screen.subject.ended == [(p.BASH.fiber, "restart")]


@pytest.mark.parametrize("size", [(20, 5), (50, 14), (80, 24), (300, 90)])
async def test_hostile_text_at_every_size(size: tuple[int, int]) -> None:
    async with place(r.hostile(), size, shown=p.HOSTILE_PREVIEW) as screen:
        await screen.press("Z", "Z", "end", "g", "g", "home", *["j"] * 8)
        text = screen.text()
        assert "\x1b" not in text
        assert "\u202e" not in text


async def test_one_pane_at_a_time_on_a_narrow_screen() -> None:
    async with place(size=(60, 20)) as screen:
        assert "HARNESS_IDENTITY" not in screen.text()
        await screen.press("j", "tab")
        assert "HARNESS_IDENTITY" in screen.text()
        await screen.press("h")
        assert "deployment:persona" in screen.text()


async def test_nothing_is_registered() -> None:
    async with place(Registry(), shown=p.EMPTY) as screen:
        assert "Nothing is registered in any layer." in screen.text()
        await screen.press("j", "enter", "y", "x", "o")


@asynccontextmanager
async def alive() -> AsyncIterator[Runtime]:
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig())
        await runtime.root.plugin(ToolRegistry)
        yield runtime


class Noisy:
    """A plugin with something of everything."""

    name = "noisy"
    inject = ("system_prompt",)

    def apply(self, ctx: Context) -> None:
        ctx.system_prompt.section("noisy:one", 5, "One.")
        ctx.on("system-prompt/assemble", self.listen)

    async def listen(self, assembly: Any, context: Any, next: Any) -> Any:
        return await next()


async def test_a_plugin_of_a_living_runtime_is_restarted_and_stopped() -> None:
    async with alive() as runtime:
        fiber = await runtime.root.plugin(Noisy())
        async with over(RuntimeSubject(runtime)) as screen:
            assert "noisy:one" in screen.text()
            screen.registry.show_target(("plugin", "noisy"))
            await screen.settle()
            assert "on system-prompt/assemble" in screen.text()
            assert "class Noisy" in screen.text() or "def apply" in screen.text()
            await screen.pilot.press("R", "y")
            await screen.until(lambda: "Restarted noisy: ✓ nothing left" in screen.text())
            await screen.pilot.press("x", "y")
            await screen.until(lambda: "Stopped noisy: ✓ nothing left" in screen.text())
            assert fiber.state == "disposed"
            assert not any(each.name == "noisy:one" for each in screen.registry.model.registry.registrations)
            late = runtime.root.system_prompt.section("late:one", 6, "Late.")
            await screen.press("g", "g")
            await screen.until(lambda: "late:one" in screen.text())
            await late()
            await screen.until(lambda: "late:one" not in screen.text())


async def test_a_flood_of_changes_does_not_starve_the_screen() -> None:
    """Keys are answered while a plugin goes on and on registering and withdrawing."""
    async with alive() as runtime:
        prompt = runtime.root.system_prompt
        for index in range(500):
            prompt.section(f"part:{index:03}", index, "Text.")
        ends = asyncio.Event()

        async def flood() -> None:
            while not ends.is_set():
                await prompt.section("flood", 1000, "Text.")()
                await asyncio.sleep(0)

        async with over(RuntimeSubject(runtime)) as screen:
            reads = 0
            read = screen.registry._read

            def counted() -> None:
                nonlocal reads
                reads += 1
                read()

            screen.registry._read = counted  # type: ignore[method-assign]
            task = asyncio.create_task(flood())
            try:
                before = screen.chosen
                await screen.pilot.press("end")
                await comes(lambda: screen.chosen != before)
            finally:
                ends.set()
                await task
            await screen.settle()
            assert reads < 200


async def test_the_palette_leads_to_what_the_prompt_does_not_show() -> None:
    async with place() as screen:
        items = screen.registry.jumps()
        item = next(each for each in items if each.title == "cap_foreground")
        screen.registry.jump(item.id)
        await screen.settle()
        assert screen.chosen == RegistryKey("listener", "cap_foreground", GLOBAL, r.ASSEMBLE)
        assert screen.registry.source() is None
        assert screen.registry.text_to_save() == ("cap_foreground", "cap_foreground")


def test_an_outcome_without_anything_left_is_clean() -> None:
    assert Outcome("stop", "x", ()).is_clean
    assert not r.LEFT.is_clean


async def test_a_stopped_plugin_is_started_again_without_a_question() -> None:
    plugins = (*r.PLUGINS, r.plugin(replace(p.BASH, fiber=99), state="stopped", outcome=r.CLEAN))
    started = Outcome("start", "bash", (), uid=p.BASH.fiber)
    async with place(replace(r.CODING_AGENT, plugins=plugins), outcome=started) as screen:
        await screen.press("g")
        screen.registry._choose(("plugin", 99))
        await screen.settle()
        assert "a start" in screen.text()
        await screen.press("x")
        assert "bash is stopped already" in screen.text()
        await screen.press("a")
        assert screen.subject.ended == [(99, "start")]
        assert "Started bash." in screen.text()
        assert screen.registry.model.chosen == ("plugin", p.BASH.fiber)
        screen.registry._choose(("plugin", 99))
        await screen.press("R")
        assert screen.subject.ended[1:] == [(99, "start")]


async def test_the_grouping_is_remembered() -> None:
    memory = Memory()
    async with over(p.FakeSubject(registered=r.CODING_AGENT), memory=memory) as screen:
        await screen.press("g")
        assert memory.layout == {"registry.grouping": "plugin"}
    async with over(p.FakeSubject(registered=r.CODING_AGENT), memory=memory) as screen:
        assert screen.registry.model.grouping == "plugin"
