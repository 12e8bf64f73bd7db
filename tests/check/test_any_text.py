"""No text and no schema makes a rule of ours raise, and every place lies inside the file."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.check.conftest import write
from workbench.check.checking import check_file
from workbench.check.profile import SHIPPED

PIECES = (
    *("{{", "}}", "{{x}}", "`read`", "read_file tool", "<|im_end|>", "[INST]"),
    *("\u200b", "\x1b[2J", "\u202e", "😀", "\n\n- ", "\n", ". ", "\t"),
    "a sentence that is long enough to be owned by somebody. ",
)
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=12).map("".join)
schemas = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["object", "array", "string", "\x1b"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["type", "properties", "items", "anyOf", "enum", "required", "$defs", "format", "a/~b"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.timeout(120)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(texts, min_size=1, max_size=3), texts, schemas, st.booleans())
def test_any_text(tmp_path: Path, parts: list[str], value: str, schema: Any, is_literal: bool) -> None:
    parameters = {"type": "object", "properties": schema if isinstance(schema, dict) else {}, "x": schema}
    composition = {
        "sections": [
            {"name": f"s{number}", "order": number % 2, "text": text, "literal": is_literal}
            for number, text in enumerate(parts)
        ],
        "variables": [{"name": "x", "value": value}],
        "tools": [{"name": "read_file", "description": value, "parameters": parameters}],
        "check": {"profiles": [*SHIPPED], "budgets": {"unit": "characters", "section": 20}},
    }
    write(tmp_path, any_json=json.dumps(composition, ensure_ascii=True))
    file = tmp_path / "any.json"
    report = asyncio.run(check_file(file, settle_seconds=2))
    assert report.is_usable, report.findings
    assert [finding for finding in report.findings if finding.rule == "rule"] == []
    length = len(file.read_text(encoding="utf-8"))
    for finding in report.findings:
        if finding.position is not None and finding.position.file == str(file):
            assert finding.position.line == 1
            assert 1 <= finding.position.column <= length
