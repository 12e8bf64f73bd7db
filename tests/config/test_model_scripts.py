"""Scripts of the scripted provider from YAML: every mistake with its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import workbench
from workbench.config.model_scripts import load_script, parse_script
from workbench.config.problems import LoadError
from workbench.models.script import ScriptedToolCall

SCRIPT = """\
sessions:
  - calls:
      - reasoning: think
        tool_calls:
          - {name: echo, arguments: {text: a, n: 1}}
          - name: raw
            arguments: '{"te'
      - text: |
          two
          lines
        usage: {input_tokens: 10, output_tokens: 3}
  - calls:
      - error: {code: RATE_LIMIT, message: slow down, status: 429, retry_after_ms: 1000}
"""


def test_a_script_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "script.yml"
    path.write_text(SCRIPT, encoding="utf-8")
    script = load_script(path)
    [first, second], [third] = script.sessions
    assert script.name == str(path)
    assert first.reasoning == "think"
    assert first.tool_calls == (
        ScriptedToolCall("call_1_1", "echo", '{"text":"a","n":1}'),
        ScriptedToolCall("call_1_2", "raw", '{"te'),
    )
    assert first.finish == "tool-calls"
    assert second.text == "two\nlines\n"
    assert second.usage == {"inputTokens": 10, "outputTokens": 3}
    assert third.error is not None
    assert third.error.failure["retryAfterMs"] == 1000


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("reasoning: think", "resoning: think", 's.yml:3:9: unknown key "resoning"; did you mean "reasoning"?'),
        ("n: 1", "n: .nan", "s.yml:5:50: nan is not a JSON number"),
        ("name: raw", "nam: raw", "s.yml:6:13: name is missing"),
        (
            "input_tokens: 10",
            "input_tokens: ten",
            "s.yml:11:31: a whole number from 0 was expected, and this is a text",
        ),
        (
            "code: RATE_LIMIT",
            "code: 5",
            's.yml:13:23: a text was expected, and this is the number 5; quote it: "5"',
        ),
        ("  - calls:\n      - err", "  - err", "s.yml:12:5: calls is missing"),
        ("  - calls:\n      - rea", "\t- rea", "s.yml:2:1: a tab cannot indent a line; use spaces"),
    ],
)
def test_the_line_of_a_mistake(old: str, new: str, problem: str) -> None:
    assert old in SCRIPT
    with pytest.raises(LoadError) as caught:
        parse_script(SCRIPT.replace(old, new, 1), "s.yml")
    assert problem in [str(each) for each in caught.value.problems]


def test_an_empty_script() -> None:
    with pytest.raises(LoadError, match="the script is empty"):
        parse_script("# nothing\n", "s.yml")


def test_a_key_given_twice_is_no_script() -> None:
    with pytest.raises(LoadError, match=r"s\.yml:4:9: .*twice"):
        parse_script("sessions:\n  - calls:\n      - text: a\n        text: b\n", "s.yml")


def test_the_script_of_the_page() -> None:
    page = Path(workbench.__file__).parent / "docs" / "models.md"
    [example] = re.findall(r"```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    [calls] = parse_script(example, "models.md").sessions
    assert [call.finish for call in calls] == ["tool-calls", "stop", "stop", "stop"]
    assert [call.hang for call in calls] == [False, False, False, True]
