"""What `render --format json` says of the cost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from workbench.tokens import TokenCounter

COMPOSITION = """\
persona: You are a reviewer in {{cwd}}.
agents:
  - {name: main, provider: deepseek, model: MODEL, cwd: /srv/app}
sections:
  - {name: "team:rules", order: 20000, text: Be short.}
  - {name: "team:gone", order: 20001, text: ""}
tools:
  - {name: look, description: Looks at a file., parameters: {type: object}}
"""


@pytest.fixture
def rendered(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)

    def render(model: str, *arguments: str) -> dict[str, Any]:
        Path("agent.yml").write_text(COMPOSITION.replace("MODEL", model), encoding="utf-8")
        document: dict[str, Any] = json.loads(cli("render", "agent.yml", "--format", "json", *arguments).out)
        return document

    return render


def test_every_part_and_every_whole_has_a_count_with_its_label(rendered: Any) -> None:
    document = rendered("deepseek-chat")
    counter = TokenCounter.for_model("deepseek-chat")
    sections = {section["name"]: section["tokens"] for section in document["sections"]}
    assert sections["team:rules"] == {
        "count": counter.count_now("Be short.").tokens,
        "label": "exact",
        "reason": "",
    }
    assert sections["team:gone"]["count"] == 0
    tokens = document["tokens"]
    assert tokens["model"] == "deepseek-chat"
    assert (tokens["system"]["count"], tokens["system"]["label"]) == (
        counter.count_now(document["system"]).tokens,
        "exact",
    )
    assert (
        document["tools"][0]["tokens"]["label"] == tokens["tools"]["label"] == tokens["request"]["label"] == "close"
    )
    assert tokens["request"]["count"] == sum(tokens[whole]["count"] for whole in ("system", "context", "tools"))


def test_a_model_that_is_not_known_gets_estimates_that_say_so(rendered: Any) -> None:
    document = rendered("tiny-4b")
    assert document["tokens"]["system"]["label"] == "estimate"
    assert document["tokens"]["system"]["reason"] == "no vocabulary is known for tiny-4b"


def test_what_cannot_be_rendered_has_no_count(rendered: Any) -> None:
    document = rendered("tiny-4b", "--scope", "(global)")
    assert document["tokens"]["system"] is None
    assert document["tokens"]["request"] is None
    [persona] = [section for section in document["sections"] if section["name"] == "deployment:persona"]
    assert persona["tokens"] is None
    assert [section["tokens"]["label"] for section in document["sections"] if section["name"] == "team:rules"] == [
        "estimate"
    ]
