"""Real processes that are killed while they write: nothing is lost whose flush had returned, nothing is torn."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.agent.log import Session

WRITER = Path(__file__).with_name("killed_writer.py")


@pytest.mark.parametrize("kills", [20, pytest.param(500, marks=pytest.mark.deep)])
def test_no_event_is_lost_whose_flush_had_returned_and_none_is_torn(tmp_path: Path, kills: int) -> None:
    command = [sys.executable, str(WRITER), str(tmp_path), str(kills)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    flushed = [int(line) for line in run.stdout.split()]
    assert len(flushed) == kills
    assert sum(count > 0 for count in flushed) > kills / 2
    for number, count in enumerate(flushed):
        path = tmp_path / f"{number}.jsonl"
        written = path.read_bytes()
        session = Session.resume_now(path)
        own = [event for event in session.events if event.type == "assistant/chunk"]
        assert len(own) >= count
        assert [event.data["chunk"]["text"] for event in own] == [text(each) for each in range(len(own))]
        session.close_now()
        whole = written[: written.rindex(b"\n") + 1]
        assert session.repair.cut_bytes == len(written) - len(whole)
        assert path.read_bytes().startswith(whole)
        for line in whole.splitlines():
            json.loads(line)


def text(number: int) -> str:
    return f"{number} " + "x" * (number * 7 % 900)
