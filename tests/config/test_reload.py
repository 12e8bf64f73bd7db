"""Edits: applied as a whole, or refused with the last good state kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.compositions import Write
from tests.support.snapshots import in_any_order
from workbench.config import opened as opened_module
from workbench.config.opened import OpenedComposition, open_composition
from workbench.prompt import render_prompt

GOOD = "include_harness_identity: false\npersona: one\n"


async def system(opened: OpenedComposition) -> str:
    return render_prompt(await opened.prompt.assemble(opened.assemble_context()))


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened_module, "HALF_SAVED_SECONDS", 0.05)


@pytest.fixture
async def opened(write: Write) -> AsyncIterator[OpenedComposition]:
    async with open_composition(write("c.yml", GOOD)) as opened:
        yield opened


async def test_an_edit_is_applied_to_the_same_runtime(opened: OpenedComposition, write: Write) -> None:
    told: list[str] = []
    end = opened.on_change(lambda: told.append("changed"))
    heard: list[str] = []
    opened.runtime.root.on("system-prompt/change", lambda: heard.append("prompt"))
    runtime = opened.runtime

    write("c.yml", GOOD.replace("one", "two") + "plugins: [todo]\n")
    assert await opened.reload()
    assert await system(opened) == "two"
    assert (opened.problems, opened.runtime is runtime) == ((), True)
    assert told == ["changed"]
    assert heard

    assert await opened.reload()  # nothing new
    assert told == ["changed"]
    end()


async def test_reloading_leaves_what_a_fresh_start_would_make(opened: OpenedComposition, write: Write) -> None:
    other = (
        GOOD
        + "agents: [{name: a, model: m}]\nplugins: [todo]\nsections: [{name: x, order: 1, text: x, scope: a}]\n"
    )
    before = in_any_order(opened.runtime.snapshot())
    write("c.yml", other)
    await opened.reload()
    async with open_composition("c.yml") as fresh:
        assert in_any_order(opened.runtime.snapshot()) == in_any_order(fresh.runtime.snapshot())
    write("c.yml", GOOD)
    await opened.reload()
    assert in_any_order(opened.runtime.snapshot()) == before


EDITS = (
    GOOD,
    "persona: two\nscopes: [{name: s}]\nvariables: [{name: v, value: w, scope: s}]\nplugins: [todo]\n",
    "plugins: [todo, {use: files, config: {tools: [read]}}]\nagents: [{name: a, model: m, persona: p}]\n",
    "tool_order: [read, <unlisted-tools>]\nplugins: [no_such_module_at_all:x]\n",
    "scopes: [{name: s}]\nrestrictions: [{scope: s, deny: [nothing]}]\n",
    "persona: {{model}}\n",
    "",
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(EDITS), max_size=5), st.sampled_from(EDITS[:3]))
def test_whatever_was_edited_the_end_is_that_of_a_fresh_start(edits: list[str], last: str) -> None:
    async def run(path: Path) -> None:
        async with open_composition(path) as opened:
            for text in (*edits, last):
                path.write_text(text)  # noqa: ASYNC240 - a few bytes
                await opened.reload()
            assert opened.problems == ()
            async with open_composition(path) as fresh:
                assert in_any_order(opened.runtime.snapshot()) == in_any_order(fresh.runtime.snapshot())

    with TemporaryDirectory() as folder:
        path = Path(folder) / "c.yml"
        path.write_text(GOOD)
        asyncio.run(run(path))


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("persona: {{model}}\n", "c.yml:1:10: a text was expected"),
        ("persona: 'one\n", "is never closed"),
        ("plugins: [nothing-like-it]\n", "there is no plugin"),
        ("persona: {file: gone.md}\n", "gone.md: there is no such file"),
        ("scopes: [{name: a}]\nrestrictions: [{scope: a, deny: [nothing]}]\n", "c.yml:2:16: "),
        ("", "the file is empty now"),
        (" \n\n", "the file is empty now"),
        (b"\xff\xfe\x00", "UTF-16"),
    ],
)  # fmt: skip
async def test_a_broken_edit_keeps_the_last_good_state(
    opened: OpenedComposition, write: Write, broken: str | bytes, said: str
) -> None:
    told: list[int] = []
    opened.on_change(lambda: told.append(len(opened.problems)))
    write("c.yml", broken)
    assert not await opened.reload()
    assert said in "\n".join(map(str, opened.problems))
    assert await system(opened) == "one"
    assert not await opened.reload()
    assert told == [1]  # not told again and again of the same

    write("c.yml", GOOD)
    assert await opened.reload()
    assert (opened.problems, told) == ((), [1, 0])


async def test_a_comment_is_an_empty_composition_also_as_an_edit(opened: OpenedComposition, write: Write) -> None:
    write("c.yml", "# nothing\n")
    assert await opened.reload()
    assert "one" not in await system(opened)


async def test_an_observer_that_raises_stops_no_other(
    opened: OpenedComposition, write: Write, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[str] = []

    def raises() -> None:
        raise RuntimeError("observer")

    opened.on_change(raises)
    opened.on_change(lambda: told.append("second"))
    write("c.yml", GOOD.replace("one", "two"))
    await opened.reload()
    assert told == ["second"]
    assert "an observer of c.yml raised" in caplog.text


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.01)


async def test_files_are_followed(write: Write) -> None:
    write("texts/p.md", "one")
    plugin = "inject = ['system_prompt']\ndef apply(ctx):\n    ctx.system_prompt.section('p', 1, 'old')\n"
    write("plug.py", plugin)
    text = "include_harness_identity: false\npersona: {file: texts/p.md}\nplugins: [plug.py]\n"
    changes: list[str] = []
    async with open_composition(write("c.yml", text)) as opened:

        async def note() -> None:
            changes.append(await system(opened))

        opened.on_change(lambda: tasks.append(asyncio.ensure_future(note())))
        tasks: list[asyncio.Future[None]] = []
        write("texts/p.md", "two")  # before watching begins: found all the same
        opened.watch()
        await until(lambda: changes[-1:] == ["two\n\nold"])
        write("plug.py", plugin.replace("old", "new"))
        await until(lambda: changes[-1:] == ["two\n\nnew"])

        # Many editors write another file and rename it.
        write("c.yml.tmp", text + "sections: [{name: s, order: 2, text: more, literal: true}]\n").rename("c.yml")
        await until(lambda: changes[-1:] == ["two\n\nnew\n\nmore"])

        # A file that names a new one in a folder that was not watched yet.
        write("c.yml", text.replace("texts/p.md", "later/q.md"))
        await until(lambda: bool(opened.problems))
        assert "later/q.md: there is no such file" in str(opened.problems[0])
        write("later/q.md", "three")
        await until(lambda: not opened.problems)
        await until(lambda: changes[-1:] == ["three\n\nnew"])
        await asyncio.gather(*tasks)


async def test_a_file_that_becomes_a_link_is_followed_to_its_target(
    opened: OpenedComposition, write: Write
) -> None:
    opened.watch()
    target = write("elsewhere/real.yml", GOOD.replace("one", "two"))
    link = Path("new.yml")
    link.symlink_to(target)  # noqa: ASYNC240 - a moment
    link.rename("c.yml")  # noqa: ASYNC240 - a moment
    personas: list[str] = []

    def note() -> None:
        persona = opened.composition.entries.persona
        personas.append(persona.value if persona else "")

    opened.on_change(note)
    await until(lambda: personas[-1:] == ["two"])
    write("elsewhere/real.yml", GOOD.replace("one", "three"))
    await until(lambda: personas[-1:] == ["three"])


async def test_a_half_saved_file_is_not_called_broken(write: Write) -> None:
    path = write("c.yml", GOOD)
    told: list[tuple[object, ...]] = []
    async with open_composition(path) as opened:
        opened.on_change(lambda: told.append(opened.problems))
        path.write_text("")
        reading = asyncio.ensure_future(opened.reload(patient=True))
        await asyncio.sleep(0)
        path.write_text(GOOD.replace("one", "two"))
        assert await reading
    assert told == [()]


async def test_a_file_that_is_broken_from_the_start_can_be_mended(write: Write) -> None:
    path = write("c.yml", "persona: {{model}}\n")
    async with open_composition(path, even_if_broken=True) as opened:
        assert len(opened.problems) == 1
        assert "one" not in await system(opened)
        write("c.yml", GOOD)
        assert await opened.reload()
        assert (await system(opened), opened.problems) == ("one", ())


async def test_a_file_that_is_not_there_yet_can_appear(write: Write, tmp_path: Path) -> None:
    async with open_composition("later.yml", even_if_broken=True) as opened:
        opened.watch()
        write("later.yml", GOOD)
        await until(lambda: not opened.problems)
        assert await system(opened) == "one"
