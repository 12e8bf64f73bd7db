"""Strict references (spec 10): the table, and agreement with a second renderer on random texts."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.prompt.naive import Fault, naive
from tests.prompt.providers import says
from tests.support.searches import RELAXED
from workbench.core import Runtime
from workbench.prompt import PromptAssembly, PromptConfig, RenderError, SystemPrompt, render_prompt
from workbench.prompt.rendering import interpolate
from workbench.prompt.template import compile_text, groups_of, references_of

STEADY = settings(RELAXED, derandomize=True)

M = {"model": "M", "a": "{{", "b": "model}}", "empty": "", "nothing": None}

RENDERED = [
    ("{{model}}{{model}}", "MM"),
    ("{{model}}}", "M}"),
    ("{{model}} }} {{", "M }} {{"),
    ("{{", "{{"),
    ("{{{", "{{{"),
    ("{{ x }", "{{ x }"),
    ("}}{{", "}}{{"),
    ("{{a}}{{b}}", "{{model}}"),
    ("", ""),
    ("{", "{"),
    ("a } b", "a } b"),
    ("{{empty}}", ""),
    ("x{{empty}}y", "xy"),
    ("  \r\n{{model}}\n ", "  \r\nM\n "),
    ("{{model}}{", "M{"),
    ("{ {model} }", "{ {model} }"),
]
FAULTS = [
    ("{{{model}}}", "malformed", "{{{model}}}", 0),
    ("{{{model}}", "malformed", "{{{model}}", 0),
    ("{{{{model}}}}", "malformed", "{{{{model}}}}", 0),
    ("{{a{b}} x", "malformed", "{{a{b}} x", 0),
    ("{{ model }}", "malformed", "{{ model }}", 0),
    ("{{}}", "malformed", "{{}}", 0),
    ("{{model\n}}", "malformed", "{{model\n}}", 0),
    ("{{\nmodel}}", "malformed", "{{\nmodel}}", 0),
    ("{{Model}}", "malformed", "{{Model}}", 0),
    ("{{model.x}}", "malformed", "{{model.x}}", 0),
    ("{{__class__}}", "malformed", "{{__class__}}", 0),
    ("{{1st}}", "malformed", "{{1st}}", 0),
    ("{{mod\u0435l}}", "malformed", "{{mod\u0435l}}", 0),  # a Cyrillic letter
    ("{{n\u0661}}", "malformed", "{{n\u0661}}", 0),  # an Arabic digit
    ("a {{ b {{model}}", "malformed", "{{ b {{model}}", 2),
    ("{{ this goes on for a while {{model}}", "malformed", "{{ this goes on ", 0),
    ("{{model}} {{}", None, "", 0),
    ("{{model}} {{} }}", "malformed", "{{} }}", 10),
    ("{{constructor}}", "unknown", "{{constructor}}", 0),
    ("{{items}}", "unknown", "{{items}}", 0),
    ("{{keys}}", "unknown", "{{keys}}", 0),
    ("\n{{nothing}}", "no value", "{{nothing}}", 1),
    ("{{nothing}}{{unknown}}", "no value", "{{nothing}}", 0),
    ("{{unknown}}{{ x }}", "unknown", "{{unknown}}", 0),
]


@pytest.mark.parametrize(("text", "expected"), RENDERED)
def test_rendered(text: str, expected: str) -> None:
    assert interpolate("section", "s", text, M) == expected
    assert naive(text, M) == expected


@pytest.mark.parametrize(("text", "code", "group", "offset"), FAULTS)
def test_refused(text: str, code: str | None, group: str, offset: int) -> None:
    if code is None:
        assert interpolate("section", "s", text, M) == text.replace("{{model}}", "M")
        return
    with pytest.raises(RenderError) as caught:
        interpolate("section", "s", text, M)
    error = caught.value
    assert (error.code, error.group, error.offset) == (code, group, offset)
    assert naive(text, M) == Fault(code, group, offset)
    assert all(fragment in str(error) for fragment in (code, group, "section", "s"))


def test_an_excerpt_is_the_first_16_characters_of_what_is_no_group() -> None:
    text = "x {{0123456789012{345}}"
    with pytest.raises(RenderError) as caught:
        interpolate("context", "c", text, {})
    assert caught.value.group == "{{0123456789012{"
    assert len(caught.value.group) == 16
    assert "context" in str(caught.value)


def test_a_complete_group_is_given_as_written_however_long() -> None:
    group = "{{" + "x" * 5000 + " }}"
    with pytest.raises(RenderError) as caught:
        interpolate("section", "s", f"a{group}b", {})
    assert caught.value.group == group
    assert group in str(caught.value)


def test_references_are_listed_once_and_up_to_the_first_fault() -> None:
    assert references_of("{{a}} {{b}} {{a}} {{ x }} {{c}}") == ("a", "b")


def test_groups_have_their_place() -> None:
    assert [(group.offset, group.end, group.name) for group in groups_of("x{{a}}y{{bc}}")] == [
        (1, 6, "a"),
        (7, 13, "bc"),
    ]


def test_a_long_text_of_opening_braces_takes_no_long_time() -> None:
    text = "{{ " * 200_000
    assert interpolate("section", "s", text, {}) == text


# Random texts

TOKENS = ["{", "{{", "}", "}}", "{{a}}", "{{b}}", "{{c}}", "a", "b", "c", "_", "7", " ", "\n", "A", ".", "é", "x"]
TEXTS = st.lists(st.sampled_from(TOKENS), max_size=14).map("".join)
VALUES = st.one_of(st.none(), st.just(""), TEXTS)
MAPS = st.dictionaries(st.sampled_from(["a", "b", "c", "ab", "a_7", "items"]), VALUES, max_size=4)


def outcome(render: object, *args: object) -> str | Fault:
    """What a renderer gives, or the fault that it raises."""
    try:
        result = render(*args)  # type: ignore[operator]
    except RenderError as error:
        return Fault(error.code, error.group, error.offset)
    assert isinstance(result, str)
    return result


@given(text=TEXTS, variables=MAPS)
@settings(STEADY, max_examples=500)
@example("{{a}}{{ {{b}}", {"a": "", "b": ""})
@example("{{{a}}", {"a": "x"})
@example("{{a}}{ {{a}}", {"a": "{{a}}"})
def test_random_texts_agree(text: str, variables: dict[str, str | None]) -> None:
    assert outcome(interpolate, "section", "s", text, variables) == naive(text, variables)


@given(text=TEXTS)
@settings(STEADY, max_examples=500)
def test_a_compiled_text_means_what_the_exact_scanner_says(text: str) -> None:
    pieces = compile_text(text)
    if pieces is not None:
        names = pieces[1::2]
        variables = {name: f"<{name}>" for name in names}
        filled = [f"<{piece}>" if index % 2 else piece for index, piece in enumerate(pieces)]
        assert naive(text, variables) == "".join(filled)


async def rendered_through_a_plan(texts: list[tuple[str, str]], values: dict[str, str | None]) -> list[str | Fault]:
    """What each of three renders of one plan gives; between them nothing changes."""
    async with Runtime() as rt:
        await rt.root.plugin(SystemPrompt, PromptConfig(include_harness_identity=False))
        prompt = rt.root.system_prompt
        for index, (kind, text) in enumerate(texts):
            prompt.section(
                f"s{index:02}", index - 50, says(text) if kind == "provider" else text, literal=kind == "literal"
            )
        for name, value in values.items():
            prompt.variable(name, says(value))
        results = []
        for _ in range(3):
            assembly: PromptAssembly = await prompt.assemble()
            results.append(outcome(render_prompt, assembly))
        return results


def naive_system(texts: list[tuple[str, str]], values: dict[str, str | None]) -> str | Fault:
    rendered = []
    for kind, text in texts:
        result = text if kind == "literal" else naive(text, values)
        if isinstance(result, Fault):
            return result
        rendered.append(result)
    return "\n\n".join([text for text in rendered if text])


KINDS = st.sampled_from(["static", "static", "provider", "literal"])


@given(texts=st.lists(st.tuples(KINDS, TEXTS), max_size=6), values=MAPS)
@settings(STEADY, max_examples=150)
def test_plans_agree_at_every_render(texts: list[tuple[str, str]], values: dict[str, str | None]) -> None:
    expected = naive_system(texts, values)
    assert asyncio.run(rendered_through_a_plan(texts, values)) == [expected] * 3


GOOD = st.lists(st.sampled_from(["{{a}}", "{{b}}", "x", "\n", "{", "} ", ""]), max_size=6).map("".join)


@given(
    texts=st.lists(st.tuples(KINDS, GOOD), max_size=8),
    values=st.fixed_dictionaries({"a": st.sampled_from(["", "A", "{{b}}"]), "b": st.sampled_from(["", "}}"])}),
)
@settings(STEADY, max_examples=150)
def test_plans_agree_where_most_texts_are_good(texts: list[tuple[str, str]], values: dict[str, str | None]) -> None:
    expected = naive_system(texts, values)
    assert asyncio.run(rendered_through_a_plan(texts, values)) == [expected] * 3


@pytest.mark.slow
@given(text=TEXTS, variables=MAPS)
@settings(RELAXED, max_examples=30_000)
def test_many_random_texts_agree(text: str, variables: dict[str, str | None]) -> None:
    assert outcome(interpolate, "section", "s", text, variables) == naive(text, variables)


@pytest.mark.slow
@given(texts=st.lists(st.tuples(KINDS, TEXTS | GOOD), max_size=8), values=MAPS)
@settings(RELAXED, max_examples=5_000)
def test_many_plans_agree(texts: list[tuple[str, str]], values: dict[str, str | None]) -> None:
    assert asyncio.run(rendered_through_a_plan(texts, values)) == [naive_system(texts, values)] * 3
