"""The keys of a composition that runs: what is read, what is refused and where, and how files add up."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.compositions import Problems, Write
from workbench.config import load

WRONG = [
    ("models:\n  - name: a\n", '2:5: nobody answers for "a"; add `script:`, `replay:` or `endpoint:`'),
    ("models:\n  - {name: a, script: s, replay: [l]}\n", '2:34: "a" is script and replay at once'),
    (
        "models:\n  - {name: a, script: s}\n  - {name: a, script: t}\n",
        '3:12: there is a model provider "a" already, at 2:12',
    ),
    ("models:\n  - {name: a, endpoint: {api_key: x}}\n", "a key does not belong into a file"),
    ("models:\n  - {name: a, endpoint: {base_url: x, stream_idle_timeout_s: 0}}\n", "more than 0 seconds"),
    ("models:\n  - {name: a, script: s, context_windows: {m: 0}}\n", "2:47: a whole number above 0"),
    ("models:\n  - {name: a, endpoint: {base_url: x, max_tokens_key: max_token}}\n", 'did you mean "max_tokens"'),
    ("agents:\n  - {name: a, temperature: warm}\n", "2:28: a number was expected"),
    ("session_log: 5\n", "1:14: a text was expected"),
]


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_a_mistake_has_its_place(problems: Problems, text: str, said: str) -> None:
    found = problems(text)
    assert any(said in problem for problem in found), found


def test_an_endpoint_is_read_whole(write: Write) -> None:
    entries = load(
        write(
            "c.yml",
            "models:\n  - name: a\n    endpoint: {base_url: 'http://h/v1', headers: {X: y}, stream: false}\n"
            "    context_windows: {'*': 9}\n",
        )
    ).entries
    [model] = entries.models
    assert model.endpoint is not None
    assert (model.endpoint.base_url, model.endpoint.headers, model.endpoint.stream) == (
        "http://h/v1",
        {"X": "y"},
        False,
    )
    assert model.context_windows == {"*": 9}


def test_models_of_included_files(write: Write) -> None:
    write(
        "base/base.yml",
        "models:\n  - {name: a, script: s.yml}\n  - {name: b, script: s.yml}\nsession_log: l.jsonl\n",
    )
    entries = load(write("c.yml", "include: base/base.yml\nmodels:\n  - {name: b, replay: [l.jsonl]}\n")).entries
    first, second = entries.models
    assert first.script == str(Path("base") / "s.yml")
    assert (second.script, second.replay) == (None, ("l.jsonl",))
    assert entries.session_log == str(Path("base") / "l.jsonl")
