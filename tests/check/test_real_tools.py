"""Tools of real servers and of a real harness, judged by every profile. The data is not in the repository."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from workbench.check.profile import shipped_profile
from workbench.check.rules.tool_schemas import refusals_of
from workbench.check.subject import CheckedTool
from workbench.prompt import Owner, ToolView

DATA = Path(__file__).parents[3] / "shared" / "data"


def tools(file: str) -> list[dict[str, Any]]:
    path = DATA / file
    if not path.exists():
        pytest.skip(f"{file} is not here: the recorded tools come with no release")
    data = json.loads(path.read_text(encoding="utf-8"))
    return data if isinstance(data, list) else list(data["tools"])


def refused(file: str, profile: str) -> dict[str, int]:
    """How many refusals of each kind there are."""
    kinds: Counter[str] = Counter()
    for tool in tools(file):
        parameters = tool.get("inputSchema") or tool["parameters"]
        owner = Owner("server", 1)
        view = ToolView(tool["name"], "", json.dumps(parameters), owner, "global", "effective", None, (), None)
        for finding in refusals_of(CheckedTool(view, (), parameters), [shipped_profile(profile)]):
            kinds[finding.rule.removeprefix("tool-schema/")] += 1
    return dict(kinds)


@pytest.mark.parametrize("profile", ["openai", "anthropic", "deepseek"])
@pytest.mark.parametrize(
    "file",
    ["tools/github-mcp-server.json", "tools/server-filesystem.json", "tools/server-github.json", "dsh/tools.json"],
)
def test_providers_that_take_ordinary_json_schema_take_them_all(file: str, profile: str) -> None:
    assert refused(file, profile) == {}


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("tools/github-mcp-server.json", {"known-keywords": 12}),
        ("tools/server-filesystem.json", {"known-keywords": 14}),
        ("tools/server-github.json", {"known-keywords": 55}),
        ("dsh/tools.json", {"known-keywords": 14}),
    ],
)
def test_gemini_knows_fewer_keywords(file: str, expected: dict[str, int]) -> None:
    assert refused(file, "gemini") == expected


@pytest.mark.parametrize(
    ("file", "closed"),
    [
        ("tools/github-mcp-server.json", 126),
        ("tools/server-filesystem.json", 15),
        ("tools/server-github.json", 0),
        ("dsh/tools.json", 68),
    ],
)
def test_strict_mode_wants_closed_objects(file: str, closed: int) -> None:
    assert refused(file, "openai-strict").get("closed-objects", 0) == closed
