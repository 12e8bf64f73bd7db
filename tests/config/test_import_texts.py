"""Instruction chains and Markdown with front matter."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.compositions import Problems, Write
from workbench.config import open_composition
from workbench.config.composition import load
from workbench.config.model import SectionEntry
from workbench.prompt import preview

REAL = Path(__file__).parents[3] / "shared/data/dsh/instructions"


HUGE = b"-" * (50 * 1024 * 1024)


def lay_out(write: Write) -> None:
    write("project/.git/HEAD", "")
    write("project/AGENTS.md", "Root.\n")
    write("project/a/AGENTS.md", "Of a: {{x}}.\n")
    write("project/a/b/CLAUDE.md", "Of b.\nMore.\n")
    Path("project/CLAUDE.md").symlink_to("AGENTS.md")


def no_link(write: Write, name: str, text: str) -> None:
    Path(name).unlink()
    write(name, text)


def only_section(path: Path) -> SectionEntry:
    [section] = load(path).entries.sections
    return section


def test_a_chain_is_one_literal_section(write: Write) -> None:
    lay_out(write)
    section = only_section(write("c.yml", "imports: [{instructions: project/a/b}]"))
    assert (section.name, section.order, section.literal) == ("context:instructions", "INSTRUCTIONS", True)
    text, source = section.text
    assert text.endswith(
        "## AGENTS.md\n\nRoot.\n\n## a/AGENTS.md\n\nOf a: {{x}}.\n\n## a/b/CLAUDE.md\n\nOf b.\nMore."
    )
    places = [str(source.position(text, text.index(word))) for word in ("Root.", "{{x}}", "More")]
    assert places == ["project/AGENTS.md:1:1", "project/a/AGENTS.md:1:7", "project/a/b/CLAUDE.md:2:1"]


def test_the_report_has_the_sizes(write: Write) -> None:
    lay_out(write)
    [row] = load(write("c.yml", "imports: [{instructions: project/a}]")).rows
    assert row.taken_over == ("project/AGENTS.md (6 bytes)", "project/a/AGENTS.md (13 bytes)")


def test_root_and_limit_can_be_given(write: Write) -> None:
    lay_out(write)
    composition = load(
        write("c.yml", "imports: [{instructions: project/a/b, root: project/a, limit: 12, name: rules, order: 7}]")
    )
    [section] = composition.entries.sections
    assert (section.name, section.order) == ("rules", 7)
    assert "Root." not in section.text.value
    assert "[cut after line 0 of 1: instructions are limited to 12 bytes]" in section.text.value
    assert composition.notes == ("project/a/AGENTS.md: cut after line 0 of 1, because the limit is reached",)


def test_a_composition_inside_the_project_names_files_from_where_it_is(write: Write) -> None:
    lay_out(write)
    section = only_section(write("project/a/c.yml", "imports: [{instructions: .}]"))
    assert section.text.source.position(section.text.value, section.text.value.index("Root")).file in (
        "project/a/../AGENTS.md",
    )


@pytest.mark.parametrize("name", ["project/a/b/CLAUDE.md", "project/a/AGENTS.md", "project/AGENTS.md"])
async def test_an_instruction_file_opens_with_its_chain(name: str, write: Write) -> None:
    lay_out(write)
    async with open_composition(name) as opened:
        shown = await preview(opened.prompt, opened.assemble_context())
        assert shown.failures == ()
        assert shown.system is not None
        assert shown.system.count("Root.") == 1
        assert shown.system.count("\n## ") == name.count("/")


async def test_a_file_that_appears_is_noticed(write: Write) -> None:
    lay_out(write)
    async with open_composition(write("c.yml", "imports: [{instructions: project}]")) as opened:
        assert Path("project/CLAUDE.md") in opened.files_to_watch
        no_link(write, "project/CLAUDE.md", "New.\n")
        assert await opened.reload()
        shown = await preview(opened.prompt, opened.assemble_context())
        assert shown.system is not None
        assert shown.system.endswith("Root.\n\n## CLAUDE.md\n\nNew.")


def test_no_file_at_all_is_noted(write: Write) -> None:
    write("empty/.git/HEAD", "")
    composition = load(write("c.yml", "imports: [{instructions: empty}]"))
    assert composition.entries.sections == ()
    assert composition.notes == ("empty: there is no AGENTS.md or CLAUDE.md from empty/ down to here",)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfeA\x00", "project/AGENTS.md: this is UTF-16"),
        (b"a\n\x80", "project/AGENTS.md:2:1: this is not UTF-8"),
        (HUGE, "project/AGENTS.md: 16 MiB is the limit"),
    ],
    ids=["utf-16", "binary", "huge"],
)
def test_a_file_that_cannot_be_read_is_a_problem(
    content: bytes, said: str, write: Write, problems: Problems
) -> None:
    lay_out(write)
    write("project/AGENTS.md", content)
    found = problems("imports: [{instructions: project}, {instructions: nowhere}]\nlater: 1\n")
    assert len(found) == 3
    assert any(problem.startswith(said) for problem in found)
    assert any("nowhere: there is no such directory" in problem for problem in found)


@pytest.mark.skipif(not REAL.is_dir(), reason="the recorded instructions come with no release")
def test_a_real_chain_loads_each_real_file_once(write: Write) -> None:
    write("p/.git/HEAD", "")
    for name, target in (("root", ""), ("packages", "packages/"), ("docs", "docs/")):
        write(f"p/{target}AGENTS.md", (REAL / f"{name}.md").read_bytes())
    Path("p/CLAUDE.md").symlink_to("AGENTS.md")
    composition = load(
        write("c.yml", "imports: [{instructions: p/packages}, {instructions: p/docs, root: p/docs, name: docs}]")
    )
    assert [row.taken_over for row in composition.rows] == [
        ("p/AGENTS.md (16,070 bytes)", "p/packages/AGENTS.md (5,876 bytes)"),
        ("p/docs/AGENTS.md (10,635 bytes)",),
    ]
    whole = "".join(section.text.value for section in composition.entries.sections)
    for name in ("root", "packages", "docs"):
        assert whole.count((REAL / f"{name}.md").read_text().rstrip()) == 1


AGENT = """\
---
name: tides
description: Knows the tides.
model: harbor-1
tools: Read, Grep, WebFetch, mcp__x__y
color: blue
---

