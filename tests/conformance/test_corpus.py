"""Every case of the corpus, run as `workbench test` runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.check.cases import LoadedCase, load_cases, run_case

CORPUS = Path(__file__).parent / "prompt"
CASES, PROBLEMS = load_cases([CORPUS])


def test_the_corpus_is_whole() -> None:
    assert PROBLEMS == []
    assert len(CASES) == 106


@pytest.mark.parametrize("loaded", CASES, ids=lambda loaded: loaded.case.id)
async def test_case(loaded: LoadedCase) -> None:
    result = await run_case(loaded)
    shown = [f"{found.expectation}:\n" + "\n".join(found.lines()) for found in result.differences]
    assert result.passed, f"{loaded.case.about}\n" + "\n".join(shown)
