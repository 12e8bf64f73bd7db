"""Differences as `diff -u` prints them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.previews import CODING_AGENT, SECTIONS, preview
from workbench.config.difference.prompts import prompt_difference
from workbench.config.difference.unified import unified, unified_difference

lines = st.lists(st.sampled_from(["a", "b", "c", "", "d e"]), max_size=30).map("\n".join)


def patched(before: str, page: str) -> str:
    """As `patch` would, but strict: each line that stays or goes has to be there."""
    old = before.splitlines(keepends=True)
    new: list[str] = []
    at = 0
    page = page.replace("\n\\ No newline at end of file\n", "")
    for row in page.splitlines(keepends=True)[2:]:
        hunk = re.fullmatch(r"@@ -(\d+)(?:,(\d+))? \+.* @@\n", row)
        if hunk:
            start = int(hunk[1]) - (hunk[2] != "0")
            new += old[at:start]
            at = start
        elif row[0] == "+":
            new.append(row[1:])
        else:
            assert row[1:] == old[at]
            new += [row[1:]] if row[0] == " " else []
            at += 1
    return "".join([*new, *old[at:]])


@given(lines, lines)
def test_it_leads_from_one_text_to_the_other(before: str, after: str) -> None:
    if not before.endswith("\n"):
        before += "\n"
    if not after.endswith("\n"):
        after += "\n"
    assert patched(before, unified(before, after, "a", "b")) == after


def test_by_the_real_patch(tmp_path: Path) -> None:
    if shutil.which("patch") is None:
        pytest.skip("needs patch")
    before = "\n".join(str(number) for number in range(40))
    after = before.replace("\n7\n", "\nseven\n").replace("30", "thirty\nmore") + "\nend"
    (tmp_path / "text").write_text(before)
    subprocess.run(
        ["patch", "-s", "text"], cwd=tmp_path, input=unified(before, after, "a", "b").encode(), check=True
    )
    assert (tmp_path / "text").read_text() == after


def test_the_form() -> None:
    before = "\n".join("abcdefghij")
    assert unified(before, before.replace("e", "E"), "one", "two\x1b\n") == (
        "--- one\n+++ two‹ESC›‹LF›\n@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n"
    )
    assert unified("", "x", "a", "b").endswith("@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n")
    assert unified("x", "x", "a", "b") == ""


def test_all_parts() -> None:
    other = preview(SECTIONS[1:], CODING_AGENT.contexts, CODING_AGENT.tools[:-1], CODING_AGENT.variables)
    difference = prompt_difference(CODING_AGENT, other)
    parts = [part for part in (*difference.sections, *difference.tools) if part.state != "same"]
    page = unified_difference(parts, ("then", "now"))
    assert "--- then/section/harness:identity\n+++ now/section/harness:identity\n@@ -1 +0,0 @@\n-You are" in page
    assert "--- then/tool/web_search\n" in page
    assert unified_difference([], ("a", "b")) == ""
