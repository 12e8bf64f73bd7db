"""`workbench run` where the model writes packages: the samples, the trust that is asked for, and the answer no."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from workbench.agent.log.session_log import SessionLog
from workbench.cli.exit_codes import ExitCode
from workbench.dynamic.durable import durable_cards
from workbench.dynamic.source.browser import is_available

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    return tmp_path


def test_a_model_defines_runs_uses_stops_and_undefines(cli: Cli, folder: Path) -> None:
    ran = cli("run", "packages", "-m", "Extend yourself.", "--session-log", "talk.jsonl")
    assert ran.code == 0
    assert "treat it like shell access" in ran.err
    for line in (
        "← harber",
        "waits for: tideclock",
        "[cordis:dyn-4] the clock goes",
        "← at 2.45 h",
        "forbidden-source",
        "kept by the greedy package",
        "dyn-4 is stopped",
    ):
        assert line in ran.err
    assert ran.out.splitlines()[-1].endswith("Nothing of them is left.")
    log = SessionLog.open_now(folder / "talk.jsonl")
    try:
        requests = [event.data["header"] for event in log.events if event.type == "request/header"]
        cards = durable_cards(log.events)
    finally:
        log.close()
    texts = [header["system"] for header in requests]
    assert any("High water is at 14:02." in text for text in texts)
    assert texts[-1] == texts[0]
    assert requests[-1]["tools"] == requests[0]["tools"]
    assert [(card.id, card.state, card.name) for card in cards] == [
        ("dyn-1", "unloaded", "reverse"),
        ("dyn-2", "unloaded", "note"),
        ("dyn-3", "unloaded", "watch"),
        ("dyn-4", "unloaded", "clock"),
        ("dyn-5", "unloaded", "greedy"),
        ("", "refused", "endless"),
    ]


@pytest.mark.skipif(not is_available(), reason="needs the extra `page`")
def test_no_for_whatever_wants_to_run_in_a_page(cli: Cli, folder: Path) -> None:
    ran = cli("run", "packages-page", "-m", "Show the tide.", "--approvals", "deny")
    assert ran.code == ExitCode.DECLINED == 6
    assert "nobody is there to answer" in ran.err
    assert ran.out.splitlines()[-1].startswith("You did not want the panel")


@pytest.mark.skipif(not is_available(), reason="needs the extra `page`")
def test_the_page_has_an_address(cli: Cli, folder: Path) -> None:
    (folder / "empty.yml").write_text("sessions: [{calls: [{text: Hello.}]}]\n")
    plain = "models: [{name: s, script: empty.yml}]\nagents: [{name: main, provider: s, model: m}]\nplugins:\n"
    plain += "  - package_runner\n  - package_tools\n"
    for text, is_served in ((plain, False), (plain + "  - package_page\n", True)):
        (folder / "agent.yml").write_text(text)
        ran = cli("run", "agent.yml", "-m", "Hello.")
        assert ran.code == 0, ran.err
        address = r"the page for browser halves: http://127\.0\.0\.1:\d+/[\w-]{43}/$"
        found = re.search(address, ran.err, re.MULTILINE)
        assert (found is not None) == is_served, ran.err


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.skipif(not is_available(), reason="needs the extra `page`")
def test_a_person_at_the_terminal_is_asked(folder: Path) -> None:
    from tests.support.terminal import Terminal

    code = f"import os; os.chdir({str(folder)!r}); from workbench.cli.main import run; run()"
    environment = {"NO_COLOR": "1", "PYTHONPATH": str(Path(__file__).parents[2])}
    with Terminal(code, "run", "packages-page", "-m", "Show the tide.", environ=environment) as terminal:
        terminal.wait_for("allow this run of dyn-1 r1? [y, N reason, s shows its code] ")
        terminal.send("s\n")
        terminal.wait_for("shows its code] ")
        assert b"browser half (JavaScript)" in terminal.received
        terminal.send("n not today\n")
        terminal.wait_for("You did not want the panel")
        assert b"declined to run dyn-1 r1: not today" in terminal.received
        assert terminal.end() == 0
