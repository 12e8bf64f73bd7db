"""Findings about imported tools stand in the file that the tools came from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.check.checking import check_file

TOOLS = {
    "tools": [
        {"name": "fine", "description": "Fine.", "inputSchema": {"type": "object", "properties": {}}},
        {"name": "spaced out", "description": "Refused by its name.", "inputSchema": {"type": "object"}},
    ]
}


@pytest.mark.parametrize("is_direct", [True, False])
async def test_a_refused_tool_is_found_in_its_own_file(
    is_direct: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.json").write_text(json.dumps(TOOLS, indent=1))
    (tmp_path / "c.yml").write_text("imports: [{tools: t.json}]\n")
    report = await check_file("t.json" if is_direct else "c.yml", profiles=["anthropic"])
    [refused] = [finding for finding in report.findings if finding.rule.startswith("tool-schema/")]
    assert "spaced out" in refused.message
    assert refused.position is not None
    line = json.dumps(TOOLS, indent=1).splitlines().index('   "description": "Refused by its name.",') + 1
    assert str(refused.position) == f"t.json:{line}:20"


async def test_shipped_contributors_are_clean(tmp_path: Path) -> None:
    names = "shell files jobs lsp web todo plan_policy deliverables structured_output harness_source".split()
    background = "{use: subagent, config: {background_mode: continuable}}"
    plugins = ", ".join([*names, "subagents", "subagent_provider", background])
    path = tmp_path / "c.yml"
    path.write_text(f"plugins: [{plugins}]\n")
    assert (await check_file(str(path), profiles=["openai", "anthropic", "deepseek"])).findings == ()
