"""Two requests compared, in tokens."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from tests.support.previews import BASH, CODING_AGENT, CONTEXTS, FAILING, SECTIONS, TOOLS, VARIABLES, preview, tool
from workbench.config.difference.request import GivenUp, RequestDifference, request_difference
from workbench.prompt.views import EntryView, Preview
from workbench.tokens import PromptTexts, TokenCounter


def changed(name: str, old: str, new: str) -> Preview:
    def edit(entry: EntryView) -> EntryView:
        return replace(entry, rendered=(entry.rendered or "").replace(old, new)) if entry.name == name else entry

    return preview(
        [edit(each) for each in SECTIONS], [edit(each) for each in CONTEXTS], TOOLS, VARIABLES, scope="main"
    )


def states(difference: RequestDifference) -> list[tuple[str, str, str]]:
    return [(part.kind, part.name, part.state) for part in difference.changes]


def test_the_first_changed_token_leads_to_its_owner() -> None:
    after = changed("deployment:persona", "what you will try next", "what you try next")
    difference = request_difference(CODING_AGENT, after)
    found = difference.prefix
    assert found is not None
    assert (found.part, found.first.name, found.first.owner.plugin) == (
        "system",
        "deployment:persona",
        "deployment",
    )
    counter = TokenCounter.for_model("deepseek-chat")
    texts = PromptTexts.of(after)
    assert (
        found.kept + found.read_anew
        == counter.count_now(after.system or "").tokens + counter.count_now(texts.all_tools).tokens
    )
    assert found.kept == found.kept_in_part == found.number - 1
    assert (CODING_AGENT.system or "")[: found.offset] == (after.system or "")[: found.offset]
    assert states(difference) == [("section", "deployment:persona", "changed")]
    assert not difference.is_same
    assert difference.added_tokens is not None
    assert difference.added_tokens.tokens == -1
    assert (difference.counted("same", "tool"), difference.counted("same")) == (5, 13)


def test_a_tool_breaks_behind_the_system_text() -> None:
    tools = (*TOOLS[:1], tool("edit", BASH, "Replace a piece."), *TOOLS[2:])
    difference = request_difference(CODING_AGENT, preview(SECTIONS, CONTEXTS, tools, VARIABLES))
    found = difference.prefix
    assert found is not None
    assert (found.part, found.first.name, found.first.owner) == ("tools", "edit", BASH)
    assert difference.before.system is not None
    assert found.kept == difference.before.system.tokens + found.kept_in_part
    assert found.kept_in_part > 0


def test_a_context_breaks_nothing() -> None:
    difference = request_difference(CODING_AGENT, changed("approval:policy", "delete", "write"))
    assert difference.prefix is None
    assert not difference.is_same
    assert states(difference) == [("context", "approval:policy", "changed")]


def test_the_same_and_what_cannot_be_said() -> None:
    same = request_difference(CODING_AGENT, CODING_AGENT)
    assert same.is_same
    assert same.changes == ()
    failing = request_difference(CODING_AGENT, FAILING)
    assert not failing.is_whole
    assert not failing.is_same
    assert failing.prefix is None
    assert failing.added_tokens is None
    assert states(failing) == [("section", "tool:bash", "changed")]


def test_tools_of_one_name_are_told_apart() -> None:
    twice = preview(SECTIONS, CONTEXTS, (*TOOLS, tool("bash", BASH, "Another one.")), VARIABLES)
    assert states(request_difference(CODING_AGENT, twice)) == [("tool", "bash", "added")]
    assert request_difference(twice, twice).is_same


def test_another_model_shares_no_cache() -> None:
    other = replace(CODING_AGENT, variables=tuple(replace(each, value="m2") for each in VARIABLES))
    assert request_difference(CODING_AGENT, other).is_for_another_model
    assert not request_difference(CODING_AGENT, replace(other, variables=())).is_for_another_model


def test_whoever_waits_can_give_up() -> None:
    given_up = threading.Event()
    stages: list[str] = []

    def tell(stage: str) -> None:
        stages.append(stage)
        if stage == "counting tokens":
            given_up.set()

    with pytest.raises(GivenUp):
        request_difference(CODING_AGENT, CODING_AGENT, given_up=given_up, progress=tell)
    assert stages == ["comparing", "counting tokens"]
