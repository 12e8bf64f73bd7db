"""Two requests compared, in tokens."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.agent.log.big_logs import write_log
from tests.agent.log.building import assistant, text, user
from tests.support.previews import BASH, CODING_AGENT, CONTEXTS, FAILING, SECTIONS, TOOLS, VARIABLES, preview, tool
from workbench.agent.log import SessionLog
from workbench.agent.log.read_surface import ReadMessages
from workbench.agent.log.timeline import TimelineBuilder
from workbench.agent.verdicts.parts import message_part
from workbench.config.difference.messages import messages_difference
from workbench.config.difference.request import GivenUp, RequestDifference, request_difference
from workbench.prompt.views import EntryView, Preview
from workbench.tokens import PromptTexts, TokenCounter
from workbench.values.frozen import FrozenDict, freeze


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


SAID = tuple(
    freeze(each) for each in (user("Fix it."), assistant(1, 1, text("I look."))["message"], user("Go on."))
)


def test_messages_that_were_appended_break_nothing() -> None:
    difference = request_difference(CODING_AGENT, CODING_AGENT, messages=(SAID[:1], SAID))
    found = difference.prefix
    assert found is not None
    assert (found.part, found.first.name, found.lost) == ("messages", "message[1]", 0)
    assert states(difference) == [("message", "message[1]", "added"), ("message", "message[2]", "added")]
    assert not difference.is_same
    assert (difference.counted("same", "message"), difference.counted("same", "context")) == (1, 0)
    counter = TokenCounter.for_model("deepseek-chat")
    added = sum(counter.count_now(message_part(index, SAID[index]).text).tokens for index in (1, 2))
    assert difference.added_tokens is not None
    assert difference.added_tokens.tokens == added == found.read_anew


def test_a_message_that_is_another_one_is_where_it_breaks() -> None:
    """Of a conversation that was summed up, what stays behind the summary is seen as the same."""
    summed = freeze(user("Summary: it was fixed."))
    difference = request_difference(CODING_AGENT, CODING_AGENT, messages=(SAID, (summed, SAID[2])))
    found = difference.prefix
    assert found is not None
    assert (found.part, found.first.name, found.first.action) == ("messages", "message[0]", "changed")
    assert found.first.owner.plugin == "user"
    assert found.lost
    assert states(difference) == [("message", "message[0]", "changed"), ("message", "message[1]", "removed")]
    assert difference.counted("same", "message") == 1
    system, tools = difference.after.system, difference.after.all_tools
    assert system is not None
    assert found.kept == system.tokens + tools.tokens + found.kept_in_part
    same = request_difference(CODING_AGENT, CODING_AGENT, messages=(SAID, SAID))
    assert same.is_same
    assert same.prefix is None


def test_what_changes_before_the_messages_has_them_read_anew() -> None:
    """Also a tool behind the last one, which alone would only be appended."""
    tools = (*TOOLS, tool("zz", BASH, "One more."))
    after = preview(SECTIONS, CONTEXTS, tools, VARIABLES)
    before = preview(SECTIONS, CONTEXTS, TOOLS, VARIABLES)
    alone = request_difference(before, after).prefix
    found = request_difference(before, after, messages=(SAID, SAID)).prefix
    assert alone is not None
    assert found is not None
    assert (found.part, found.first.name) == ("tools", "zz")
    said = found.read_anew - alone.read_anew
    assert said > 0
    assert found.lost == alone.lost + said


@pytest.mark.parametrize("steps", [(0, 1), (5, 9), (9, 5), (0, 40)])
def test_messages_that_are_read_one_by_one_compare_as_those_that_are_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: tuple[int, int]
) -> None:
    write_log(tmp_path / "log.jsonl", 1, "compacts")
    log = SessionLog.open_now(tmp_path / "log.jsonl")
    builder = TimelineBuilder(log.header, event_of=log.events.__getitem__)
    for event in log.events:
        builder.add(event)
    rows = builder.finished().requests
    counter, never = TokenCounter.for_model(None), threading.Event()

    def both() -> list[Sequence[FrozenDict]]:
        return [builder.made_again.rebuilt(rows[step].sent).messages for step in steps]

    held = messages_difference(*both(), counter, never)
    monkeypatch.setattr("workbench.agent.log.made_again.AT_ONCE", 0)
    read = both()
    assert all(isinstance(each, ReadMessages) for each in read)
    assert messages_difference(*read, counter, never) == held
    log.close()
