"""The four sample sessions: each has the one thing to find out that it is there for."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.agent.log.timeline import Timeline
from workbench.config.live import LiveChoices, open_live
from workbench.config.samples import find_sample
from workbench.config.sessions.story import open_story


async def played(name: str, tmp_path: Path, turns: int) -> Timeline:
    """The log of a sample, after so many turns."""
    sample = find_sample(name)
    assert sample is not None
    log = str(tmp_path / f"{name}.jsonl")
    async with open_live(sample, LiveChoices(session_log=log)) as live:
        for turn in range(turns):
            live.agent.followup(f"turn {turn + 1}")
            await live.agent.when_idle()
    story = open_story(log)
    line = story.timeline()
    story.close()
    assert line.broken is None
    return line


@pytest.mark.parametrize(
    ("name", "turns", "words", "owner", "cause"),
    [
        ("session-clock", 3, ["first", "changed", "changed", "changed"], "clock-kit", "undeclared drift"),
        ("session-growth", 5, ["first"] + ["changed"] * 4, "keep_kit", "undeclared drift"),
        (
            "session-package",
            3,
            ["first", "appended", "changed", "appended"],
            "notices",
            "package notices was started",
        ),
        (
            "session-compaction",
            5,
            ["first", "appended", "appended", "changed", "appended"],
            "compaction",
            "compacted",
        ),
    ],
)
async def test_what_each_teaches(
    tmp_path: Path, name: str, turns: int, words: list[str], owner: str, cause: str
) -> None:
    line = await played(name, tmp_path, turns)
    verdicts = [row.verdict for row in line.requests]
    assert [verdict.word for verdict in verdicts] == words
    for verdict in verdicts:
        if verdict.is_break:
            assert verdict.part is not None
            assert verdict.part.owner_words == owner
            assert cause in verdict.cause_words
    subjects = {remark.subject for remark in line.remarks}
    assert ("grows at every step" in subjects) == (name == "session-growth")
    assert ("changes at every step" in subjects) == (name == "session-clock")
