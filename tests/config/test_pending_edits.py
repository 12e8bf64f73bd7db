"""Edits that wait, and what an edit changes first."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.compositions import Write
from workbench.config.difference.first_change import FirstChange, common_prefix
from workbench.config.opened import OpenedComposition, UnknownScope, open_composition
from workbench.config.problems import LoadError
from workbench.prompt import preview, render_prompt

START = """\
include_harness_identity: false
persona: "You are {{model}}."
agents: [{name: main, model: m1}]
sections:
  - {name: one, order: 10, text: first}
  - {name: two, order: 20, text: second}
  - {name: three, order: 30, text: third}
contexts:
  - {name: now, order: 1, text: noon}
tools:
  - {name: t, description: T.}
"""


@pytest.fixture
async def opened(write: Write) -> AsyncIterator[OpenedComposition]:
    async with open_composition(write("c.yml", START)) as opened:
        opened.auto_apply = False
        yield opened


async def system(opened: OpenedComposition) -> str:
    return render_prompt(await opened.prompt.assemble(opened.assemble_context()))


async def test_an_edit_waits_until_it_is_applied(opened: OpenedComposition, write: Write) -> None:
    told: list[bool] = []
    opened.on_change(lambda: told.append(opened.pending is not None))
    before = await system(opened)
    write("c.yml", START.replace("second", "other"))
    assert not await opened.reload()
    assert not await opened.reload()
    assert (opened.problems, told) == ((), [True])
    assert await system(opened) == before
    assert "other" in str((await opened.pending_preview()).system)
    assert await opened.apply()
    assert "other" in await system(opened)
    assert (opened.pending, told) == (None, [True, False])
    assert await opened.apply()
    assert await opened.reload()


async def test_an_edit_that_is_taken_back_waits_no_longer(opened: OpenedComposition, write: Write) -> None:
    write("c.yml", START + "# more\n")
    await opened.reload()
    write("c.yml", START)
    assert await opened.reload()
    assert opened.pending is None


async def test_a_broken_edit_takes_the_place_of_one_that_waits(opened: OpenedComposition, write: Write) -> None:
    write("c.yml", START + "# more\n")
    await opened.reload()
    write("c.yml", START + "plugins: [nothing-like-it]\n")
    assert not await opened.reload()
    assert opened.pending is None
    assert "there is no plugin" in str(opened.problems[0])


async def test_a_discarded_edit_does_not_come_back_by_itself(opened: OpenedComposition, write: Write) -> None:
    write("c.yml", START.replace("second", "other"))
    await opened.reload()
    opened.discard()
    opened.discard()
    assert opened.pending is None
    await opened.reload()
    assert opened.pending is None


async def test_what_the_registry_would_refuse_is_seen_before(opened: OpenedComposition, write: Write) -> None:
    write("c.yml", START + "restrictions: [{scope: main, deny: [nothing]}]\n")
    await opened.reload()
    with pytest.raises(LoadError, match="nothing"):
        await opened.first_change()
    assert not await opened.apply()
    assert "second" in await system(opened)


async def change(opened: OpenedComposition, write: Write, old: str, new: str) -> FirstChange | None:
    write("c.yml", START.replace(old, new))
    await opened.reload()
    return await opened.first_change()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("second", "secret", ("section", "two", "changed", "c.yml:6:37", 23, 5)),
        ("m1", "m2", ("section", "deployment:persona", "changed", "c.yml:2:11", 9, 1)),
        ("  - {name: two, order: 20, text: second}\n", "", ("section", "two", "removed", "c.yml:6:34", 20, 5)),
        ("order: 30", "order: 15", ("section", "three", "moved", "c.yml:7:36", 20, 5)),
        ("contexts:", "  - {name: new, order: 40, text: x}\ncontexts:",
         ("section", "new", "added", "c.yml:8:34", 33, 7)),
        ("T.", "U.", ("tool", "t", "changed", "c.yml:11:28", 0, 1)),
        ("noon", "night", ("context", "now", "changed", "c.yml:9:34", 81, 3)),
    ],
)  # fmt: skip
async def test_the_first_change(
    opened: OpenedComposition, write: Write, old: str, new: str, said: tuple[object, ...]
) -> None:
    first = await change(opened, write, old, new)
    assert first is not None
    assert (first.part, first.name, first.action, str(first.position), first.offset, first.line) == said
    assert first.owner.plugin in ("c.yml", "deployment")
    assert f"{first.part} {first.name} of" in first.sentence


async def test_no_change(opened: OpenedComposition, write: Write) -> None:
    assert await opened.first_change() is None
    assert await change(opened, write, "agents:", "# comment\nagents:") is None
    with pytest.raises(UnknownScope):
        await opened.first_change("nobody")


async def test_what_an_applied_edit_has_changed(opened: OpenedComposition, write: Write) -> None:
    opened.auto_apply = True
    opened.observed_scope = "main"
    assert opened.last_edit is None
    write(
        "c.yml", START.replace("second", "other").replace("name: three", "name: four") + "plugins: [todo, shell]\n"
    )
    assert await opened.reload()
    assert opened.last_edit is not None
    assert [(each.kind, each.name, each.action, str(each.position)) for each in opened.last_edit.entries] == [
        ("section", "two", "changed", "c.yml:6:34"),
        ("section", "four", "added", "c.yml:7:35"),
        ("section", "three", "removed", "c.yml:7:36"),
    ]
    assert (opened.last_edit.loaded, opened.last_edit.stopped, opened.last_edit.kept) == (("todo", "shell"), (), 0)
    assert opened.last_change is not None
    assert (opened.last_change.name, opened.last_change.action) == ("two", "changed")
    write("c.yml", START + "plugins: [todo]\n")
    assert await opened.reload()
    assert (opened.last_edit.loaded, opened.last_edit.stopped, opened.last_edit.kept) == ((), ("shell",), 1)


async def test_the_offset_is_that_of_the_first_other_character(opened: OpenedComposition, write: Write) -> None:
    before = await preview(opened.prompt, opened.assemble_context())
    for old, new in (
        ("second", "secret"),
        ("order: 30", "order: 15"),
        ("order: 10, text: first", "order: 9, text: f"),
    ):
        first = await change(opened, write, old, new)
        after = await opened.pending_preview()
        assert first is not None
        assert before.system is not None
        assert after.system is not None
        assert before.system[: first.offset] == after.system[: first.offset]
        assert before.system[first.offset] != after.system[first.offset]


@given(st.text("ab", max_size=9), st.text("ab", max_size=9), st.integers(0, 5000))
def test_the_common_prefix(one: str, other: str, length: int) -> None:
    one, other = "x" * length + one, "x" * length + other
    end = common_prefix(one, other)
    assert one[:end] == other[:end]
    assert end == min(len(one), len(other)) or one[end] != other[end]
