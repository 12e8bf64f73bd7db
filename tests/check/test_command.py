"""`workbench check`: exit codes, the three formats, files that cannot be used, and hostile texts."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest
from typer.testing import Result

from tests.check.conftest import write
from tests.support.command_line import invoke
from workbench.check.checking import findings_of
from workbench.config import open_composition
from workbench.config.samples import Sample, samples

FOUND = "sections:\n  - {name: 'a,b:c', order: 1, text: \"100% {{ x }}\\n\"}\n"
HOSTILE = (
    'sections:\n  - name: "a [/] \\e]0;owned\\a"\n    order: 1\n'
    '    text: "[@click=app.quit]q[/] \\e[2J {{ \\e[31m }}"\n'
    "tools: [{name: \"\\e[2Jt\", description: 'd'}]\n"
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    write(tmp_path, clean_yml="persona: Hello.\n", found_yml=FOUND, broken_yml="persna: x\n", hostile_yml=HOSTILE)
    return tmp_path


def check(*arguments: str) -> Result:
    result = invoke("check", *arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.parametrize(
    ("files", "code"),
    [
        (["clean.yml"], 0),
        (["clean.yml", "found.yml"], 1),
        (["found.yml", "broken.yml", "clean.yml"], 2),
        (["nowhere.yml", "found.yml"], 2),
        (["big"], 0),
    ],
)
def test_exit_codes(files: list[str], code: int) -> None:
    assert check(*files).exit_code == code


def test_an_unusable_file_is_reported_and_the_next_is_checked() -> None:
    out = check("broken.yml", "nowhere.yml", "found.yml").output
    assert 'broken.yml:1:1: error file: unknown key "persna"' in out
    assert "nowhere.yml: error file: there is no such file or sample" in out
    assert "found.yml:2:43: error reference/malformed" in out
    assert out.endswith("3 errors, 0 warnings, 0 notes in 3 files, 2 of them unusable\n")


def test_the_line_of_the_file_stands_below_with_a_caret() -> None:
    lines = check("found.yml").output.splitlines()
    assert lines[1].startswith("    2 │   - {name:")
    assert lines[2].index("^") == lines[1].index("{{ x }}")
    assert lines[2].count("^") == len("{{ x }}")
    assert "owner found.yml · scope (global)" in lines[4]


def test_annotations_are_escaped_as_workflow_commands_want() -> None:
    [line] = check("found.yml", "-f", "github").output.splitlines()
    assert line == (
        "::error file=found.yml,line=2,col=43,title=reference/malformed::malformed reference {{ x }} in section "
        "a,b:c (1:6): not a variable name; register it as literal if somebody else wrote the text"
    )
    write(Path(), c_yml="sections: [{name: 's%', order: 1, text: '{{x}}'}]\n")
    assert "section s%25 (1:1)" in check("c.yml", "-f", "github").output
    Path("a,b:c%.yml").write_text(FOUND)
    assert "file=a%2Cb%3Ac%25.yml,line=2" in check("a,b:c%.yml", "-f", "github").output


def annotations(out: str) -> list[tuple[str, str, int, int, str]]:
    pattern = r"^::(error|warning|notice) file=(.*?),line=(\d+),col=(\d+),title=(.*?)::"
    return [(f, s, int(li), int(c), t) for s, f, li, c, t in re.findall(pattern, out, re.MULTILINE)]


SLOW = ("big", "broken-raising-plugin", "team-orchestrator")
"""3,000 sections, a plugin that never comes to an end, and one that loads a database."""
SMALL = [sample for sample in samples() if sample.name not in SLOW]
"""Quick to open."""


@pytest.mark.parametrize("sample", SMALL, ids=lambda sample: sample.name)
async def test_all_formats_and_the_screen_agree(sample: Sample) -> None:
    path = str(sample.path)
    async with open_composition(path, even_if_broken=True) as opened:
        findings = await findings_of(opened)
    expected = [(each.rule, each.severity, each.message) for each in findings]
    places = [(each.position.line, each.position.column) if each.position else (1, 1) for each in findings]

    page = json.loads((await asyncio.to_thread(check, path, "-f", "json")).output)
    [report] = page["files"]
    assert [(each["rule"], each["severity"], each["message"]) for each in report["findings"]] == expected
    assert page["errors"] == sum(severity == "error" for _, severity, _ in expected)
    lines = annotations((await asyncio.to_thread(check, path, "-f", "github")).output)
    assert [(title, (line, column)) for _, _, line, column, title in lines] == [
        (rule, place) for (rule, _, _), place in zip(expected, places, strict=True)
    ]
    text = (await asyncio.to_thread(check, path)).output
    for rule, severity, _message in expected:
        assert f"{severity} {rule}: " in text


@pytest.mark.parametrize("format", ["text", "github"])
def test_no_text_from_outside_steers_a_terminal(format: str) -> None:
    out = check("hostile.yml", "-f", format).output
    assert "\x1b" not in out
    assert "‹ESC›" in out
    assert "a [/] " in out


def test_json_keeps_the_original_characters() -> None:
    page = json.loads(check("hostile.yml", "-f", "json").output)
    names = {each["name"] for each in page["files"][0]["findings"]}
    assert "a [/] \x1b]0;owned\x07" in names


def test_the_providers_on_the_command_line_go_first() -> None:
    write(Path(), t_yml="tools: [{name: a.b, description: d}]\ncheck: {profiles: [openai]}\n")
    assert "openai refuses tool a.b" in check("t.yml").output
    assert check("t.yml", "--profile", "gemini").exit_code == 0


def test_a_provider_that_is_not_there_is_a_mistake_of_the_command_line() -> None:
    result = check("clean.yml", "-p", "antropic")
    assert result.exit_code == 2
    assert result.stderr == 'error: there is no profile "antropic"; did you mean "anthropic"?\n'
    assert result.stdout == ""


def test_a_file_of_a_provider_is_seen_from_the_working_directory(folder: Path) -> None:
    (folder / "inner").mkdir()
    write(folder / "inner", t_yml="tools: [{name: a.b, description: d}]\n")
    write(folder, mine_json='{"name": "mine", "rules": [{"rule": "name", "pattern": "[a-z]+", "source": "s"}]}')
    assert "mine refuses tool a.b" in check("inner/t.yml", "-p", "mine.json").output


def test_a_list_after_an_empty_list_and_a_key_given_twice() -> None:
    write(
        Path(),
        one_yml="[]\n- id: notes\n",
        two_yml="# only this comment\n",
        three_yml="- id: notes\n  order: 10\n  order: 20\n",
        four_yml="persona: {{model}}\n",
    )
    page = json.loads(check("one.yml", "two.yml", "three.yml", "four.yml", "-f", "json").output)
    found = {
        report["file"]: [(each["position"]["line"], each["position"]["column"]) for each in report["findings"]]
        for report in page["files"]
    }
    assert found["one.yml"] == [(2, 1)]
    assert found["two.yml"] == []
    assert found["three.yml"][0] == (3, 3)
    assert found["four.yml"] == [(1, 10)]


def test_sound_samples_are_clean_but_for_those_that_show_a_check() -> None:
    for sample in SMALL:
        if not sample.is_broken:
            code = check(str(sample.path)).exit_code
            assert (sample.name, code) == (sample.name, 1 if sample.name.startswith("check-") else 0)
