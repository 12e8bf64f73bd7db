"""The catalogue of skills."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from workbench.core import Runtime
from workbench.plugins import first_party
from workbench.plugins.front_matter import split_front_matter
from workbench.prompt import AssembleContext, PromptConfig, SystemPrompt, preview, render_prompt
from workbench.tools import ToolRegistry


@pytest.fixture
async def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Runtime]:
    monkeypatch.chdir(tmp_path)
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig(include_harness_identity=False))
        await runtime.root.plugin(ToolRegistry)
        yield runtime


def write(name: str, text: str | bytes) -> None:
    path = Path(name, "SKILL.md")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


def skill(name: str, description: str) -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\n\nDo it.\n"


async def rendered(runtime: Runtime) -> str:
    return render_prompt(await runtime.root.system_prompt.assemble())


async def test_names_and_descriptions_are_listed(runtime: Runtime) -> None:
    write("skills/b", skill("tides", "Reads {{tide}} tables."))
    write("skills/a", skill("charts", ">-\n  Draws\n  charts."))
    await runtime.root.plugin(first_party("skills"))
    text = await rendered(runtime)
    assert text.endswith("\n\n- `charts`: Draws charts.\n- `tides`: Reads {{tide}} tables.")
    view = await preview(runtime.root.system_prompt, AssembleContext())
    (section,) = [entry for entry in view.sections if entry.name == "tool:skill"]
    assert section.source is not None
    place = section.source.position(section.text, section.text.index("Reads"))
    assert (Path(place.file), place.line) == (Path("skills/b/SKILL.md"), 1)


async def test_without_skills_there_is_nothing(runtime: Runtime) -> None:
    await runtime.root.plugin(first_party("skills"))
    assert (await runtime.root.system_prompt.assemble()).tools == []
    assert await rendered(runtime) == ""


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("Do it.\n", "it has no front matter"),
        ("---\nname: a\n---\n", "its front matter has no description"),
        ("---\nname: 1\ndescription: x\n---\n", "its front matter has no name"),
        ("---\n- a\n---\n", "its front matter has no name"),
        ("---\nname: [\n---\n", "its front matter is not YAML"),
        (b"\xff\xfe", "can't decode"),
        ("", "it has no front matter"),
    ],
)
async def test_what_is_no_skill_is_said_and_left_out(
    runtime: Runtime, content: str | bytes, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    write("skills/bad", content)
    write("skills/good", skill("good", "Works."))
    with caplog.at_level(logging.WARNING):
        await runtime.root.plugin(first_party("skills"))
    assert (await rendered(runtime)).endswith("\n\n- `good`: Works.")
    assert reason in caplog.text


async def test_of_one_name_the_first_counts(runtime: Runtime, caplog: pytest.LogCaptureFixture) -> None:
    write("one/a", skill("same", "First."))
    write("two/a", skill("same", "Second."))
    await runtime.root.plugin(first_party("skills"), {"folders": ["one", "two"]})
    assert (await rendered(runtime)).endswith("\n\n- `same`: First.")
    assert "skill same is left out" in caplog.text


async def test_a_description_of_any_length_stays_one_short_line(runtime: Runtime) -> None:
    write("skills/long", skill("long", "x" * 5000))
    await runtime.root.plugin(first_party("skills"))
    last = (await rendered(runtime)).splitlines()[-1]
    assert last.endswith("x…")
    assert len(last) < 1100


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("---\na: 1\n---\nBody\n", ("a: 1\n", "Body\n", 4)),
        ("---\na: 1\n---\n\n\nBody\n", ("a: 1\n", "Body\n", 6)),
        ("---\n---\nBody", ("", "Body", 3)),
        ("---\na: 1\n...\nBody", ("a: 1\n", "Body", 4)),
        ("---\na: 1\n---", ("a: 1\n", "", 3)),
        ("---\na: 1\nBody", None),
        ("Text\n---\na: 1\n---\n", None),
        ("", None),
    ],
)
def test_where_front_matter_ends(text: str, parts: tuple[str, str, int] | None) -> None:
    found = split_front_matter(text)
    assert (None if found is None else tuple(found)) == parts
