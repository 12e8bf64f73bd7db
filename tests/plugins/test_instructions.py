"""Instruction files: which are found, what of them is read, and where each character stands."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from workbench.core import Runtime
from workbench.plugins import first_party
from workbench.plugins.instruction_chain import INTRODUCTION, InstructionFile, instruction_chain
from workbench.prompt import AssembleContext, Preview, PromptConfig, SystemPrompt, preview, render_prompt

REAL = Path(__file__).parents[3] / "shared/data/dsh/instructions"


@pytest.fixture
async def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Runtime]:
    monkeypatch.chdir(tmp_path)
    async with Runtime() as runtime:
        await runtime.root.plugin(SystemPrompt, PromptConfig(include_harness_identity=False))
        yield runtime


@dataclass
class Agent:
    cwd: str | None


def write(name: str, text: str | bytes) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


def link(name: str, target: str) -> None:
    Path(name).symlink_to(target)


async def rendered(runtime: Runtime, cwd: str | None = None) -> str:
    agent = Agent(cwd) if cwd else None
    return render_prompt(await runtime.root.system_prompt.assemble(AssembleContext(agent=agent)))


async def shown(runtime: Runtime) -> Preview:
    return await preview(runtime.root.system_prompt, AssembleContext())


async def test_from_the_root_down_the_nearest_last(runtime: Runtime, tmp_path: Path) -> None:
    write(".git/HEAD", "")
    write("AGENTS.md", "Root {{rule}}.\n")
    write("a/CLAUDE.md", "Rule of a.\n")
    write("a/b/AGENTS.md", "Rule of b.\n")
    write("c/AGENTS.md", "Rule of c.\n")
    await runtime.root.plugin(first_party("instructions"), {"directory": "a/b"})
    assert await rendered(runtime) == (
        f"{INTRODUCTION}\n\n## AGENTS.md\n\nRoot {{{{rule}}}}.\n\n"
        "## a/CLAUDE.md\n\nRule of a.\n\n## a/b/AGENTS.md\n\nRule of b."
    )


async def test_each_character_leads_to_its_file(runtime: Runtime, tmp_path: Path) -> None:
    write(".git/HEAD", "")
    write("AGENTS.md", "First.\nSecond.\n")
    write("a/AGENTS.md", "Third.\nFourth.\n")
    await runtime.root.plugin(first_party("instructions"), {"directory": "a"})
    view = await shown(runtime)
    section = next(entry for entry in view.sections if entry.name == "context:instructions")
    assert section.source is not None
    places = {
        word: str(section.source.position(section.text, section.text.index(word)))
        for word in ("First", "econd", "Third", "Fourth")
    }
    assert places == {
        "First": f"{tmp_path / 'AGENTS.md'}:1:1",
        "econd": f"{tmp_path / 'AGENTS.md'}:2:2",
        "Third": f"{tmp_path / 'a/AGENTS.md'}:1:1",
        "Fourth": f"{tmp_path / 'a/AGENTS.md'}:2:1",
    }


async def test_a_link_is_not_loaded_twice(runtime: Runtime) -> None:
    write(".git/HEAD", "")
    write("AGENTS.md", "Once.\n")
    link("CLAUDE.md", "AGENTS.md")
    write("a/CLAUDE.md", "Of a.\n")
    link("a/AGENTS.md", "../AGENTS.md")
    await runtime.root.plugin(first_party("instructions"), {"directory": "a"})
    text = await rendered(runtime)
    assert text.count("Once.") == 1
    assert text.endswith("## a/CLAUDE.md\n\nOf a.")


async def test_without_a_root_the_directory_stands_alone(runtime: Runtime) -> None:
    write("AGENTS.md", "Outside.\n")
    write("a/AGENTS.md", "Inside.\n")
    await runtime.root.plugin(first_party("instructions"), {"directory": "a"})
    assert "Outside" not in await rendered(runtime)
    assert "Inside" in await rendered(runtime)


async def test_each_agent_reads_those_of_its_own_directory(runtime: Runtime, tmp_path: Path) -> None:
    write("a/AGENTS.md", "Of a.\n")
    write("b/AGENTS.md", "Of b.\n")
    await runtime.root.plugin(first_party("instructions"))
    assert "Of a." in await rendered(runtime, str(tmp_path / "a"))
    assert "Of b." in await rendered(runtime, str(tmp_path / "b"))
    assert await rendered(runtime, str(tmp_path / "nowhere")) == ""
    assert await rendered(runtime) == ""


async def test_a_change_is_seen_at_the_next_assembly(runtime: Runtime) -> None:
    await runtime.root.plugin(first_party("instructions"))
    assert await rendered(runtime) == ""
    write("AGENTS.md", "Old.\n")
    assert "Old." in await rendered(runtime)
    write("AGENTS.md", "Newer.\n")
    assert "Newer." in await rendered(runtime)
    os.unlink("AGENTS.md")
    assert await rendered(runtime) == ""


@pytest.mark.parametrize("content", [b"\xff\xfe\x00A", b"\x00\x01\x80\xfe", b"\xc3"])
async def test_what_cannot_be_read_is_said_and_left_out(
    runtime: Runtime, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    write(".git/HEAD", "")
    write("AGENTS.md", content)
    write("a/AGENTS.md", "Sound.\n")
    await runtime.root.plugin(first_party("instructions"), {"directory": "a"})
    with caplog.at_level(logging.WARNING):
        assert (await rendered(runtime)).endswith("## a/AGENTS.md\n\nSound.")
    assert "AGENTS.md is left out of the instructions" in caplog.text


def file(path: str, text: str) -> InstructionFile:
    return InstructionFile(path, path, text)


def test_the_limit_cuts_at_a_line_and_says_so() -> None:
    chain = instruction_chain([file("AGENTS.md", "one\ntwo\nthree\n")], 9)
    assert chain.text.endswith("one\ntwo\n\n[cut after line 2 of 3: instructions are limited to 9 bytes]")
    assert chain.remarks == ("AGENTS.md: cut after line 2 of 3, because the limit is reached",)


def test_the_nearest_file_is_kept_whole() -> None:
    chain = instruction_chain([file("AGENTS.md", "far\nfar\n"), file("a/AGENTS.md", "near\n")], 9)
    assert [(loaded.path, loaded.size, loaded.kept_lines) for loaded in chain.files] == [
        ("AGENTS.md", 8, 1),
        ("a/AGENTS.md", 5, 1),
    ]


def test_what_is_too_long_leaves_nothing_to_those_behind_it() -> None:
    chain = instruction_chain([file("AGENTS.md", "a\n"), file("a/AGENTS.md", "x" * 20)], 10)
    assert [loaded.kept_lines for loaded in chain.files] == [0, 0]
    assert chain.text.count("[cut after line 0 of 1") == 2


def test_a_link_that_became_a_file_is_none() -> None:
    chain = instruction_chain([file("AGENTS.md", "Rules.\n"), file("CLAUDE.md", "AGENTS.md")])
    assert [loaded.path for loaded in chain.files] == ["AGENTS.md"]
    chain = instruction_chain([file("AGENTS.md", "Rules.\n"), file("CLAUDE.md", "Rules.\n")])
    assert [loaded.path for loaded in chain.files] == ["AGENTS.md"]


def test_nothing_gives_nothing() -> None:
    assert instruction_chain([]).text == ""
    assert instruction_chain([file("AGENTS.md", " \n")]).text == ""


@pytest.mark.skipif(not REAL.is_dir(), reason="the recorded instructions come with no release")
@pytest.mark.parametrize("directory", ["packages", "docs"])
async def test_a_real_chain_loads_each_real_file_once(runtime: Runtime, directory: str) -> None:
    write(".git/HEAD", "")
    texts = {name: (REAL / f"{name}.md").read_text() for name in ("root", "packages", "docs")}
    write("AGENTS.md", texts["root"])
    link("CLAUDE.md", "AGENTS.md")
    for name in ("packages", "docs"):
        write(f"{name}/AGENTS.md", texts[name])
    await runtime.root.plugin(first_party("instructions"), {"directory": directory})
    assert await rendered(runtime) == (
        f"{INTRODUCTION}\n\n## AGENTS.md\n\n{texts['root'].rstrip()}\n\n"
        f"## {directory}/AGENTS.md\n\n{texts[directory].rstrip()}"
    )
