"""An edited file that is parsed in part gives the tree of the whole."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.compositions import Write
from workbench.config import compose
from workbench.config.compose import parse_yaml
from workbench.config.nodes import Document
from workbench.config.opened import open_composition
from workbench.config.problems import LoadError

LINES = """\
persona: one
persona: |
  lines
sections:
  - name: a
    text: b
    order: 3
  - name: 'q
    more'
  - {name: x, text: [1,
 2]}
  -
    name: late
- name: zero
  text: >-
    folded
# comment
    # deep comment

plugins: [a, b]
  - todo
tools:
- t
  k: v
    text: |+
      keep
  - - nested
x: &a 1
y: *a
---
...
? complex
emo: 日本😀
    text: |
      - name: inner
      end""".split("\n")
VALUES = (
    "t",
    "|\n      a\n      b",
    "|+\n      a\n\n",
    '"q"',
    "'a\n\n b'",
    ">\n      f\n      g",
    "'{{x}}'",
    "|-\n     - x",
)
ENDINGS = ("", "# c\n", "\n", "plugins:\n  - todo\n  - use: x\n", "tail: [1]")


@st.composite
def documents(draw: st.DrawFn) -> str:
    values = draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=4))
    items = (f"  - name: s{number}\n    text: {value}\n" for number, value in enumerate(values))
    return "persona: p\nsections:\n" + "".join(items) + draw(st.sampled_from(ENDINGS))


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, str]:
    """A text, and the same with one stretch replaced."""
    text = draw(documents())
    if draw(st.booleans()):
        places = [0, *(index + 1 for index, character in enumerate(text) if character == "\n")]
        start = draw(st.sampled_from(places))
        end = draw(st.sampled_from([place for place in places if place >= start][:3]))
        new = draw(st.sampled_from(["", *(f"{line}\n" for line in LINES)]))
    else:
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 8)))
        new = draw(st.text(" \n-:#'\"|>[]{}&*?!a", max_size=3))
    return text, text[:start] + new + text[end:]


def whole(text: str) -> tuple[Document, list[str]] | str:
    try:
        document, problems = parse_yaml(text, "f")
    except LoadError as error:
        return str(error)
    return document, [str(problem) for problem in problems]


@settings(max_examples=80, deadline=None)
@given(edits())
def test_the_tree_is_that_of_the_whole(edit: tuple[str, str]) -> None:
    before, after = edit
    earlier, _ = parse_yaml(before, "f")
    try:
        document, problems = parse_yaml(after, "f", earlier)
        found: object = (document, [str(problem) for problem in problems])
    except LoadError as error:
        found = str(error)
    assert found == whole(after)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Lengths of all texts that are parsed."""
    lengths: list[int] = []
    composer = compose._Composer

    class Counting(composer):
        def __init__(self, text: str, file: str) -> None:
            lengths.append(len(text))
            super().__init__(text, file)

    monkeypatch.setattr(compose, "_Composer", Counting)
    return lengths


async def test_a_reload_parses_what_was_edited(write: Write, parsed: list[int]) -> None:
    items = "".join(f"  - {{name: s{number}, order: {number}, text: text {number}}}\n" for number in range(200))
    text = f"include: base.yml\npersona: one\nsections:\n{items}"
    write("base.yml", f"contexts:\n{items}")
    async with open_composition(write("c.yml", text)) as opened:
        parsed.clear()
        text = text.replace("text 77}", "another text}")
        write("c.yml", text)
        assert await opened.reload()
        write("base.yml", f"contexts:\n{items}".replace("text 5}", "five}"))
        assert await opened.reload()
        write("c.yml", text.replace("persona: one", "persona: two"))
        assert await opened.reload()
    assert sum(parsed) < 300
