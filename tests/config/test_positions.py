"""Every character of an inline text leads to its place in the file."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, FoldedScalarString, SingleQuotedScalarString

from workbench.config.compose import parse_yaml
from workbench.config.folded import PiecewiseSource, piecewise_source
from workbench.config.nodes import Document, Mapping, Scalar, plain_data
from workbench.prompt.source import TextSource

LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=12))

WORDY = st.lists(
    st.sampled_from(["one", "two", "{{v}}", "it's", '"', "\\", "é", "😀", "\t", " ", " ", "\n", "\n\n", ":", "#"])
).map("".join)


def scalar_in(file: str, *keys: str) -> tuple[Document, Scalar, TextSource]:
    document, problems = parse_yaml(file, "f.yml")
    assert not problems
    node = document.at(keys)
    assert isinstance(node, Scalar)
    return document, node, document.source(node)


def assert_same_characters(file: str, text: str, source: TextSource) -> None:
    lines = file.split("\n")
    for offset, character in enumerate(text):
        position = source.position(text, offset)
        if character != "\n":
            assert lines[position.line - 1][position.column - 1] == character


@given(LINES, st.integers(1, 6), st.sampled_from(["", "-", "+"]), st.booleans())
@example(["", "", "  a"], 2, "", True)
@example(["a"], 1, "-", False)
def test_block_scalars_correspond_line_by_line(
    lines: list[str], indent: int, chomping: str, newline_at_end: bool
) -> None:
    assume(not any(set(line) & set("\x85\ufeff\ufffe\uffff") for line in lines))
    content = "\n".join(" " * indent + line if line else "" for line in lines)
    # An explicit indentation, because the first line may begin with a blank.
    file = f"deep:\n  text: |{indent}{chomping} # why\n" + "\n".join(
        f"  {line}" if line else "" for line in content.split("\n")
    )
    _, node, source = scalar_in(file + "\n" * newline_at_end, "deep", "text")
    assert node.text.rstrip("\n") == "\n".join(lines).rstrip("\n")
    assert_same_characters(file, node.text, source)


def test_a_block_scalar_behind_an_anchor_and_a_blank_line() -> None:
    file = "a: &x\n  |\n\n    one {{v}}\n      two\n"
    _, node, source = scalar_in(file, "a")
    assert source == TextSource("f.yml", 3, 5, 4)
    assert str(source.position(node.text, node.text.index("{{"))) == "f.yml:4:9"
    assert_same_characters(file, node.text, source)


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1))
def test_quoted_scalars_without_escapes_correspond(text: str) -> None:
    assume("'" not in text)
    file = f"k: 'x'\na:   '{text}'\n"
    _, node, source = scalar_in(file, "a")
    assert node.text == text
    assert_same_characters(file, text, source)


@given(WORDY, st.sampled_from([SingleQuotedScalarString, DoubleQuotedScalarString, FoldedScalarString, str]))
@example("it's\n\n\u00a0two\t{{v}}  x \\ y\n", DoubleQuotedScalarString)
@example("\n\n a\n\n  b c\n\n", FoldedScalarString)
def test_joined_and_escaped_scalars_are_followed_piece_by_piece(text: str, style: type[str]) -> None:
    emitter = YAML()
    emitter.width = 16
    stream = StringIO()
    emitter.dump({"deep": {"text": style(text)}}, stream)
    file = stream.getvalue()
    _, node, source = scalar_in(file, "deep", "text")
    assume(node.text == text)  # A folded text with blanks at odd places is not always written as it was.
    lines = file.split("\n")
    for offset, character in enumerate(text):
        position = source.position(text, offset)
        found = lines[position.line - 1][position.column - 1 : position.column]
        is_followed = isinstance(source, PiecewiseSource) or source.indent is not None
        # A blank may stand for a line end, and an escape for any character.
        assert not is_followed or found in (character, "\\") or character in " \n"


@pytest.mark.parametrize(
    ("file", "places"),
    [
        ("a: >\n  one\n  two {{v}}\n\n  three\n", {"two": "2:3 3:3", "{{": "3:7", "three": "5:3"}),
        ("a: one\n  {{v}}\n\n  three # why\n", {"one": "1:4", "{{": "2:3", "three": "4:3"}),
        ("a: 'it''s\n   {{v}}'\n", {"s": "1:9", "{{": "2:4"}),
        (
            'a: "x\\ty {{v}} \\u00e9z \\\n  more"\n',
            {"y": "1:8", "{{": "1:10", "é": "1:16", "z": "1:22", "more": "2:3"},
        ),
        ('a: "\\uD83D\\uDE00{{v}}"\n', {"😀": "1:5", "{{": "1:17"}),
    ],
)
def test_places_in_joined_and_escaped_scalars(file: str, places: dict[str, str]) -> None:
    _, node, source = scalar_in(file, "a")
    for written, place in places.items():
        position = source.position(node.text, node.text.index(written))
        assert f"{position.line}:{position.column}" == place.split()[-1]


def test_what_cannot_be_followed_is_answered_with_its_start() -> None:
    start = TextSource("f", 3, 4, None)
    assert piecewise_source(start, "one\n  two", "something else", "") == start


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(min_size=1, max_size=20), inner),
        max_leaves=20,
    )
)
def test_json_is_read_as_json(value: object) -> None:
    written = json.dumps({"value": value})
    document, problems = parse_yaml(written, "f.json")
    assert not problems
    assert isinstance(document.root, Mapping)
    assert plain_data(document.root) == {"value": value}
