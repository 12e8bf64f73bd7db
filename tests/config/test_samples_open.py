"""What each sample shows when it is opened."""

from __future__ import annotations

import pytest

from workbench.config import LoadError, open_composition
from workbench.config.samples import Sample, samples
from workbench.prompt import Failure, Preview, preview

EVERY_SAMPLE = {sample.name: sample for sample in samples()}
SOUND = [sample for sample in EVERY_SAMPLE.values() if not sample.is_broken]

REFUSED = {
    "broken-duplicate-key": ['11:5: key "order" is given twice, first at 9:5; neither value is used'],
    "broken-list-after-empty": ["6:1: the list continues after an empty list; remove `[]`"],
    "broken-missing-file": ["9:9: ", "12:5: "],
    "broken-unknown-key": ["8:1: ", "12:5: ", "17:7: ", "18:10: ", "22:12: ", "24:12: "],
    "broken-unquoted-braces": ["8:10: a text was expected, and braces without quotes are a mapping; quote it"],
}
FAILING = {
    "broken-unknown-variable": ("main", "render", "unknown", "18:18"),
    "broken-no-value": ("shallow", "render", "no value", "8:55"),
    "broken-malformed": ("(global)", "render", "malformed", "13:20"),
    "broken-two-complete": ("main", "assemble", "complete", ""),
    "broken-tool-order": ("main", "assemble", "tool_order", ""),
    "broken-provider": ("main", "assemble", "raised", ""),
}
NOTED = {
    "broken-raising-plugin": [
        "plugin raises failed",
        "plugin unfinished failed",
        "never_ends is loading",
        "waits for foghorn",
    ],
    "broken-taken-name": ["plugin shell failed: section 'tool:bash' is already registered"],
}


NOTES = {"import-harness": 3}
"""Of sound samples: what an import has to say."""


async def seen(sample: Sample, label: str | None = None) -> tuple[Preview, tuple[str, ...]]:
    async with open_composition(sample.path, settle_seconds=0.5 if sample.name in NOTED else 10) as opened:
        return await preview(opened.prompt, opened.assemble_context(label)), opened.notes


def test_every_broken_sample_is_expected_to_show_something() -> None:
    assert {*REFUSED, *FAILING, *NOTED} == {name for name, sample in EVERY_SAMPLE.items() if sample.is_broken}


@pytest.mark.parametrize("sample", SOUND, ids=lambda sample: sample.name)
async def test_sound_samples_render_for_every_agent(sample: Sample) -> None:
    async with open_composition(sample.path, settle_seconds=40) as opened:
        assert len(opened.notes) == NOTES.get(sample.name, 0)
        for view in opened.scopes:
            if view.agent is not None:
                shown = await preview(opened.prompt, opened.assemble_context(view.label))
                assert shown.failures == ()
                assert shown.system
                assert "\n\n\n\n" not in shown.system


@pytest.mark.parametrize("name", REFUSED)
async def test_refused_samples_say_where_and_why(name: str) -> None:
    with pytest.raises(LoadError) as caught:
        await seen(EVERY_SAMPLE[name])
    said = [str(problem).split(".yml:", 1)[1] for problem in caught.value.problems]
    assert len(said) == len(REFUSED[name])
    for problem, beginning in zip(said, REFUSED[name], strict=True):
        assert problem.startswith(beginning)


@pytest.mark.parametrize("name", FAILING)
async def test_samples_that_cannot_be_sent_say_where_and_why(name: str) -> None:
    label, stage, code, place = FAILING[name]
    shown, _ = await seen(EVERY_SAMPLE[name], label)
    failure: Failure = shown.failures[0]
    assert (failure.stage, failure.code) == (stage, code)
    if place and failure.position is not None:
        assert f"{failure.position.line}:{failure.position.column}" == place


async def test_the_failure_of_one_agent_is_not_that_of_another() -> None:
    shown, _ = await seen(EVERY_SAMPLE["broken-no-value"], "deep")
    assert shown.failures == ()
    assert shown.system is not None
    assert shown.system.endswith("powered by plumb-2. Your boat is .")


@pytest.mark.parametrize("name", NOTED)
async def test_plugins_that_fail_are_noted_and_the_rest_renders(name: str) -> None:
    shown, notes = await seen(EVERY_SAMPLE[name])
    assert shown.failures == ()
    assert len(notes) == len(NOTED[name])
    for note, fragment in zip(notes, NOTED[name], strict=True):
        assert fragment in note


async def test_the_waterfall_sample_shows_its_listeners() -> None:
    shown, _ = await seen(EVERY_SAMPLE["waterfall"])
    outcomes = [(listener.owner.plugin, str(listener.outcome)) for listener in shown.trace.listeners]
    assert outcomes == [
        ("house_voice", "passed"),
        ("route_hint", "passed"),
        ("stopwatch", "passed"),
        ("forgetful", "short-circuited"),
    ]
    added = next(entry for entry in shown.sections if entry.name == "route:hint")
    assert added.added_by is not None
    assert (added.added_by.plugin, shown.sections.index(added)) == ("route_hint", len(shown.sections) - 1)
    assert "ignored" in added.remark


async def test_the_big_sample_has_three_thousand_sections() -> None:
    shown, _ = await seen(EVERY_SAMPLE["big"])
    assert len([entry for entry in shown.sections if entry.owner.plugin == "catalogue"]) == 3000


async def test_a_takeover_silences_all_but_one_section() -> None:
    shown, _ = await seen(EVERY_SAMPLE["takeover"], "title-writer")
    assert shown.system is not None
    assert shown.system.startswith("Write a title")
    assert shown.tools == () or all(tool.state != "effective" for tool in shown.tools)
