"""The trace of one assembly (spec 9): outcomes, what each listener changed, and nothing without an observer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.prompt.providers import Next, edits, gives, says
from tests.support.plugins import Boom, Key, P, Traces
from workbench.core import Context, Runtime, create_scope
from workbench.core.watched_waterfall import WatchedDispatch
from workbench.core.waterfall import Dispatch
from workbench.prompt import (
    AssembleContext,
    ListenerSpan,
    NamedText,
    PromptAssembly,
    PromptFacade,
    ToolSchema,
    preview,
    render_prompt,
)
from workbench.prompt.recording import Recorder

EVENT = "system-prompt/assemble"
Edit = Callable[[PromptAssembly], object]


def change_rows(span: ListenerSpan) -> list[tuple[str, str, str, str]]:
    return [(change.kind, change.name, change.action, change.phase) for change in span.changes]


def appends(text: str) -> Edit:
    return lambda assembly: assembly.sections.append(NamedText(text, text))


def listen(listener: Any, ctx: Context) -> None:
    ctx.on(EVENT, listener)


async def traced(prompt: PromptFacade, scope: object = None) -> list[ListenerSpan]:
    return list((await preview(prompt, AssembleContext(scope=scope))).trace.listeners)


# Outcomes


async def test_outcomes(root: Context, prompt: PromptFacade) -> None:
    async def passing(_assembly: PromptAssembly, _context: AssembleContext, next: Next) -> PromptAssembly:
        return await next()

    async def stopping(assembly: PromptAssembly, _context: AssembleContext, _next: Next) -> PromptAssembly:
        return assembly

    root.on(EVENT, passing)
    root.on(EVENT, stopping)
    root.on(EVENT, passing)
    spans = await traced(prompt)
    assert [(span.label, span.outcome, span.next_calls) for span in spans] == [
        ("passing", "passed", 1),
        ("stopping", "short-circuited", 0),
    ]
    assert all(span.total_ns >= span.own_ns > 0 for span in spans)
    assert spans[0].total_ns >= spans[1].total_ns


async def test_listeners_behind_the_one_that_ends_it_are_named(root: Context, prompt: PromptFacade) -> None:
    def stopping(assembly: PromptAssembly, *_: object) -> PromptAssembly:
        return assembly

    class Late:
        async def __call__(
            self, _assembly: PromptAssembly, _context: AssembleContext, next: Next
        ) -> PromptAssembly:
            return await next()

    root.on(EVENT, stopping)
    root.on(EVENT, partial(Late()))
    root.on(EVENT, Late().__call__)
    trace = (await preview(prompt)).trace
    assert [span.label for span in trace.listeners] == ["stopping"]
    assert [(span.outcome, span.next_calls, span.work) for span in trace.not_reached] == [
        ("not reached", 0, ())
    ] * 2
    lines = {span.source.line for span in trace.not_reached if span.source is not None}
    assert lines == {Late.__call__.__code__.co_firstlineno}
    assert trace.not_reached[0].source is not None
    assert trace.not_reached[0].source.file == __file__


async def test_when_each_listener_was_at_work(root: Context, prompt: PromptFacade) -> None:
    """The pieces of a listener lie around those of the ones behind it, and know how long the text was."""

    async def outer(assembly: PromptAssembly, _context: AssembleContext, next: Next) -> PromptAssembly:
        appends("four")(assembly)
        result = await next()
        appends("eleven")(result)
        return result

    root.on(EVENT, outer)
    root.once(EVENT, edits(appends("two")))
    prompt.section("s", 1, "0123456789")
    prompt.context("c", 1, "abc")
    trace = (await preview(prompt)).trace
    first, second = trace.listeners
    base = first.work[0].size_before
    assert base is not None
    sizes = [(work.size_before, work.size_after) for work in (*first.work, *second.work)]
    assert sizes == [
        (base, base + 4),
        (base + 7, base + 13),
        (base + 4, base + 7),
        (base + 7, base + 7),
    ]
    times = [
        first.work[0].start_ns,
        first.work[0].end_ns,
        second.work[0].start_ns,
        second.work[0].end_ns,
        second.work[1].start_ns,
        second.work[1].end_ns,
        first.work[1].start_ns,
        first.work[1].end_ns,
    ]
    assert times == sorted(times)
    assert times[0] > 0
    assert times[-1] <= trace.duration_ns
    assert second.source is not None
    assert second.source.file.endswith("providers.py")


async def test_work_of_listeners_that_raise_await_twice_or_recover(root: Context, prompt: PromptFacade) -> None:
    async def both(_assembly: PromptAssembly, _context: AssembleContext, next: Next) -> PromptAssembly:
        with pytest.raises(Boom):
            await next()
        return await next()

    async def failing(assembly: PromptAssembly, _context: AssembleContext, _next: Next) -> PromptAssembly:
        appends("half")(assembly)
        raise Boom("no")

    root.on(EVENT, both)
    root.on(EVENT, failing)
    shown = await preview(prompt)
    outer, inner = shown.trace.listeners
    assert [(span.outcome, len(span.work)) for span in (outer, inner)] == [("passed", 2), ("raised", 1)]
    assert inner.work[0].size_before is not None
    assert inner.work[0].size_after == inner.work[0].size_before + 4
    assert all(work.start_ns <= work.end_ns for span in (outer, inner) for work in span.work)


async def test_not_awaited(root: Context, prompt: PromptFacade) -> None:
    def forgetful(assembly: PromptAssembly, _context: AssembleContext, next: Next) -> PromptAssembly:
        next()
        return assembly

    root.on(EVENT, forgetful)
    root.on(EVENT, edits(appends("never")))
    (span,) = await traced(prompt)
    assert (span.outcome, span.next_calls) == ("not awaited", 1)


async def test_next_twice(root: Context, prompt: PromptFacade) -> None:
    async def twice(assembly: PromptAssembly, _context: AssembleContext, next: Next) -> PromptAssembly:
        appends("before")(assembly)
        await next()
        appends("between")(assembly)
        result = await next()
        appends("after")(result)
        return result

    def stopping(assembly: PromptAssembly, *_: object) -> PromptAssembly:
        appends("stopping")(assembly)
        return assembly

    root.on(EVENT, twice)
    root.on(EVENT, stopping)
    root.on(EVENT, edits(appends("last")))
    spans = await traced(prompt)
    assert [(span.outcome, span.next_calls) for span in spans] == [
        ("passed", 2),
        ("short-circuited", 0),
        ("passed", 1),
    ]
    assert [change_rows(span) for span in spans] == [
        [
            ("section", "before", "added", "before next"),
            ("section", "between", "added", "before next"),
            ("section", "after", "added", "after next"),
        ],
        [("section", "stopping", "added", "after next")],
        [("section", "last", "added", "before next")],
    ]


async def test_a_listener_that_raised_and_one_that_went_on(rt: Runtime, prompt: PromptFacade) -> None:
    async def recovering(assembly: PromptAssembly, _context: AssembleContext, next: Next) -> PromptAssembly:
        try:
            return await next()
        except Boom:
            appends("recovered")(assembly)
            return assembly

    async def failing(assembly: PromptAssembly, _context: AssembleContext, _next: Next) -> PromptAssembly:
        appends("half done")(assembly)
        raise Boom("no")

    for name, listener in (("outer", recovering), ("middle", edits(appends("middle"))), ("inner", failing)):
        await rt.root.plugin(P(name, partial(listen, listener)))
    shown = await preview(prompt)
    spans = shown.trace.listeners
    assert [(span.owner.plugin, span.outcome, span.error) for span in spans] == [
        ("outer", "passed", None),
        ("middle", "passed", "Boom: no"),
        ("inner", "raised", "Boom: no"),
    ]
    assert [change_rows(span) for span in spans] == [
        [("section", "recovered", "added", "after next")],
        [("section", "middle", "added", "before next")],
        [("section", "half done", "added", "before next")],
    ]
    assert shown.trace.error is None
    assert [(view.name, view.owner.plugin) for view in shown.sections[1:]] == [
        ("middle", "middle"),
        ("half done", "inner"),
        ("recovered", "outer"),
    ]


async def test_a_listener_whose_owner_went_meanwhile(rt: Runtime, prompt: PromptFacade) -> None:
    disposers: list[Any] = []

    async def disposing(_assembly: PromptAssembly, _context: AssembleContext, next: Next) -> PromptAssembly:
        disposers.pop()()
        return await next()

    rt.root.on(EVENT, disposing)
    disposers.append(rt.root.on(EVENT, edits(appends("never"))))
    rt.root.on(EVENT, edits(appends("last")))
    assert [span.outcome for span in await traced(prompt)] == ["passed", "skipped", "passed"]


# Changes


@pytest.mark.parametrize("iterated", [False, True])
async def test_changes_of_every_kind(root: Context, prompt: PromptFacade, iterated: bool) -> None:
    for number, name in enumerate("abc", 1):
        prompt.section(name, number, f"text of {name}")
        prompt.context(name, number, f"text of {name}")
        prompt.variable(name, says(name))
    prompt.tools(gives(ToolSchema("t"), ToolSchema("u"), ToolSchema("v")))

    def change(assembly: PromptAssembly) -> None:
        if iterated:
            list(assembly.sections)
        assembly.sections[1].text = "changed"
        assembly.sections[2].literal = True
        assembly.contexts.pop(0)
        assembly.contexts.append(NamedText("d", "new"))
        assembly.variables["a"] = None
        assembly.variables["d"] = "new"
        del assembly.variables["b"]
        assembly.tools[0].description = "new"
        del assembly.tools[1]
        assembly.tools.append(ToolSchema("w"))

    root.on(EVENT, edits(change))
    (span,) = await traced(prompt)
    rows = [(c.kind, c.name, c.action, c.before, c.after) for c in span.changes if c.kind != "tool"]
    assert sorted(rows, key=str) == sorted(
        [
            ("section", "a", "changed", "text of a", "changed"),
            ("section", "b", "changed", "text of b", "text of b"),
            ("context", "a", "removed", "text of a", None),
            ("context", "d", "added", None, "new"),
            ("variable", "a", "changed", "a", None),
            ("variable", "b", "removed", "b", None),
            ("variable", "d", "added", None, "new"),
        ],
        key=str,
    )
    assert [c.remark for c in span.changes if c.name == "b" and c.kind == "section"] == ["literal from here on"]
    assert sorted((c.name, c.action) for c in span.changes if c.kind == "tool") == [
        ("t", "changed"),
        ("u", "removed"),
        ("w", "added"),
    ]
    assert {change.phase for change in span.changes} == {"before next"}


async def test_changes_after_next(root: Context, prompt: PromptFacade) -> None:
    root.on(EVENT, edits(appends("before"), appends("after")))
    root.on(EVENT, edits(None, appends("inner")))
    outer, inner = await traced(prompt)
    assert change_rows(outer) == [
        ("section", "before", "added", "before next"),
        ("section", "after", "added", "after next"),
    ]
    assert change_rows(inner) == [("section", "inner", "added", "after next")]


async def test_a_new_order_is_a_move_of_entries(root: Context, prompt: PromptFacade) -> None:
    prompt.section("a", 1, "a")
    prompt.section("b", 2, "b")
    prompt.tools(gives(ToolSchema("t"), ToolSchema("u")))

    def turn(assembly: PromptAssembly) -> None:
        assembly.sections.append(assembly.sections.pop(1))
        assembly.tools.reverse()

    root.on(EVENT, edits(turn))
    (span,) = await traced(prompt)
    assert {(change.kind, change.action) for change in span.changes} == {("section", "moved"), ("tool", "moved")}


async def test_a_new_assembly_that_is_not_returned_is_no_change(root: Context, prompt: PromptFacade) -> None:
    prompt.section("s", 1, "text")

    async def losing(assembly: PromptAssembly, _context: AssembleContext, next: Next) -> PromptAssembly:
        appends("lost")(PromptAssembly(list(assembly.sections)))
        return await next()

    root.on(EVENT, losing)
    (span,) = await traced(prompt)
    assert span.changes == ()


async def test_a_new_assembly_that_is_returned_is_compared(root: Context, prompt: PromptFacade) -> None:
    prompt.section("s", 1, "text")
    prompt.variable("v", says("x"))

    async def replacing(_assembly: PromptAssembly, _context: AssembleContext, next: Next) -> PromptAssembly:
        await next()
        return PromptAssembly([NamedText("s", "other"), NamedText("t", "new")])

    root.on(EVENT, replacing)
    (span,) = await traced(prompt)
    assert change_rows(span) == [
        ("section", "deployment:persona", "removed", "after next"),
        ("section", "s", "changed", "after next"),
        ("section", "t", "added", "after next"),
        ("variable", "v", "removed", "after next"),
    ]


async def test_listeners_without_effect_change_nothing(root: Context, prompt: PromptFacade) -> None:
    prompt.section("s", 1, "text")
    prompt.tools(gives(ToolSchema("t")))

    def look(assembly: PromptAssembly) -> None:
        assert [item.text for item in assembly.sections]
        assert assembly.tools[0].parameters

    root.on(EVENT, edits(look, look))
    root.on(EVENT, edits(lambda assembly: assembly.sections[0].text))
    assert [span.changes for span in await traced(prompt)] == [(), ()]


async def test_a_scoped_listener_has_its_scope(root: Context, prompt: PromptFacade, a: Key) -> None:
    create_scope(root, a).ctx.on(EVENT, edits())
    root.on(EVENT, edits())
    assert [span.scope for span in await traced(prompt, a)] == ["a", ""]
    assert [span.scope for span in await traced(prompt)] == [""]


async def test_stages(root: Context, prompt: PromptFacade, a: Key) -> None:
    prompt.section("whole", 1, "all", complete=True)
    prompt.context("c", 1, "x")
    create_scope(root, a).ctx.system_prompt.suppress_runtime_context()
    trace = (await preview(prompt, AssembleContext(scope=a))).trace
    assert [stage.name for stage in trace.stages] == [
        "collected",
        "ordered",
        "waterfall",
        "complete restored",
        "suppressed",
        "rendered",
    ]
    assert trace.stages[0].note == "2 sections, 1 contexts from global, a"
    assert trace.scope == "a"
    assert trace.duration_ns > 0
    assert trace.error is None
    assert sum(stage.duration_ns for stage in trace.stages[:-1]) <= trace.duration_ns


# Without an observer


async def test_without_an_observer_nothing_is_recorded(
    rt: Runtime, prompt: PromptFacade, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[type] = []
    for watched in (WatchedDispatch, Recorder):
        monkeypatch.setattr(watched, "__init__", lambda self, *_args: made.append(type(self)))
    rt.root.on(EVENT, edits())
    prompt.section("s", 1, "text")
    assert render_prompt(await prompt.assemble()) == "text"
    assert made == []


async def test_previews_leave_the_dispatch_of_others_alone(rt: Runtime, prompt: PromptFacade) -> None:
    methods = dict(vars(Dispatch))
    classes: list[type] = []

    async def looking(_assembly: PromptAssembly, _context: AssembleContext, next: Next) -> PromptAssembly:
        classes.extend(type(dispatch) for dispatch in rt.dispatches)
        return await next()

    rt.root.on(EVENT, looking)
    await preview(prompt)
    assert rt.dispatch_class is Dispatch
    await prompt.assemble()
    assert [kind.__name__ for kind in classes] == ["RecordingDispatch", "Dispatch"]
    assert dict(vars(Dispatch)) == methods


async def test_a_watcher_hears_of_previews_too(rt: Runtime, prompt: PromptFacade) -> None:
    traces = Traces(rt)
    rt.root.on(EVENT, edits())
    await preview(prompt)
    assert [owner for owner, _outcome, _asked in traces.last] == ["root"]
    traces.stop()
    assert rt.dispatch_class is Dispatch


async def test_a_preview_gives_what_an_assembly_gives(rt: Runtime, prompt: PromptFacade) -> None:
    prompt.section("s", 1, lambda context: f"{{{{v}}}} of {context.extras['x']}")
    prompt.variable("v", says("value"))
    rt.root.on(EVENT, edits(appends("before"), appends("after")))
    context = AssembleContext(extras={"x": "y"})
    before = rt.snapshot()
    for _ in range(3):
        shown = await preview(prompt, context)
        assert shown.assembly is not None
        assert shown.system == render_prompt(shown.assembly) == render_prompt(await prompt.assemble(context))
    assert rt.snapshot() == before
