"""Prompts that a real harness sent, made again from compositions, byte for byte."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.compositions import Write
from workbench.config import open_composition
from workbench.prompt import preview

SESSIONS = Path(__file__).parents[3] / "shared/data/dsh/sessions"
RECORDED = sorted(path.parent for path in SESSIONS.glob("*/system-prompt.expected.md"))
NAMES_THE_MODEL = re.compile(r"powered by the (\S+) model")

pytestmark = pytest.mark.skipif(not RECORDED, reason="the recorded sessions are not beside this checkout")


def composition_of(system: str, tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Each paragraph is a section; the one that names the model becomes the persona, with variables."""
    paragraphs = system.split("\n\n")
    persona = next(index for index, text in enumerate(paragraphs) if NAMES_THE_MODEL.search(text))
    found = NAMES_THE_MODEL.search(paragraphs[persona])
    assert found is not None
    return {
        "include_harness_identity": False,
        "persona": paragraphs[persona].replace(found[1], "{{model}}"),
        "agents": [{"name": "main", "model": found[1], "cwd": "{{cwd}}"}],
        "sections": [
            {"name": f"part:{index:03}", "order": index - persona, "text": text, "literal": True}
            for index, text in enumerate(paragraphs)
            if index != persona
        ],
        "tools": [
            {"name": tool["name"], "description": tool["description"], "parameters": tool["parameters"]}
            for tool in tools
        ],
    }


@pytest.mark.parametrize("session", RECORDED, ids=lambda path: path.name)
async def test_a_recorded_prompt_is_rendered_byte_for_byte_with_its_owners(session: Path, write: Write) -> None:
    recorded = (session / "system-prompt.expected.md").read_text().removesuffix("\n")
    schemas = session / "tool-schemas.expected.json"
    tools = json.loads(schemas.read_text())["initial"] if schemas.exists() else []
    path = write("session.yml", json.dumps(composition_of(recorded, tools), indent=1, ensure_ascii=False))

    async with open_composition(path) as opened:
        shown = await preview(opened.prompt, opened.assemble_context("main"))

    assert shown.failures == ()
    assert shown.system == recorded
    assert {tool.name: json.loads(tool.parameters_json) for tool in shown.tools} == {
        tool["name"]: tool["parameters"] for tool in tools
    }
    lines = path.read_text().split("\n")
    for span in shown.spans:
        if span.part != "section":
            continue
        assert span.owner.kind in ("deployment", "harness")
        if span.variable is None:
            assert span.source is not None
            written = lines[span.source.line - 1][span.source.column - 1 :]
            assert written.startswith(json.dumps(recorded[span.start], ensure_ascii=False)[1:-1])
