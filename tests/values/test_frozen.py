"""Frozen JSON: equal to the plain value, and nobody changes it."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.models import NotJson, freeze, thaw
from workbench.values.foreign_text import clean, clean_text
from workbench.values.frozen import Frozen, FrozenDict, FrozenList

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False).map(lambda number: number or 0.0)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=12,
)


@given(JSON)
def test_a_frozen_value_is_the_value(value: Any) -> None:
    frozen = freeze(value)
    assert frozen == value
    assert json.dumps(frozen) == json.dumps(value)
    assert freeze(frozen) is frozen
    assert copy.deepcopy(frozen) == value
    assert pickle.loads(pickle.dumps(frozen)) == value
    melted = thaw(frozen)
    assert melted == value
    assert json.dumps(melted) == json.dumps(value)
    assert not isinstance(melted, FrozenDict | FrozenList)


CHANGES: list[Callable[[Any], Any]] = [
    lambda value: value.__setitem__("a", 1),
    lambda value: value.__delitem__("a"),
    lambda value: value.update(a=1),
    lambda value: value.pop("a"),
    lambda value: value.popitem(),
    lambda value: value.clear(),
    lambda value: value.setdefault("b", 1),
    lambda value: value.__ior__({"b": 1}),
    lambda value: value["a"].__setitem__(0, 1),
    lambda value: value["a"].__delitem__(0),
    lambda value: value["a"].append(1),
    lambda value: value["a"].extend([1]),
    lambda value: value["a"].insert(0, 1),
    lambda value: value["a"].remove(0),
    lambda value: value["a"].pop(),
    lambda value: value["a"].clear(),
    lambda value: value["a"].sort(),
    lambda value: value["a"].reverse(),
    lambda value: value["a"].__iadd__([1]),
    lambda value: value["a"].__imul__(2),
    lambda value: value["a"][1]["deep"].append(1),
]


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_raises(change: Callable[[Any], Any]) -> None:
    value = freeze({"a": [0, {"deep": []}]})
    with pytest.raises(Frozen, match="thaw"):
        change(value)
    assert value == {"a": [0, {"deep": []}]}


def test_no_method_that_changes_was_forgotten() -> None:
    for frozen, plain, view in (
        (FrozenDict, dict, "keys items values get copy fromkeys"),
        (FrozenList, list, "copy index count"),
    ):
        public = {name for name in vars(plain) if not name.startswith("_")} - set(view.split())
        assert public <= set(vars(frozen))


def test_the_frozen_copy_is_not_the_given_object() -> None:
    given_value: dict[str, Any] = {"a": [1]}
    frozen = freeze(given_value)
    given_value["a"].append(2)
    assert frozen == {"a": [1]}
    assert orjson.dumps(frozen) == b'{"a":[1]}'


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (-0.0, "-0.0"),
        ({1: 2}, "key 1"),
        ((1,), "tuple"),
        ({1, 2}, "set"),
        (object(), "object"),
        ({"a": [0, {"b": "\ud800"}]}, r"a\[1\]\.b: half of a surrogate pair"),
        ({"\udfff": 1}, "half of a surrogate pair"),
    ],
)  # fmt: skip
def test_what_json_would_change_is_refused(value: Any, says: str) -> None:
    with pytest.raises(NotJson, match=says):
        freeze(value)


def test_a_value_that_contains_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(NotJson, match="nested"):
        freeze(loop)


@given(st.text(max_size=20))
def test_clean_text_can_be_encoded_and_changes_nothing_else(text: str) -> None:
    cleaned = clean_text(text)
    cleaned.encode()
    assert len(cleaned) == len(text)
    assert all(
        new == old or (new == "\ufffd" and "\ud800" <= old <= "\udfff")
        for new, old in zip(cleaned, text, strict=True)
    )


def test_clean_reaches_every_text() -> None:
    assert freeze(clean({"\ud800k": ["a\udc00", {"b": 1}]})) == {"\ufffdk": ["a\ufffd", {"b": 1}]}
