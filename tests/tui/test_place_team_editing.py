"""The place Team: its editor, drafts, skills and rules."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.support.teams import team_at
from tests.team.scenario import D0, rule
from tests.tui.team_screen import WORK, looking, opened, overriding
from workbench.team.drafts import DraftFolder
from workbench.team.validation import Limits
from workbench.tui.view.team_entries import EntryId
from workbench.tui.widgets.confirm import Confirm

pytestmark = pytest.mark.usefixtures("drafts")


async def test_typing_is_the_draft_and_survives_a_restart(tmp_path: Path, drafts: DraftFolder) -> None:
    async with team_at(tmp_path / "team.db", D0) as team:
        async with looking(team) as screen:
            await screen.go_to(WORK)
            await screen.press("e")
            await screen.type("Hi 日本 ")
            await screen.press("right")
            kept = drafts.load(team.label)
            assert kept is not None
            assert kept.overrides["runtime/work"] == {
                "text": "Hi 日本 P:runtime/work",
                "base": D0.parts["runtime/work"].sha256,
            }
        async with looking(team) as screen:
            assert "1 edit not saved" in screen.text()
            assert "~ edited" in screen.text()
            await screen.go_to(WORK)
            await screen.press("e")
            assert screen.editor.text == "Hi 日本 P:runtime/work"
            assert screen.editor.area.cursor_location == (0, 7)
            await screen.press("f4")
            assert "Saved as revision 1." in screen.text()
            assert drafts.load(team.label) is None
            await screen.type("!")
            assert screen.editor.text == "Hi 日本 P!:runtime/work", "the editor goes on"
        kept = drafts.load(team.label)
        assert kept is not None
        assert kept.base_revision == 1


async def test_placeholders_and_bytes_are_checked_while_typing(tmp_path: Path) -> None:
    async with opened(tmp_path, limits=Limits(size=40)) as (screen, team):
        await screen.go_to(EntryId("part", "runtime/policy"))
        await screen.press("e")
        assert "✓ {version}  ✓ {mode}  ✓ {rules}" in screen.text()
        screen.editor.area.text = "P {version} {mode} {rule}"
        await screen.settle()
        assert "✓ {mode}  × {rules} missing" in screen.text()
        assert "28 of 40 bytes" in screen.text()
        await screen.press("f4")
        assert "Refused, nothing was stored." in screen.text()
        assert "missing_placeholder" in screen.text()
        assert "needs {rules}" in screen.text()
        await screen.press("e")
        assert screen.editor.text == "P {version} {mode} {rule}"
        screen.editor.area.text = "P {version} {mode} {rules}" + "é" * 10
        await screen.settle()
        assert "× 49 of 40 bytes, 9 too many" in screen.text()
        await screen.press("f4")
        assert "size_limit" in screen.text()
        assert await team.store.newest_revision() == 0


async def test_a_text_is_kept_byte_for_byte(tmp_path: Path) -> None:
    text = "a\r\nb\x0cc\u2028d\re\x1b]0;x\x07\u202e\u200b👩‍👩‍👧\t.\n\n"
    async with opened(tmp_path, overrides=overriding(work=text)) as (screen, team):
        await screen.go_to(WORK)
        await screen.press("e")
        assert screen.editor.text == text
        assert "shown as ?:" in screen.text()
        await screen.press("ctrl+end")
        await screen.type("z")
        await screen.press("f4")
        assert (await team.store.snapshot()).part("runtime/work").override == text + "z"


async def test_keys_that_were_typed_ahead_edit_what_the_cursor_is_on(tmp_path: Path) -> None:
    async with opened(tmp_path) as (screen, _):
        await screen.pilot.press("down", "down", "e", "x")
        await screen.settle()
        assert screen.team.model.draft is not None
        assert list(screen.team.model.draft.overrides) == ["runtime/worker"]
        assert "runtime/worker  editing" in screen.text()
        lines = screen.text().splitlines()
        row = next(index for index, line in enumerate(lines) if "runtime/replies" in line)
        await screen.pilot.click(offset=(8, row))
        await screen.settle()
        assert not screen.team.is_editing
        assert "P:runtime/replies" in screen.text()
        assert list(screen.team.model.draft.overrides) == ["runtime/worker"]


async def test_text_that_is_typed_back_leaves_the_draft(tmp_path: Path, drafts: DraftFolder) -> None:
    async with opened(tmp_path) as (screen, team):
        await screen.go_to(EntryId("section", "communication"))
        await screen.press("e", "x")
        assert screen.team.model.has_draft
        await screen.press("backspace")
        assert not screen.team.model.has_draft
        await screen.press("escape")
        assert screen.team.model.draft is None
        assert drafts.load(team.label) is None


async def test_an_edit_is_discarded_only_when_that_was_meant(tmp_path: Path, drafts: DraftFolder) -> None:
    async with opened(tmp_path) as (screen, team):
        await screen.go_to(WORK)
        await screen.press("e", "x", "escape", "D")
        assert isinstance(screen.app.screen, Confirm)
        await screen.press("escape")
        assert screen.team.model.has_draft
        await screen.press("D", "y")
        assert screen.team.model.draft is None
        assert drafts.load(team.label) is None
        await screen.press("e", "x", "escape", "Z", "y")
        assert "All 15 parts follow their defaults." in screen.text()


async def test_what_was_saved_under_another_name_is_edited_further(tmp_path: Path) -> None:
    given = {"policy": {"accept_mode": "manual", "rules": [rule("a", "A", "do a")]}}
    async with opened(tmp_path, **given) as (screen, team):

        async def rules() -> list[tuple[str, str]]:
            return [(each.id, each.instruction) for each in (await team.store.snapshot()).config.policy.rules]

        await screen.go_to(EntryId("rule", "a"))
        await screen.press("n", *"docs", "tab", *"Docs", "tab", *"typos")
        assert "docs  editing" in screen.text()
        await screen.press("f4")
        assert await rules() == [("a", "do a"), ("docs", "typos")]
        await screen.press(*" and links", "f4")
        assert await rules() == [("a", "do a"), ("docs", "typos and links")]
        assert screen.team.model.chosen == EntryId("rule", "docs")
        await screen.press("shift+tab", "escape")
        await screen.go_to(EntryId("rule", "a"))
        await screen.press("e", "tab", "x", "f4")
        assert [id for id, _ in await rules()] == ["x", "docs"]
        await screen.press("tab", "tab", "end", *" now", "f4")
        assert await rules() == [("x", "do a now"), ("docs", "typos and links")]


async def test_what_is_typed_while_a_new_rule_is_saved_belongs_to_it(tmp_path: Path) -> None:
    given = {"policy": {"accept_mode": "manual", "rules": [rule("a", "A", "do a")]}}
    async with opened(tmp_path, **given) as (screen, team):
        await screen.go_to(EntryId("rule", "a"))
        await screen.press("n", *"docs", "tab", *"Docs", "tab", *"typos")
        saving, may_go_on = team.store.save, asyncio.Event()

        async def slow(*given: Any) -> Any:
            await may_go_on.wait()
            return await saving(*given)

        team.store.save = slow  # type: ignore[method-assign]
        await screen.pilot.press("f4", *" too")
        may_go_on.set()
        await screen.settle()
        assert "Saved as revision 2." in screen.text() or "1 edit not saved" in screen.text()
        await screen.press("f4")
        assert [(each.id, each.instruction) for each in (await team.store.snapshot()).config.policy.rules] == [
            ("a", "do a"),
            ("docs", "typos too"),
        ]


async def test_skills_and_rules(tmp_path: Path) -> None:
    given = {"policy": {"accept_mode": "manual", "rules": [rule("a", "A", "do a"), rule("b", "B", "do b", False)]}}
    async with opened(tmp_path, **given) as (screen, team):
        await screen.go_to(EntryId("rule", "b"))
        await screen.press("t", "less_than_sign")
        await screen.go_to(EntryId("mode", "accept_mode"))
        await screen.press("t")
        await screen.press("n", *"docs", "tab", *"Docs", "tab", *"typos", "f4")
        await screen.press("escape")
        await screen.go_to(EntryId("section", "communication"))
        await screen.press("n", *"who", "tab", *"people", "enter", *"text", "f4")
        config = (await team.store.snapshot()).config
        assert config.policy.accept_mode == "automatic"
        assert [(each.id, each.name, each.enabled) for each in config.policy.rules[:2]] == [
            ("b", "B", True),
            ("a", "A", True),
        ]
        assert (config.policy.rules[2].name, config.policy.rules[2].instruction) == ("Docs", "typos")
        assert [(each.name, each.description, each.content) for each in config.skills] == [
            ("who", "people", "text")
        ]
        await screen.press("escape")
        await screen.go_to(EntryId("rule", "a"))
        await screen.press("x")
        assert "− removed" in screen.text()
        await screen.press("w")
        assert [each.id for each in (await team.store.snapshot()).config.policy.rules] == ["b", "docs"]


async def test_a_section_has_a_default_too(tmp_path: Path) -> None:
    async with opened(tmp_path, sections={"communication": "Be brief."}) as (screen, team):
        await screen.go_to(EntryId("section", "communication"))
        assert "Use default" in screen.text()
        await screen.press("u")
        assert "1 edit not saved" in screen.text()
        await screen.press("w")
        assert (await team.store.snapshot()).config.sections.communication == "C"
        assert "Use default" not in screen.text()
        await screen.press("u")
        assert "It has the default already." in screen.text()
        assert not screen.team.model.has_draft
