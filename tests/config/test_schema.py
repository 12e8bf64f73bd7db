"""The Pydantic models and the loader give the same answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from workbench.config.compose import parse_yaml
from workbench.config.entries import read_entries
from workbench.config.model import CompositionEntries
from workbench.config.nodes import plain_data
from workbench.config.problems import LoadError
from workbench.config.readers import Reading
from workbench.config.samples import Sample, samples
from workbench.config.schema import Composition, json_schema
from workbench.config.textfile import TextFile

LISTS = ("scopes", "agents", "plugins", "sections", "contexts", "variables", "tools", "restrictions",
         "models")  # fmt: skip
KEYS = ("name", "scope", "parent", "model", "use", "config", "disabled", "order", "text", "literal", "complete",
        "value", "description", "parameters", "allow", "deny", "persona", "nme", "script", "replay", "endpoint",
        "context_windows", "max_tokens", "temperature", "reasoning_effort")  # fmt: skip

anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(0, 9)
    | st.sampled_from(["", "a", "TOOL_BASH", "{{x}}"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["file", "a"]), inner, max_size=2),
    max_leaves=3,
)
likely: dict[str, st.SearchStrategy[Any]] = {
    "order": st.integers() | st.sampled_from(["TOOL_BASH", "SANDBOX_POLICY"]),
    "parameters": st.dictionaries(st.text(max_size=2).filter(lambda key: key != "<<"), anything, max_size=2),
    "literal": st.booleans(),
    "complete": st.booleans(),
    "disabled": st.booleans(),
    "allow": st.lists(st.just("t"), max_size=2),
    "script": st.just("a"),
    "replay": st.lists(st.just("t"), max_size=2),
    "endpoint": st.fixed_dictionaries(
        {"base_url": st.just("a")}, optional={"stream": anything, "headers": anything}
    ),
    "context_windows": st.dictionaries(st.just("m"), st.integers(-1, 9)),
    "max_tokens": st.integers(-1, 9),
    "temperature": st.floats(0, 9) | st.integers(0, 9),
    "reasoning_effort": st.just("low"),
    "deny": st.lists(st.just("t"), max_size=2),
}
sound = {key: likely.get(key, st.just("a") | st.just({"file": "t.md"})) for key in KEYS}
values = {key: st.one_of(strategy, strategy, strategy, strategy, anything) for key, strategy in sound.items()}
entries = st.lists(st.sampled_from(KEYS), max_size=6, unique=True).flatmap(
    lambda keys: st.fixed_dictionaries({key: values[key] for key in keys})
)
compositions = st.fixed_dictionaries(
    {},
    optional={
        "persona": anything,
        "tool_order": st.lists(st.just("t")) | anything,
        "include_runtime_context": anything,
        "session_log": st.just("l.jsonl") | anything,
        "unknown": st.none(),
        **{name: st.lists(entries | anything, max_size=2) | st.none() for name in LISTS},
    },
)


def loader_accepts(written: str) -> bool:
    document, problems = parse_yaml(written, "f.json")
    assert not problems
    reading = Reading(document, lambda name: TextFile(name, Path(name), "text"))
    if document.root is None:
        return True
    assert isinstance(read_entries(reading, document.root), CompositionEntries)
    return not reading.problems


def models_accept(value: Any) -> bool:
    try:
        Composition.model_validate(value)
    except ValidationError:
        return False
    return True


@given(compositions)
def test_both_accept_and_refuse_the_same(value: dict[str, Any]) -> None:
    assert loader_accepts(json.dumps(value)) == models_accept(value)


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.name)
def test_samples_are_judged_alike(sample: Sample) -> None:
    written = sample.path.read_text()
    try:
        document, problems = parse_yaml(written, sample.name)
    except LoadError:
        return
    if document.root is not None and not problems:
        assert loader_accepts(written) == models_accept(plain_data(document.root))


def test_the_schema_describes_every_key() -> None:
    definitions = json_schema()["$defs"]
    for name, definition in definitions.items():
        for key, described in definition["properties"].items():
            assert described.get("description"), f"{name}.{key}"