You know {{tides}}.
"""


def test_front_matter_describes_an_agent(write: Write) -> None:
    composition = load(write("t.md", AGENT))
    entries = composition.entries
    assert entries.description == "Knows the tides."
    assert [(agent.name, agent.model) for agent in entries.agents] == [("tides", "harbor-1")]
    assert [(plugin.use, plugin.config, plugin.scope) for plugin in entries.plugins] == [
        ("files", {"tools": ["read", "grep"]}, "tides"),
        ("web", {"tools": ["web_fetch"]}, "tides"),
    ]
    [section] = entries.sections
    assert (section.name, section.scope, section.literal) == ("tides", "tides", True)
    assert section.text.value == "You know {{tides}}."
    assert (section.text.source.line, section.text.source.column) == (9, 1)
    assert composition.notes == (
        't.md:5:8: no contributor has a tool "mcp__x__y", left out',
        't.md:6:1: "color" means nothing here, left out',
    )


async def test_the_agent_can_be_rendered(write: Write) -> None:
    write("t.md", AGENT)
    async with open_composition(write("c.yml", "persona: House.\nimports: [{markdown: t.md}]")) as opened:
        shown = await preview(opened.prompt, opened.assemble_context("tides"))
        assert shown.failures == ()
        assert shown.system is not None
        assert "House.\n\nYou know {{tides}}.\n\n#" in shown.system
        assert [tool.name for tool in shown.tools] == ["grep", "read", "web_fetch"]
        everybody = await preview(opened.prompt, opened.assemble_context("(global)"))
        assert everybody.tools == ()


def test_an_import_can_place_the_section(write: Write) -> None:
    write("t.md", "---\ndescription: x\n---\nText.")
    composition = load(
        write("c.yml", "agents: [{name: a}]\nimports: [{markdown: t.md, name: n, order: TEAM_POLICY, scope: a}]")
    )
    [section] = composition.entries.sections
    assert (section.name, section.order, section.scope) == ("n", "TEAM_POLICY", "a")
    assert [agent.name for agent in composition.entries.agents] == ["a"]


@pytest.mark.parametrize(
    ("text", "name", "body", "note"),
    [
        ("Text.\n", "t.md", "Text.\n", None),
        ("", "t.md", "", None),
        ("---\nname: n\n---\n", "n", "", None),
        ("---\n---\nText.", "t.md", "Text.", None),
        ("---\nname: [\n---\nText.", "t.md", "---\nname: [\n---\nText.", "t.md:3:1: "),
        ("---\nname: a: b\n---\nText.", "t.md", "---\nname: a: b\n---\nText.", "t.md:2:"),
        ("---\nProse.\n---\nText.", "t.md", "---\nProse.\n---\nText.", None),
        ("---\nname: n\nText.", "t.md", "---\nname: n\nText.", None),
        ("---\nname: 3\n---\nText.", "t.md", "Text.", 't.md:2:7: "name" must be a text, and this is the number 3'),
        (
            "---\nnmae: n\n---\nText.",
            "t.md",
            "Text.",
            't.md:2:1: "nmae" means nothing here, left out; did you mean',
        ),
        ("---\nname: a\nname: b\n---\nText.", "t.md", "Text.", "t.md:3:1: key"),
        ("---\ntools: {a: b}\n---\nText.", "t.md", "Text.", "t.md:2:8: a name of a tool was expected"),
        ("---\nname: !!js 1\n---\nText.", "t.md", "Text.", None),
    ],
)
def test_front_matter_of_all_kinds(text: str, name: str, body: str, note: str | None, write: Write) -> None:
    composition = load(write("t.md", text))
    [section] = composition.entries.sections
    assert section.text.value == body
    if name != "t.md" or note is not None:
        assert section.name == name
    if note is not None:
        assert composition.notes[0].startswith(note), composition.notes


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "c.yml:1:22: t.md: there is no such file"),
        (b"\x80", "c.yml:1:22: t.md: 1:1: this is not UTF-8"),
        ("---\n".encode("utf-16"), "c.yml:1:22: t.md: this is UTF-16"),
        (HUGE, "c.yml:1:22: t.md: 16 MiB is the limit"),
    ],
    ids=["missing", "binary", "utf-16", "huge"],
)
def test_markdown_that_cannot_be_read_is_a_problem(
    content: bytes | None, said: str, write: Write, problems: Problems
) -> None:
    if content is not None:
        write("t.md", content)
    found = problems("imports: [{markdown: t.md}]\nlater: 1\n")
    assert len(found) == 2
    assert found[0].startswith(said)


def test_included_markdown_has_its_front_matter_read(write: Write) -> None:
    write("t.md", "---\nname: tides\n---\nText.")
    composition = load(write("c.yml", "include: [t.md]\npersona: House."))
    assert [(section.name, section.order, section.text.value) for section in composition.entries.sections] == [
        ("tides", 10, "Text.")
    ]
    assert composition.entries.include_harness_identity
