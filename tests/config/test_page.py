"""The page on compositions: every example in it is read as the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import workbench
from tests.support.compositions import Write
from workbench.config import load
from workbench.config.compose import parse_yaml
from workbench.config.entries import read_entries
from workbench.config.nodes import Mapping, Sequence
from workbench.config.readers import Reading
from workbench.config.schema import json_schema
from workbench.config.textfile import TextFile

PAGE = (Path(workbench.__file__).parent / "docs" / "compositions.md").read_text()
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.split("\n", 1)[0])
def test_an_example_can_be_read(example: str, write: Write) -> None:
    document, problems = parse_yaml(example, "example.yml")
    assert not problems
    if isinstance(document.root, Sequence):
        assert [row.outcome for row in load(write("c.yml", example)).rows] == ["settings", "plugin"]
        return
    assert isinstance(document.root, Mapping)
    reading = Reading(document, lambda name: TextFile(name, Path(name), "text"))
    read_entries(reading, document.root)
    assert reading.problems == []


def test_there_is_an_example_for_every_key() -> None:
    shown = set(re.findall(r"([a-z_]+):(?= |$)", "\n".join(EXAMPLES), re.MULTILINE))
    schema = json_schema()
    keys = set(schema["properties"])
    for definition in schema["$defs"].values():
        keys |= set(definition["properties"])
    assert keys <= shown


def test_the_first_example_loads(write: Write) -> None:
    assert load(write("hello.yml", EXAMPLES[0])).entries.agents[0].model == "tick-1"
