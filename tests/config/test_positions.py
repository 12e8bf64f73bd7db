"""Every character of an inline text leads to its place in the file."""

from __future__ import annotations

import json

from hypothesis import assume, example, given
from hypothesis import strategies as st

from workbench.config.compose import parse_yaml
from workbench.config.nodes import Document, Mapping, Scalar
from workbench.prompt.source import TextSource

LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=12))


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


def test_escaped_and_folded_scalars_are_answered_with_their_start() -> None:
    file = 'a: "x\\ty {{v}}"\nb: >\n  one\n  two\nc: one\n  two\n'
    for key, line, column in (("a", 1, 5), ("b", 2, 4), ("c", 5, 4)):
        _, node, source = scalar_in(file, key)
        assert source.indent is None
        assert source.position(node.text, 3)[1:] == (line, column)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(min_size=1), inner),
        max_leaves=20,
    )
)
def test_json_is_read_as_json(value: object) -> None:
    written = json.dumps({"value": value})
    document, problems = parse_yaml(written, "f.json")
    assert not problems
    assert isinstance(document.root, Mapping)
    from workbench.config.nodes import plain_data

    assert plain_data(document.root) == {"value": value}
