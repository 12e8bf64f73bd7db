"""Findings on the screen: the list, the answer line, the way to the entry, and agreement with the reports."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

import tests.support.previews as p
from tests.tui.at_rest import settled
from tests.tui.conftest import Screen
from workbench.check.checking import check_file
from workbench.check.reports import finding_data, github_lines, report_json
from workbench.config import open_composition
from workbench.tui.app import WorkbenchApp
from workbench.tui.live import CompositionSubject
from workbench.tui.view.entries import keyed
from workbench.tui.view.findings import finding_rows, findings_fact, key_of, kind_of
from workbench.tui.view.pieces import plain, width_of
from workbench.tui.widgets.findings import FindingList, FindingsSheet

Workbench = Callable[..., Any]

FOUND = p.FOUND
BASH, READ, FILE_NOTE = FOUND


def test_the_fact_counts_the_worst_first() -> None:
    assert plain(findings_fact(FOUND, key="f")) == "× 1 error, 1 warning, 1 note found: f"
    assert plain(findings_fact(FOUND, short=True)) == "× 1 error, 1 warning, 1 note"
    assert plain(findings_fact((FILE_NOTE, FILE_NOTE))) == "– 2 notes found"
    assert plain(findings_fact(())) == "✓ no findings"


@pytest.mark.parametrize("width", [20, 60, 96, 196])
def test_rows_fit_and_belong_to_their_finding(width: int) -> None:
    rows = finding_rows("coding-agent.yml", FOUND, width)
    assert all(width_of(row.line) <= width for row in rows)
    text = "\n".join(plain(row.line) for row in rows)
    assert "\x1b" not in text
    assert [row.finding for row in rows if row.finding is not None] == sorted(
        row.finding for row in rows if row.finding is not None
    )
    if width >= 60:
        assert "plugins/bash.py:41:9" in text
        assert "section tool:bash · owner bash · scope main" in text
        assert "x‹ESC›[2J[/] was left out" in text


def test_nothing_found_says_what_was_done() -> None:
    text = "\n".join(plain(row.line) for row in finding_rows("a.yml", (), 80))
    assert text.startswith("Nothing found in a.yml")
    assert "Every rule was asked" in text


def test_the_entry_of_a_finding() -> None:
    entries = list(keyed(p.CODING_AGENT))
    found = key_of(BASH, entries)
    assert found is not None
    assert found.name == "tool:bash"
    assert key_of(FILE_NOTE, entries) is None
    assert kind_of(FILE_NOTE) is None
    assert kind_of(READ) == "tool"


async def test_findings_are_listed_and_lead_to_their_entries(workbench: Workbench) -> None:
    async with workbench(p.FakeSubject(found=FOUND)) as screen:
        await screen.press("f")
        assert isinstance(screen.app.screen, FindingsSheet)
        assert "1 error, 1 warning, 1 note in coding-agent.yml" in screen.text()
        await screen.press("enter")
        assert screen.place.model.chosen.name == "tool:bash"
        assert "× 1 error, 1 warning, 1 note found: f" in screen.text()
        await screen.press("f", "j", "enter")
        assert screen.app.viewing.scope == "reviewer"
        assert (screen.place.model.chosen.kind, screen.place.model.chosen.name) == ("tool", "read")
        await screen.press("f", "G", "enter")
        assert "It is about file a.yml, not about an entry." in screen.text()
        await screen.press("f", "pagedown", "pageup", "escape")
        assert screen.app.screen is screen.place
        screen.subject.change()
        await screen.settle()
        assert "found: f" not in screen.text()


async def test_nothing_found_and_nothing_to_check(workbench: Workbench) -> None:
    async with workbench(p.FakeSubject(found=())) as screen:
        await screen.press("f")
        assert "Nothing found" in screen.text()
        await screen.press("j", "enter")
        assert "✓ no findings" in screen.text()
        screen.subject.found = None
        await screen.press("f")
        assert "× Not checked: only a composition with files can be checked" in screen.text()
        screen.subject.found = ValueError("broken \x1b[2J")
        await screen.press("f")
        assert "× Not checked: ValueError: broken ‹ESC›[2J" in screen.text()


async def test_a_click_chooses_a_finding(workbench: Workbench) -> None:
    async with workbench(p.FakeSubject(found=FOUND)) as screen:
        await screen.press("f")
        listing = screen.app.screen.query_one(FindingList)
        row = next(at for at, row in enumerate(listing._rows) if row.finding == 1)
        await screen.pilot.click(FindingList, offset=(10, row + 1))
        assert listing.cursor == 1


MISTAKES = """
sections:
  - {name: team:one, order: 50, text: "Work in {{cwdd}} with `web_search`."}
  - {name: team:two, order: 50, text: "Always run the tests before you say that the work is done."}
  - {name: team:three, order: 60, text: "Always run the tests before you say that the work is done. \\u200b"}
agents:
  - {name: main, model: deepseek-chat}
check:
  budgets: {section: 5}
  off:
    - {rule: nonsense, reason: "100 %, a: b"}
"""


async def test_screen_json_and_annotations_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same findings, in the same order, with the same place and severity."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent.yml").write_text(MISTAKES)
    report = await check_file("agent.yml")
    in_json = json.loads(report_json([report]))["files"][0]["findings"]
    annotations = [_annotation(line) for line in github_lines([report])]
    async with open_composition("agent.yml", even_if_broken=True) as opened:
        app = WorkbenchApp(CompositionSubject(opened))
        async with app.run_test(size=(200, 200)) as pilot:
            await settled(pilot)
            await pilot.press("f")
            await settled(pilot)
            sheet = app.screen
            assert isinstance(sheet, FindingsSheet)
            findings = sheet.query_one(FindingList).findings
            text = Screen(pilot, app.viewing.subject).text()  # type: ignore[arg-type]
    on_screen = json.loads(json.dumps([finding_data(finding) for finding in findings]))
    for each in (*on_screen, *in_json):
        if each["owner"]:
            each["owner"]["fiber"] = 0  # a number of its own in each run
    assert on_screen == in_json
    assert len({finding["rule"] for finding in in_json}) >= 5
    assert [_as_annotation(finding) for finding in in_json] == annotations
    shown = re.findall(r"^ *▌?[ ]*[×!–] (error|warning|note) (\S+) +(\S.*?) *$", text, re.MULTILINE)
    assert [(severity, rule, place) for severity, rule, place in shown] == [
        (finding.severity, finding.rule, finding.place) for finding in findings
    ]
    assert f"{len([f for f in findings if f.severity == 'error'])} error" in text


def _annotation(line: str) -> tuple[str, str, int, int, str]:
    match = re.fullmatch(r"::(\w+) file=(.*?),line=(\d+),col=(\d+),title=(.*?)::(.*)", line)
    assert match is not None, line
    severity = {"notice": "note"}.get(match[1], match[1])
    return severity, unquote(match[5]), int(match[3]), int(match[4]), unquote(match[6])


def _as_annotation(finding: dict[str, Any]) -> tuple[str, str, int, int, str]:
    position = finding["position"] or {"line": 1, "column": 1}
    message = f"{finding['message']}; {finding['remedy']}" if finding["remedy"] else finding["message"]
    return finding["severity"], finding["rule"], position["line"], position["column"], message
