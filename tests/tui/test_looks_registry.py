"""Pictures of the place Registry: looked at by a person once, compared ever after."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tests.support.previews as p
import tests.support.registries as r
from tests.tui.at_rest import settled, until
from workbench.config.registry.facts import Registry
from workbench.tui.app import WorkbenchApp
from workbench.tui.places.registry import looking
from workbench.tui.places.registry.place import RegistryPlace
from workbench.tui.view.entries import EntryKey

SIZES = [(80, 24), (120, 40), (200, 50)]
PERSONA = EntryKey("section", "deployment:persona", "reviewer")


@pytest.fixture(autouse=True)
def same_everywhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """One clock, and files that are there."""
    monkeypatch.setattr(looking, "REST", 0.0)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "reviewer.md").write_text(r.REVIEW_TEXT + "\n", encoding="utf-8")
    lines = ["import os", *("" for _ in range(38)), "", "prompt.section(", '    "tool:bash",', "    1000,", ")"]
    (tmp_path / "bash.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    yield
    monkeypatch.undo()
    time.tzset()


def picture(
    snap_compare: Any,
    registry: Registry,
    size: tuple[int, int],
    *keys: str,
    theme: str = "dark",
    target: object = PERSONA,
    shown: Any = None,
) -> bool:
    subject = p.FakeSubject(
        shown or r.with_trace(p.CODING_AGENT),
        registered=registry,
        counted=p.in_words,
        ledgers={p.BASH.fiber: r.LEDGER},
    )
    app = WorkbenchApp(subject, theme=theme)

    async def rest(pilot: Any) -> None:
        await until(pilot, lambda: isinstance(app.place, RegistryPlace) and app.place.entries_tree.rows)

    async def before(pilot: Any) -> None:
        await settled(pilot)
        await pilot.press("3")
        await rest(pilot)
        if target is not None:
            app.place.show_target(target)
            await rest(pilot)
        for key in keys:
            await pilot.press(key)
            await rest(pilot)

    return bool(snap_compare(app, terminal_size=size, run_before=before))


@pytest.mark.parametrize("theme", ["dark", "light", "mono"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_by_layer(snap_compare: Any, size: tuple[int, int], theme: str) -> None:
    assert picture(snap_compare, r.CODING_AGENT, size, theme=theme)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_by_plugin_in_trouble(snap_compare: Any, size: tuple[int, int]) -> None:
    assert picture(snap_compare, r.TROUBLED, size, target=("plugin", "hen"))


def test_a_plugin_with_its_effects(snap_compare: Any) -> None:
    assert picture(snap_compare, r.CODING_AGENT, (120, 40), target=("plugin", "bash"))


def test_what_is_left_after_a_stop(snap_compare: Any) -> None:
    assert picture(snap_compare, r.TROUBLED, (120, 40), target=("plugin", "leaky"))


def test_by_kind(snap_compare: Any) -> None:
    target = ("row", "kind", r.CODING_AGENT.named("listener", "cap_foreground")[0].key)
    assert picture(snap_compare, r.CODING_AGENT, (120, 40), target=target)


def test_a_section_that_a_listener_rewrote(snap_compare: Any) -> None:
    assert picture(snap_compare, r.CODING_AGENT, (120, 40), target=EntryKey("section", "tool:bash", "global"))


def test_a_filter(snap_compare: Any) -> None:
    assert picture(snap_compare, r.CODING_AGENT, (120, 40), "slash", *"bash", target=None)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_question_before_a_stop(snap_compare: Any, size: tuple[int, int]) -> None:
    assert picture(snap_compare, r.CODING_AGENT, size, "x", target=("plugin", "system_prompt"))


def test_hostile(snap_compare: Any) -> None:
    assert picture(snap_compare, r.hostile(), (120, 40), "j", "j", "j", target=None, shown=p.HOSTILE_PREVIEW)


def test_three_thousand(snap_compare: Any) -> None:
    assert picture(snap_compare, r.big(), (80, 24), "j", "enter", "pagedown", target=None, shown=p.big(3))


def test_nothing_is_registered(snap_compare: Any) -> None:
    assert picture(snap_compare, Registry(), (80, 24), target=None, shown=p.EMPTY)
