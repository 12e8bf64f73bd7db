"""Records in the place Packages: from a log alone, and of a session that runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.agent.scenario import calls, say, text, world
from tests.dynamic.test_with_agents import with_packages
from tests.dynamic.world import H_SEC
from tests.tui.recorded import recorded
from workbench.agent.log.session import Session
from workbench.agent.log.session_header import SessionHeader
from workbench.tui.live import RuntimeSubject
from workbench.tui.live_packages import LivePackages


def logged(path: Path, *done: tuple[str, dict[str, Any], str, str]) -> None:
    """A log with these calls: verb, arguments, answer, id of the package (empty: refused)."""
    session = Session.create(SessionHeader(), path)
    for number, (verb, arguments, answer, package_id) in enumerate(done):
        call_id = f"c{number}"
        session.append(
            "tool/call", {"callId": call_id, "name": f"cordis_{verb}", "arguments": json.dumps(arguments)}
        )
        result = {"type": "tool-result", "toolCallId": call_id, "content": [{"type": "text", "text": answer}]}
        data: dict[str, Any] = {
            "message": {
                "source": {"kind": "tool", "callId": call_id},
                "content": [result],
                "role": "user",
                "id": f"m{number}",
            }
        }
        if verb == "define" and package_id:
            data["meta"] = {"id": package_id, "revision": arguments.pop("revision", 1)}
        if not package_id:
            data["error"] = {"code": "syntax", "message": answer}
        session.append("tool/result", data, surface_op="append", source_event_seqs=(session.events[-1].seq,))
    session.close_now()


def defined(name: str, package_id: str, revision: int = 1) -> tuple[str, dict[str, Any], str, str]:
    given = {"name": name, "purpose": f"for {name}", "code": "def apply(ctx):\n    pass\n", "revision": revision}
    return "define", given, "defined", package_id


async def test_a_log_shows_what_was_undefined_lost_and_refused(tmp_path: Path) -> None:
    log = tmp_path / "session.jsonl"
    logged(
        log,
        defined("first", "dyn-1"),
        ("run", {"id": "dyn-1"}, "dyn-1 r1 (run-1) is running.\nWarning", "dyn-1"),
        ("undefine", {"id": "dyn-1"}, "dyn-1 is undefined", "dyn-1"),
        defined("again", "dyn-1"),
        defined("second", "dyn-2"),
        defined("second, mended", "dyn-2", 2),
        ("define", {"name": "bad", "purpose": "x", "code": "return ["}, "`code` does\x1b not parse\nmore", ""),
    )
    async with recorded(log) as screen:
        await screen.press("5")
        await screen.until_shown("3 packages defined: 1 undefined, 2 lost with the process, 1 refused.")
        packages = screen.app.viewing.subject.packages  # type: ignore[union-attr]
        assert packages is not None
        assert [(row.id, row.name, row.state) for row in packages.rows()] == [
            ("–", "bad", "refused"),
            ("dyn-2", "second, mended", "lost"),
            ("dyn-1", "again", "lost"),
            ("dyn-1", "first", "unloaded"),
        ]
        assert "`code` does‹ESC› not parse" in screen.text()
        await screen.press("end")
        await screen.until_shown("It was undefined", "dyn-1 r1 (run-1) is running.", "def apply(ctx):")
        await screen.press("x", "r", "w", "u", "b", "o")
        assert [row.state for row in packages.rows()] == ["refused", "lost", "lost", "unloaded"]
        await screen.press("up", "up", "d")
        await screen.until_shown("r1 → r2")


async def test_a_log_that_grows_and_one_without_packages(tmp_path: Path) -> None:
    log = tmp_path / "session.jsonl"
    logged(log)
    async with recorded(log) as screen:
        await screen.press("5")
        await screen.until_shown("No packages.", "Nothing was defined in this session.")
        more = tmp_path / "more.jsonl"
        logged(more, defined("late", "dyn-1"))
        lines = more.read_text(encoding="utf-8").splitlines(keepends=True)
        with log.open("a", encoding="utf-8") as file:
            file.writelines(lines[1:])
        await screen.until_shown("late", "lost with the process")


async def test_records_of_a_session_that_runs() -> None:
    script = (
        calls(
            ("cordis_define", {"name": "note", "purpose": "p", "code": H_SEC}, "1"),
            ("cordis_define", {"name": "bad", "purpose": "p", "code": "return ["}, "2"),
            ("cordis_define", {"name": "kept", "purpose": "p", "code": H_SEC}, "3"),
        ),
        text("defined"),
    )
    async with world(*script) as w:
        await with_packages(w)
        told: list[str] = []
        subject = RuntimeSubject(w.root.runtime)
        stop = subject.subscribe(told.append)
        packages = subject.packages
        assert isinstance(packages, LivePackages)
        agent = await w.agent()
        await say(agent, "go")
        assert "packages" in told
        await packages.undefine("dyn-1")
        rows = [(row.id, row.name, row.state, row.group) for row in packages.rows()]
        assert rows == [
            ("dyn-2", "kept", "defined", "Not running"),
            ("–", "bad", "refused", "Records"),
            ("dyn-1", "note", "unloaded", "Records"),
        ]
        record = packages.card(packages.rows()[-1].key)
        assert record is not None
        assert record.revision.code == H_SEC
        assert record.controls == frozenset()
        assert "undefined" in record.row.fact
        await agent.dispose()
        assert len(packages.rows()) == 3
        stop()


async def test_what_an_earlier_process_has_defined_is_lost_in_a_session_that_goes_on(tmp_path: Path) -> None:
    log = tmp_path / "session.jsonl"
    logged(log, defined("early", "dyn-1"))
    async with world(text("on")) as w:
        await with_packages(w)
        subject = RuntimeSubject(w.root.runtime)
        packages = subject.packages
        assert packages is not None
        assert packages.rows() == []
        await w.root.sessions.resume(log)
        assert [(row.id, row.name, row.state) for row in packages.rows()] == [("dyn-1", "early", "lost")]
