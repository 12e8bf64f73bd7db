"""Every expectation of the corpus, made wrong: the runner must notice each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from workbench.check.case_format import Case
from workbench.check.cases import LoadedCase, load_cases, run_case

CASES, _ = load_cases([Path(__file__).parent / "prompt"])
NEVER = "text that no run gives"


def wrong_values(key: str, value: Any) -> Iterator[Any]:
    """Values that differ from a right one in one respect."""
    if key == "error":
        yield {"stage": "load" if value["stage"] != "load" else "render", "mentions": value["mentions"]}
        yield {"stage": value["stage"], "mentions": [*value["mentions"], NEVER]}
    elif isinstance(value, str):
        yield value + "\n"
        yield NEVER
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, list):
        yield [*value, {"name": NEVER} if key == "tools_full" else NEVER]
        if value:
            yield value[1:]
        if value != value[::-1]:
            yield value[::-1]
    elif isinstance(value, dict):
        yield value | {"never": NEVER}
        for name in value:
            yield value | {name: NEVER}
            if key == "variables":
                yield {other: value[other] for other in value if other != name}


def with_expectation(loaded: LoadedCase, key: str, value: Any) -> LoadedCase:
    data = loaded.case.model_dump(by_alias=True, exclude_unset=True)
    data["expect"] |= {key: value}
    return replace(loaded, case=Case.model_validate(data))


WRONG = [
    pytest.param(with_expectation(loaded, key, wrong), key, id=f"{loaded.case.id}-{key}-{number}")
    for loaded in CASES
    for key, value in loaded.case.expect.model_dump(exclude_unset=True).items()
    for number, wrong in enumerate(wrong_values(key, value))
]


def test_every_kind_of_expectation_is_made_wrong() -> None:
    keys = {str(parameters.values[1]) for parameters in WRONG}
    assert keys == {
        "sections", "section_texts", "system", "contexts", "context_snapshot", "tools", "tools_full",
        "variables", "changes", "error",
    }  # fmt: skip


@pytest.mark.parametrize(("loaded", "key"), WRONG)
async def test_a_wrong_expectation_fails(loaded: LoadedCase, key: str) -> None:
    result = await run_case(loaded)
    assert not result.passed
    assert all(difference.expectation.startswith(key) for difference in result.differences)


@pytest.mark.parametrize("loaded", CASES, ids=lambda loaded: loaded.case.id)
async def test_an_error_that_nobody_expects_fails(loaded: LoadedCase) -> None:
    """And so does an expected one that does not come."""
    expects_error = loaded.case.expect.error is not None
    data = loaded.case.model_dump(by_alias=True, exclude_unset=True)
    data["expect"] = {"changes": 0} if expects_error else {"error": {"stage": "render", "mentions": []}}
    result = await run_case(replace(loaded, case=Case.model_validate(data)))
    assert "error" in [difference.expectation for difference in result.differences]


REFUSING = [
    pytest.param(loaded, index, id=f"{loaded.case.id}-{index}")
    for loaded in CASES
    for index, entry in enumerate(loaded.case.register_)
    if entry.fails is not None
]


@pytest.mark.parametrize(("loaded", "index"), REFUSING)
async def test_a_refusal_for_another_reason_fails(loaded: LoadedCase, index: int) -> None:
    data = loaded.case.model_dump(by_alias=True, exclude_unset=True)
    data["register"][index]["fails"]["mentions"].append(NEVER)
    result = await run_case(replace(loaded, case=Case.model_validate(data)))
    assert f"register[{index}].fails" in [difference.expectation for difference in result.differences]


@pytest.mark.parametrize(("loaded", "index"), REFUSING)
async def test_a_refusal_that_nobody_announced_fails(loaded: LoadedCase, index: int) -> None:
    data = loaded.case.model_dump(by_alias=True, exclude_unset=True)
    del data["register"][index]["fails"]
    result = await run_case(replace(loaded, case=Case.model_validate(data)))
    error, *_ = result.differences
    assert error.expectation == "error"
    assert error.actual.startswith("register: ")
