"""Places in a JSON text."""

from __future__ import annotations

from workbench.check.json_place import Place, item_places, place_of, place_of_constant, repeated_key

TEXT = """{
  "topic": "t, {\\"cases\\": [",
  "cases": [
    {"id": "a", "expect": {"system": "x"}},
    {"id": "b", "dispose": [0, {"scope": "kid"}]}
  ]
}"""


def test_a_member_is_placed_at_its_key() -> None:
    assert place_of(TEXT, ("cases", 0, "expect", "system")) == Place(4, 28, "cases[0].expect.system")


def test_an_item_is_placed_at_its_value() -> None:
    assert place_of(TEXT, ("cases", 1, "dispose", 1)) == Place(5, 32, "cases[1].dispose[1]")


def test_steps_that_lead_nowhere_are_left_out() -> None:
    """A validator names the variant of a union in its path, and keys that are missing."""
    assert place_of(TEXT, ("cases", 1, "section", "order")) == Place(5, 5, "cases[1]")
    assert place_of(TEXT, ("cases", 7)) == Place(3, 3, "cases")


def test_the_whole_document() -> None:
    assert place_of("\n  []", ()) == Place(2, 3, "")


def test_items_of_the_outermost_array() -> None:
    assert [(place.line, place.column) for place in item_places(TEXT, "cases")] == [(4, 5), (5, 5)]
    assert item_places(TEXT, "nothing") == []


def test_the_second_of_two_equal_keys() -> None:
    text = '{"a": {"x": 1},\n "b": [{"x": 1, "y": "x", "x": 2}]}'
    assert repeated_key(text) == ("x", Place(2, 27, ""))
    assert repeated_key('{"a": {"a": []}}') is None


def test_a_constant_inside_a_string_is_no_constant() -> None:
    assert place_of_constant('{"a": "NaN \\" NaN",\n "b": -Infinity}') == Place(2, 7, "")
