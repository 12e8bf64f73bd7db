"""Call configurations and requests: equal by value, frozen at every level, the same after a log."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.models import CallConfig, FrozenDict, ModelRequest

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
CONFIGS = st.builds(
    CallConfig,
    provider=st.none() | NAMES,
    model=st.none() | NAMES,
    reasoning_effort=st.none() | NAMES,
    temperature=st.none() | st.floats(0, 2).map(lambda value: value or 0.0),
    max_tokens=st.none() | st.integers(1, 10**6),
    stop=st.none() | st.lists(NAMES, max_size=2),
    extra=st.dictionaries(
        NAMES.map(lambda name: f"x{name}"), st.integers() | st.lists(NAMES, max_size=2), max_size=2
    ),
)


@given(CONFIGS)
def test_a_configuration_survives_a_log(config: CallConfig) -> None:
    written = json.loads(json.dumps(config.to_json()))
    again = CallConfig.from_json(written)
    assert again == config
    assert hash(again) == hash(config)
    assert again.to_json() == written
    assert None not in written.values()


def test_the_keys_are_those_of_recorded_logs() -> None:
    config = CallConfig("p", "m", "high", 0.5, 9, ("x",), {"seed": 1})  # type: ignore[arg-type]
    assert list(config.to_json().items()) == [
        ("provider", "p"),
        ("model", "m"),
        ("reasoningEffort", "high"),
        ("temperature", 0.5),
        ("maxTokens", 9),
        ("stop", ["x"]),
        ("seed", 1),
    ]
    assert config.with_(model="m2") == CallConfig.from_json({**config.to_json(), "model": "m2"})


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"provider": 5}, "provider: a text"),
        ({"temperature": True}, "temperature: a number"),
        ({"maxTokens": 0}, "maxTokens: a positive whole number"),
        ({"maxTokens": 1.5}, "maxTokens: a positive whole number"),
        ({"stop": "x"}, "stop: a list of texts"),
        ({"stop": [1]}, "stop: a list of texts"),
        ({"seed": float("nan")}, "seed: nan"),
    ],
)
def test_a_configuration_of_wrong_types(data: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        CallConfig.from_json(data)


def test_a_known_setting_is_no_further_one() -> None:
    with pytest.raises(ValueError, match="maxTokens: not a setting"):
        CallConfig(extra={"maxTokens": 5})  # type: ignore[arg-type]


def test_a_request_cannot_be_changed() -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    request = ModelRequest(CallConfig("p", "m"), "s", [{"name": "t", "parameters": {}}], [message])  # type: ignore[arg-type]
    message["content"] = []
    assert request.messages[0]["content"] == [{"type": "text", "text": "hi"}]
    for change in (
        lambda: request.messages[0].update(role="assistant"),
        lambda: request.messages[0]["content"][0].update(text="ho"),
        lambda: request.messages[0]["content"].append({}),
        lambda: request.tools[0]["parameters"].update(type="object"),
        lambda: request.config.extra.update(a=1),
    ):
        with pytest.raises(TypeError):
            change()
    with pytest.raises(dataclasses.FrozenInstanceError):
        request.system = "other"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        request.config.model = "other"  # type: ignore[misc]


def test_an_empty_system_text_is_none() -> None:
    assert ModelRequest(CallConfig(), "").system is None
    assert ModelRequest(CallConfig(), " ").system == " "


def test_frozen_messages_are_taken_as_they_are() -> None:
    first = ModelRequest(CallConfig(), None, (), [{"role": "user", "content": []}])  # type: ignore[arg-type]
    second = ModelRequest(CallConfig(), None, (), first.messages)
    assert second.messages[0] is first.messages[0]
    assert isinstance(first.messages[0], FrozenDict)
