"""The compositions that come with the workbench."""

from __future__ import annotations

from itertools import takewhile
from pathlib import Path

import pytest

from workbench.config.problems import LoadError
from workbench.config.samples import find_sample, locate, samples


def test_every_sample_says_what_it_teaches() -> None:
    found = samples()
    assert {"coding-agent", "reviewers", "takeover", "waterfall", "big"} <= {sample.name for sample in found}
    for sample in found:
        lines = sample.path.read_text().splitlines()
        head = "\n".join(takewhile(lambda line: line.startswith("#"), lines))
        assert "It teaches: " in head, sample.name
        assert ("Broken on purpose" in head) == sample.is_broken, sample.name
        assert sample.description, sample.name


def test_those_that_work_come_first() -> None:
    broken = [sample.is_broken for sample in samples()]
    assert broken == sorted(broken)


@pytest.mark.parametrize("name", ["coding-agent", "coding-agent.yml"])
def test_a_sample_is_found_by_name(name: str) -> None:
    path = find_sample(name)
    assert path is not None
    assert path.name == "coding-agent.yml"


@pytest.mark.parametrize("name", ["", ".", "..", "../pyproject", "texts/security-reviewer", "nothing"])
def test_anything_else_is_none(name: str) -> None:
    assert find_sample(name) is None


def test_a_file_goes_before_a_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sample = locate("coding-agent")
    assert sample.is_absolute()
    Path("coding-agent").write_text("{}")
    assert locate("coding-agent") == Path("coding-agent")


def test_a_name_that_means_nothing_has_a_remedy() -> None:
    with pytest.raises(
        LoadError, match='coding-agnet: there is no such file or sample; did you mean "coding-agent"'
    ):
        locate("coding-agnet")
