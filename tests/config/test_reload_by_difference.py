"""An edit restarts what it changes and nothing else, and its end is that of a fresh start."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.support.compositions import Write
from tests.support.snapshots import in_any_order
from workbench.config.opened import OpenedComposition, open_composition
from workbench.config.registry.reading import RegistryReader
from workbench.prompt import Preview, preview, render_prompt

LISTENING = """\
inject = ["system_prompt"]
loads = 0

def apply(ctx, config):
    global loads
    loads += 1
    name = config["name"]
    count = iter(range(1, 100))
    ctx.system_prompt.section(f"count {name}", 500, lambda context: f"{name} {next(count)}")
    async def listen(assembly, context, next):
        assembly = await next()
        assembly.sections[0].text += f" <{name}>"
        return assembly
    if config.get("listens"):
        ctx.on("system-prompt/assemble", listen)
"""
HEAD = "include_harness_identity: false\npersona: start\n"


def plugins(*names: str) -> str:
    configs = [f"{{use: p.py, config: {{name: {name}, listens: {str(name.isupper()).lower()}}}}}" for name in names]
    return f"plugins: [{', '.join(configs)}]\n"


async def system(opened: OpenedComposition, label: str | None = None) -> str:
    return render_prompt(await opened.prompt.assemble(opened.assemble_context(label)))


def uids(opened: OpenedComposition) -> list[int | None]:
    return [fiber.uid for fiber in opened.runtime.fibers() if fiber.name == "p"]


@pytest.fixture
async def opened(write: Write) -> AsyncIterator[OpenedComposition]:
    write("p.py", LISTENING)
    async with open_composition(write("c.yml", HEAD + plugins("a", "b"))) as opened:
        yield opened


@pytest.mark.parametrize(
    "edit",
    [
        HEAD.replace("start", "other") + plugins("a", "b"),
        "# a comment moves everything\n" + HEAD + plugins("a", "b"),
        HEAD + "sections: [{name: s, order: 1, text: s}]\n" + plugins("a", "b"),
        HEAD + "agents: [{name: x, model: m}]\ntools: [{name: t, description: T.}]\n" + plugins("a", "b"),
        HEAD + plugins("a", "b", "c"),
        HEAD + plugins("b", "a"),
        HEAD + plugins("a", "b") + "variables: [{name: v, value: w}]\n",
    ],
)
async def test_plugins_that_an_edit_does_not_name_go_on(opened: OpenedComposition, write: Write, edit: str) -> None:
    assert await system(opened) == "start\n\na 1\n\nb 1"
    before = uids(opened)
    write("c.yml", edit)
    assert await opened.reload()
    assert set(before) <= set(uids(opened))
    text = await system(opened)
    assert "a 2" in text
    assert "b 2" in text


async def test_a_plugin_with_another_config_is_loaded_again_alone(opened: OpenedComposition, write: Write) -> None:
    await system(opened)
    write("c.yml", HEAD + plugins("a", "z"))
    assert await opened.reload()
    assert await system(opened) == "start\n\na 2\n\nz 1"


async def test_a_changed_python_file_is_a_change_of_its_plugins(opened: OpenedComposition, write: Write) -> None:
    await system(opened)
    write("p.py", LISTENING.replace("{name} {", "new {name} {"))
    assert await opened.reload()
    assert await system(opened) == "start\n\nnew a 1\n\nnew b 1"


async def test_a_changed_text_file_is_a_change_of_its_section(opened: OpenedComposition, write: Write) -> None:
    write("s.md", "one")
    write("c.yml", HEAD + plugins("a", "b") + "sections: [{name: s, order: 1, text: {file: s.md}}]\n")
    await opened.reload()
    write("s.md", "two")
    before = uids(opened)
    assert await opened.reload()
    assert (await system(opened)).startswith("start\n\ntwo\n\n")
    assert uids(opened) == before


async def test_listeners_stay_in_the_order_of_the_file(opened: OpenedComposition, write: Write) -> None:
    write("c.yml", HEAD + plugins("A", "b", "C"))
    await opened.reload()
    assert (await system(opened)).startswith("start <C> <A>\n")
    write("c.yml", HEAD + plugins("X", "b", "C"))
    assert await opened.reload()
    text = await system(opened)
    assert text.startswith("start <C> <X>\n")
    assert "b 2" in text  # It listens to nothing, so nothing has to be kept behind X.


async def test_agents_and_scopes_keep_what_is_registered_in_them(opened: OpenedComposition, write: Write) -> None:
    text = (
        HEAD + "scopes: [{name: one}, {name: two}]\nagents: [{name: x, model: m1, scope: one}]\n"
        "sections: [{name: s, order: 1, text: 'in {{model}}', scope: x}, {name: t, order: 2, text: t, scope: two}]"
        "\n"
        "plugins: [{use: p.py, scope: x, config: {name: a}}]\n"
    )
    write("c.yml", text)
    await opened.reload()
    assert await system(opened, "x") == "start\n\nin m1\n\na 1"
    key = opened.scopes[2].key
    write("c.yml", text.replace("m1", "m2").replace("scope: one", "scope: two"))
    assert await opened.reload()
    assert await system(opened, "x") == "start\n\nin m2\n\nt\n\na 2"
    assert next(view.key for view in opened.scopes if view.label == "x") is key
    write(
        "c.yml",
        text.replace("{name: one}, {name: two}", "{name: one, scope: x}, {name: two}").replace(", scope: one", ""),
    )
    assert await opened.reload()
    assert await system(opened, "x") == "start\n\nin m1\n\na 3"


async def test_scopes_can_change_places(opened: OpenedComposition, write: Write) -> None:
    text = (
        HEAD + "scopes: [{name: o}, {name: i, scope: o}]\nsections: [{name: s, order: 1, text: of i, scope: i}]\n"
    )
    write("c.yml", text)
    await opened.reload()
    write("c.yml", text.replace("{name: o}, {name: i, scope: o}", "{name: o, scope: i}, {name: i}"))
    assert await opened.reload()
    assert await system(opened, "o") == "start\n\nof i"


async def test_a_scope_that_becomes_an_agent_starts_anew(opened: OpenedComposition, write: Write) -> None:
    text = HEAD + "scopes: [{name: x}]\nplugins: [{use: p.py, scope: x, config: {name: a}}]\n"
    write("c.yml", text)
    await opened.reload()
    await system(opened, "x")
    write("c.yml", text.replace("scopes: [{name: x}]", "agents: [{name: x}]"))
    assert await opened.reload()
    assert await system(opened, "x") == "start\n\na 1"


async def test_what_the_registry_refuses_leaves_running_plugins_alone(
    opened: OpenedComposition, write: Write
) -> None:
    await system(opened)
    before, snapshot = uids(opened), in_any_order(opened.runtime.snapshot())
    write(
        "c.yml",
        HEAD.replace("start", "no") + "scopes: [{name: s}]\nsections: [{name: n, order: 1, text: n}]\n"
        "restrictions: [{scope: s, deny: [nothing]}]\n" + plugins("a", "b"),
    )
    assert not await opened.reload()
    assert "nothing" in str(opened.problems[0])
    assert uids(opened) == before
    assert await system(opened) == "start\n\na 2\n\nb 2"
    assert in_any_order(opened.runtime.snapshot()) == snapshot


async def test_a_name_that_a_plugin_has_goes_to_the_entry(opened: OpenedComposition, write: Write) -> None:
    taken = HEAD + "sections: [{name: count a, order: 1, text: mine}]\n" + plugins("a", "b")
    write("c.yml", taken)
    assert await opened.reload()
    assert await system(opened) == "start\n\nmine\n\nb 1"
    assert "already registered" in opened.notes[0]
    write("c.yml", HEAD + plugins("a", "b"))
    assert await opened.reload()
    assert await system(opened) == "start\n\na 1\n\nb 2"


async def test_other_settings_restart_the_service(opened: OpenedComposition, write: Write) -> None:
    await system(opened)
    write("c.yml", HEAD + plugins("a", "b") + "tool_order: [<unlisted-tools>]\n")
    assert await opened.reload()
    assert await system(opened) == "start\n\na 1\n\nb 1"


async def test_code_that_is_no_plugin_fails_as_it_does_from_the_start(
    opened: OpenedComposition, write: Write
) -> None:
    write("n.py", "nothing = 1\n")
    before = await system(opened)
    write("c.yml", HEAD + "plugins: [n.py:nothing]\n")
    await opened.reload()
    async with open_composition("c.yml", even_if_broken=True) as fresh:
        assert (opened.notes, opened.problems) == (fresh.notes, fresh.problems)
    write("c.yml", HEAD + plugins("a", "b"))
    assert await opened.reload()
    assert await system(opened) == before


def seen(preview: Preview) -> str:
    """What a preview says, without the numbers of fibers, which say when a plugin was loaded."""
    parts = (
        preview.system,
        preview.context,
        [view for view in preview.sections if view.state == "effective"],
        preview.contexts,
        sorted(map(repr, preview.tools)),
        sorted(map(repr, preview.variables)),
        [failure.message for failure in preview.failures],
        [[listener.owner.plugin, listener.scope, listener.outcome] for listener in preview.trace.listeners],
    )
    return re.sub(r"fiber=\d+", "", repr(parts))


TOOL = "{type: object, properties: {a: {type: string}}}"
PIECES: dict[str, list[str]] = {
    "sections": [
        "{name: s, order: 3, text: s}", "{name: s, order: 3, text: changed}",
        "{name: s, order: 9, text: s, scope: x}", "{name: t, order: 3, text: 't {{v}}', literal: true}",
        "{name: u, order: 3.0, text: {file: t.md}, scope: y}",
    ],
    "contexts": ["{name: c, order: 1, text: c}", "{name: c, order: 2, text: d, scope: x}"],
    "variables": ["{name: v, value: w}", "{name: v, scope: x}", "{name: cwd, value: elsewhere, scope: y}"],
    "tools": [f"{{name: tool, description: D., parameters: {TOOL}}}", "{name: tool, description: E., scope: y}"],
    "plugins": [
        "todo", "{use: p.py, config: {name: A, listens: true}}", "{use: p.py, config: {name: B, listens: true}}",
        "{use: p.py, config: {name: c}, scope: y}", "{use: q.py, config: {name: Q, listens: true}, scope: x}",
        "{use: files, config: {tools: [read]}}",
    ],
    "restrictions": ["{scope: y, deny: [todo_write]}", "{scope: x, allow: []}"],
}  # fmt: skip
OPENINGS = [
    "persona: one\n", "persona: |\n  two\n  lines\n", "# comment\npersona: one\n",
    "include_runtime_context: false\n",
    "persona: three\ninclude_harness_identity: false\n",
]  # fmt: skip
SCOPES = [
    "scopes: [{name: x}]\nagents: [{name: y, model: m}]\n",
    "scopes: [{name: x}]\nagents: [{name: y, model: n, scope: x, persona: mine}]\n",
    "scopes: [{name: x, scope: y}]\nagents: [{name: y, cwd: /d}]\n",
    "agents: [{name: x}, {name: y, parent: x}]\n",
]
UNCOUNTED = LISTENING.replace("{next(count)}", "")
TEXTS = ["text one", "text two"]


@st.composite
def states(draw: st.DrawFn) -> tuple[str, str, str]:
    """A composition, the text file that it names, and the plugin file."""
    lines = draw(st.sampled_from(OPENINGS)) + draw(st.sampled_from(SCOPES))
    for kind, pieces in PIECES.items():
        chosen = draw(st.lists(st.sampled_from(pieces), max_size=3, unique=True))
        lines += f"{kind}: [{', '.join(chosen)}]\n"
    return lines, draw(st.sampled_from(TEXTS)), draw(st.sampled_from([UNCOUNTED, UNCOUNTED.replace("500", "7")]))


@settings(max_examples=12, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(st.lists(states(), min_size=1, max_size=5))
def test_any_edits_end_as_a_fresh_start_does(edits: list[tuple[str, str, str]]) -> None:
    async def run(path: Path) -> None:
        async with open_composition(path, even_if_broken=True) as opened:
            for composition, text, plugin in edits:
                path.write_text(composition)  # noqa: ASYNC240 - a few bytes
                (path.parent / "t.md").write_text(text)
                (path.parent / "p.py").write_text(plugin)
                (path.parent / "q.py").write_text(plugin)
                good = await opened.reload()
                async with open_composition(path, even_if_broken=True) as fresh:
                    assert [str(problem) for problem in opened.problems] == [
                        str(problem) for problem in fresh.problems
                    ]
                    if not good:
                        continue
                    assert in_any_order(opened.runtime.snapshot()) == in_any_order(fresh.runtime.snapshot())
                    for view in fresh.scopes:
                        ours = await preview(opened.prompt, opened.assemble_context(view.label))
                        theirs = await preview(fresh.prompt, fresh.assemble_context(view.label))
                        assert seen(ours) == seen(theirs)

    with TemporaryDirectory() as folder:
        path = Path(folder) / "c.yml"
        path.write_text("{}")
        asyncio.run(run(path))


async def test_a_plugin_that_a_person_stopped_and_started_is_that_of_the_file_again(
    opened: OpenedComposition, write: Write
) -> None:
    reader = RegistryReader(opened.runtime)
    uid = uids(opened)[0] or 0
    await reader.end_plugin(uid, "stop")
    outcome = await reader.start_plugin(uid)
    assert await system(opened) == "start\n\na 1\n\nb 1"
    write("c.yml", HEAD.replace("start", "other") + plugins("a", "b"))
    assert await opened.reload()
    assert outcome.uid in uids(opened)
    assert await system(opened) == "other\n\na 2\n\nb 2"
    write("c.yml", HEAD + plugins("b"))
    assert await opened.reload()
    assert outcome.uid not in uids(opened)
    assert await system(opened) == "start\n\nb 3"
