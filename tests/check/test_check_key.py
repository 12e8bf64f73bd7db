"""The key `check`: the loader and the models give the same answers, and mistakes have a place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from tests.check.conftest import Found
from workbench.config.compose import parse_yaml
from workbench.config.entries import read_entries
from workbench.config.nodes import plain_data
from workbench.config.readers import Reading
from workbench.config.schema import Composition
from workbench.config.textfile import TextFile

SOUND = [
    "{}",
    "null",
    "{profiles: null, budgets: null, off: null}",
    "{profiles: [a], off: [{rule: x}, {rule: y, reason: '', section: s, context: null, variable: v, tool: t}]}",
    "{budgets: {}}",
    "{budgets: {unit: characters, whole: 1, tools: null, parts: [{limit: 2, section: s}]}}",
]
WRONG = [
    "[]",
    "{profiles: openai}",
    "{profiles: ['']}",
    "{budgets: {whole: 0}}",
    "{budgets: {whole: 1.5}}",
    "{budgets: {whole: true}}",
    "{budgets: {whole: '9'}}",
    "{budgets: {unit: words}}",
    "{budgets: {parts: [{section: s}]}}",
    "{budgets: {sections: {a: 1}}}",
    "{off: [characters]}",
    "{off: [{reason: r}]}",
    "{off: [{rule: x, reason: null}]}",
    "{off: [{rule: x, why: y}]}",
    "{allow: [x]}",
]


@pytest.mark.parametrize("written", [*SOUND, *WRONG])
def test_loader_and_models_agree(written: str) -> None:
    document, problems = parse_yaml(f"check: {written}\n", "f.yml")
    assert not problems
    assert document.root is not None
    reading = Reading(document, lambda name: TextFile(name, Path(name), "text"))
    read_entries(reading, document.root)
    try:
        Composition.model_validate(json.loads(json.dumps(plain_data(document.root))))
        is_model_content = True
    except ValidationError:
        is_model_content = False
    assert (not reading.problems, is_model_content) == (written in SOUND, written in SOUND)


async def test_mistakes_have_a_place_and_a_remedy(found: Found) -> None:
    findings = await found(
        "check:\n  budgets:\n    unit: character\n    section: none\n  off:\n    - {rule: x, why: y}\n  allow: []\n"
    )
    assert [(str(each.position), each.remedy) for each in findings] == [
        ("agent.yml:3:11", 'did you mean "characters"?'),
        ("agent.yml:4:14", ""),
        ("agent.yml:6:17", "call it `reason:`"),
        ("agent.yml:7:3", "write `off:`"),
    ]
