"""Spans of random registries cover the text and hold what they claim (spec 9 and 10)."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings

from tests.prompt.steps import PROGRAMS, Step
from tests.prompt.world import World
from tests.support.searches import RELAXED
from workbench.core import Runtime
from workbench.prompt import (
    RUNTIME_CONTEXT_PREAMBLE,
    AssembleContext,
    EntryView,
    Failure,
    Preview,
    PromptAssembly,
    PromptConfig,
    RenderError,
    Span,
    SystemPrompt,
    preview,
    render_context_snapshot,
    render_prompt,
)


def check_spans(text: str, spans: tuple[Span, ...]) -> None:
    end = 0
    for span in spans:
        assert span.start == end
        assert span.end > span.start
        end = span.end
    assert end == len(text)


def check_pieces(world: World, shown: Preview, text: str, spans: tuple[Span, ...]) -> None:
    """Each span holds what it claims."""
    by_name: dict[tuple[str, str], list[EntryView]] = {}
    for view in (*shown.sections, *shown.contexts):
        if view.state == "effective":
            by_name.setdefault((view.kind, view.name), []).append(view)
    values = {view.name: view for view in shown.variables if view.state == "effective"}
    for span in spans:
        piece = text[span.start : span.end]
        if span.part == "separator":
            assert piece == "\n\n"
            continue
        if span.part == "header":
            assert piece == RUNTIME_CONTEXT_PREAMBLE
            continue
        views = by_name[span.part, span.name]
        if span.variable is not None:
            assert piece == values[span.variable].value
            assert span.listener == (values[span.variable].set_by is not None)
            continue
        assert any(piece in view.text for view in views)
        if span.listener:
            assert any(view.added_by is not None or view.changed_by for view in views)
        else:
            originals = [view.registered_text if view.registered_text is not None else view.text for view in views]
            assert any(piece in original for original in originals), (piece, originals)
            if span.source is not None and span.source.file in world.files:
                assert world.character_at(span.source) == piece[0]


async def previewed(program: tuple[Step, ...]) -> None:
    async with Runtime() as rt:
        await rt.root.plugin(SystemPrompt, PromptConfig(include_harness_identity=False))
        world = World(rt)
        for step in program:
            asked = world.perform(step)
            if asked is None:
                continue
            context = AssembleContext(scope=world.key(asked.scope))
            expected = world.model.outcome(asked.scope)
            shown = await preview(rt.root.system_prompt, context)
            if expected.several_complete:
                assert shown.failures[0].code == "complete"
                continue
            assembly = await rt.root.system_prompt.assemble(context)
            check_failures(assembly, shown.failures)
            assert tuple(view.name for view in shown.sections if view.state == "effective") == expected.sections
            assert tuple(view.name for view in shown.contexts if view.state == "effective") == expected.contexts
            for text, spans, made in (
                (shown.system, shown.spans, expected.system),
                (shown.context, shown.context_spans, expected.snapshot),
            ):
                if isinstance(made, str):
                    assert text == made
                    check_spans(made, spans)
                    check_pieces(world, shown, made, spans)
                else:
                    assert text is None
            listeners = [
                each for each in world.model.listeners if each.step.layer in world.model.chain(asked.scope)
            ]
            assert len(shown.trace.listeners) == len(listeners)


def check_failures(assembly: PromptAssembly, failures: tuple[Failure, ...]) -> None:
    """The first failure is what rendering raises."""
    raised: list[RenderError] = []
    for render in (render_prompt, render_context_snapshot):
        try:
            render(assembly)
        except RenderError as error:
            raised.append(error)
    told = [(each.message, each.offset, each.part, each.name) for each in failures]
    assert all((str(error), error.offset, error.part, error.name) in told for error in raised)
    assert [failure.message for failure in failures[:1]] == [str(error) for error in raised[:1]]


@given(program=PROGRAMS)
@settings(RELAXED, max_examples=120, derandomize=True)
def test_random_previews(program: tuple[Step, ...]) -> None:
    asyncio.run(previewed(program))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@given(program=PROGRAMS)
@settings(RELAXED, max_examples=5_000)
def test_many_random_previews(program: tuple[Step, ...]) -> None:
    asyncio.run(previewed(program))
