"""YAML that is almost right: the place, the reason in plain words, the remedy."""

from __future__ import annotations

import contextlib

import pytest

from tests.support.compositions import Problems, Write
from workbench.config.compose import MAX_DEPTH, parse_yaml
from workbench.config.composition import load
from workbench.config.problems import LoadError


def test_a_list_behind_an_empty_list(problems: Problems) -> None:
    assert problems("# one.yml\n[]\n- id: notes\n") == [
        "c.yml:3:1: the list continues after an empty list; remove `[]`"
    ]


@pytest.mark.parametrize("text", ["", "\n", "# only this comment\n", "---\n", "{}\n", "[]\n", "~\n", "\ufeff# x"])
def test_nothing_is_an_empty_composition(problems: Problems, text: str) -> None:
    assert problems(text) == []


def test_a_key_given_twice_has_no_value(problems: Problems) -> None:
    assert problems("# three.yml\n- id: notes\n  order: 10\n  order: 20\n") == [
        'c.yml:4:3: key "order" is given twice, first at 3:3; neither value is used; keep one of them'
    ]
    # Neither value is used, and the key is not called missing, either.
    assert problems("sections:\n- name: a\n  order: 1\n  text: x\n  order: 2\n") == [
        'c.yml:5:3: key "order" is given twice, first at 3:3; neither value is used; keep one of them'
    ]


def test_braces_without_quotes(problems: Problems) -> None:
    expected = "a text was expected, and braces without quotes are a mapping; quote it: "
    assert problems("# four.yml\npersona: {{model}}\n") == [f'c.yml:2:10: {expected}"{{{{model}}}}"']
    assert problems('persona: {{model}} is "it"\n') == [f"c.yml:1:10: {expected}'{{{{model}}}} is \"it\"'"]
    assert problems("tool_order:\n  - {{x}}\n  - <unlisted-tools>\n") == [f'c.yml:2:5: {expected}"{{{{x}}}}"']


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("persona: *bold* words\n", "1:10: *bold* refers to an anchor that does not exist; quote"),
        ("persona: *b c\n", "1:10: *b refers to an anchor"),
        ("persona: @me\n", "1:10: a text cannot begin with '@' without quotes: it is reserved; quote"),
        ("persona: `ls`\n", "1:10: a text cannot begin with '`' without quotes"),
        ("persona: [x] y\n", "1:10: a text cannot begin with `[` without quotes: it opens a list"),
        ("persona: 'it's'\n", "1:10: a quoted text ends with its second ', and this line goes on behind it"),
        ("persona: !now x\n", "1:10: the tag !now is not read here; remove it, or quote"),
        ("persona: a: b\n", "1:11: a second `key: value` begins inside a value; quote a text"),
        ("persona: 'x\nsections: []\n", "3:1: what begins at 1:10 is never closed; close it, or save the whole"),
        ('persona: "a\\d"\n', "1:13: this escape is not known in a double-quoted text; write `\\\\`"),
        ("persona: | hello\n  x\n", "1:12: text stands on the same line as `|` or `>`"),
        ("persona: # Title\n", '1:9: a text was expected, and nothing stands here; quote it: "#" begins a comment'),
        ("persona:\n", '1:9: a text was expected, and nothing stands here; write ""'),
        ("persona: 42\n", '1:10: a text was expected, and this is the number 42; quote it: "42"'),
        ("persona: true\n", '1:10: a text was expected, and this is true, a truth value; quote it: "true"'),
        ("persona: [a, b]\n", "1:10: a text was expected, and this is a list; quote a text that begins"),
        ('persona: "\\ud800"\n', "1:10: the text holds half of a surrogate pair"),
        ("scopes:\n\t- name: a\n", "2:1: a tab cannot indent a line; use spaces"),
        ("scopes:\n  - name: a\n - name: b\n", "3:2: this line does not fit the lines above it; mend"),
        ("persona: x\n- y\n", "2:1: a list item stands where a key was expected"),
        ("persona: x\n---\npersona: y\n", "2:1: a second document begins here; keep one"),
        ("persona: a\x1bb\n", '1:11: the character U+001B cannot stand in YAML; write "\\x1B" in a double-quoted'),
        ("just words\n", '1:1: a mapping was expected, and this is the text "just words"; known here: description'),
        ("<<: x\n", "1:1: merge keys (<<) are not read; write the values out"),
        ("- words\n", "1:3: a row was expected; a harness config is a list of rows"),
        ("persona: &a [*a]\n", "1:14: *a stands inside the value that it refers to"),
    ],
)  # fmt: skip
def test_each_mistake_is_explained_at_its_place(problems: Problems, text: str, said: str) -> None:
    [problem] = problems(text)
    assert problem.startswith(f"c.yml:{said}")


def test_an_alias_bomb_is_refused_before_it_is_written_out(problems: Problems) -> None:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True)]
    [problem] = problems("\n".join(lines))
    assert problem.endswith("the file has more than 100,000 values; remove aliases of aliases")


def test_deep_nesting_is_refused(problems: Problems) -> None:
    for text in ("[" * 100_000, "- " * 100_000, "{a: " * 1000):
        [problem] = problems(text)
        assert f"nested more than {MAX_DEPTH} levels deep" in problem


def test_an_alias_is_the_value_that_it_refers_to(write: Write) -> None:
    composition = load(write("c.yml", "persona: &p hello\nagents:\n- {name: a, persona: *p}\n"))
    assert composition.entries.agents[0].persona == composition.entries.persona


@pytest.mark.parametrize("cut", range(0, 400, 7))
def test_a_cut_file_never_raises_anything_else(cut: int) -> None:
    text = (
        "description: 'cut'\npersona: |\n  You are {{model}}.\n\nagents:\n  - name: main\n    model: \"m-1\"\n"
        "plugins: [shell, {use: files, config: {tools: [read]}}]\nsections:\n  - name: a:b\n    order: 10\n"
        "    text: >-\n      folded\n      text\n  - {name: c, order: TOOL_BASH, text: '{{x}}', literal: true}\n"
    )
    with contextlib.suppress(LoadError):
        parse_yaml(text[:cut], "f.yml")
