"""Compares what a case expects with what came of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from workbench.check.case_format import Expect, ExpectedError, Stage
from workbench.check.differences import Difference, difference, readable
from workbench.prompt import NamedText, PromptAssembly, ToolSchema


@dataclass(frozen=True, slots=True)
class StageFailure:
    """The exception that ended a run, and the stage that raised it."""

    stage: Stage
    message: str


@dataclass(slots=True)
class Observed:
    """What came of a case, as far as its run got."""

    failure: StageFailure | None = None
    changes: int | None = None
    assembly: PromptAssembly | None = None
    system: str | None = None
    snapshot: str | None = None
    refusals: list[Difference] = field(default_factory=list)
    """Entries with `fails` that were accepted, or refused with another message."""


def unmet(expect: Expect, observed: Observed) -> Iterator[Difference]:
    """Every expectation that was not met, the failure of the run first."""
    yield from _unmet_error(expect.error, observed.failure)
    yield from observed.refusals
    for key, (read, compare) in _COMPARISONS.items():
        if key not in expect.model_fields_set:
            continue
        expected, actual = getattr(expect, key), read(observed)
        if actual is None:
            yield Difference(key, readable(expected), "(the run did not get there)")
        else:
            yield from compare(key, expected, actual)


def _unmet_error(expected: ExpectedError | None, failure: StageFailure | None) -> Iterator[Difference]:
    happened = "no error" if failure is None else f"{failure.stage}: {failure.message}"
    if expected is None:
        if failure is not None:
            yield Difference("error", "no error", happened)
        return
    if failure is None or failure.stage != expected.stage:
        yield Difference("error", f"an error in stage {expected.stage}", happened)
        return
    for fragment in expected.mentions:
        if fragment not in failure.message:
            yield Difference("error.mentions", f"a message with {fragment!r}", failure.message)


def _equals(key: str, expected: Any, actual: Any) -> Iterator[Difference]:
    if found := difference(key, expected, actual):
        yield found


def _each_text_equals(key: str, expected: dict[str, str], actual: dict[str, list[str]]) -> Iterator[Difference]:
    for name, text in expected.items():
        found = actual.get(name, [])
        shown = found[0] if len(found) == 1 else found or "(no section of that name)"
        yield from _equals(f'{key}["{name}"]', text, shown)


def _contains_each(key: str, expected: list[str], actual: str) -> Iterator[Difference]:
    for index, fragment in enumerate(expected):
        if fragment not in actual:
            yield Difference(f"{key}[{index}]", fragment, "(not in the system text)")


def _lacks_each(key: str, expected: list[str], actual: str) -> Iterator[Difference]:
    for index, fragment in enumerate(expected):
        offset = actual.find(fragment)
        if offset >= 0:
            line = actual.count("\n", 0, offset) + 1
            yield Difference(f"{key}[{index}]", "(not in the system text)", f"line {line}: {fragment}")


def _texts_by_name(assembly: PromptAssembly) -> dict[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for section in assembly.sections:
        texts.setdefault(section.name, []).append(section.text)
    return texts


def _names(entries: Iterable[NamedText | ToolSchema]) -> list[str]:
    return [entry.name for entry in entries]


def _whole_schemas(assembly: PromptAssembly) -> list[Any]:
    """The schemas as they are sent."""
    return [json.loads(tool.json) for tool in assembly.tools]


def _of_assembly(read: Callable[[PromptAssembly], Any]) -> Callable[[Observed], Any]:
    return lambda observed: None if observed.assembly is None else read(observed.assembly)


Comparison = Callable[[str, Any, Any], Iterator[Difference]]

_COMPARISONS: dict[str, tuple[Callable[[Observed], Any], Comparison]] = {
    "changes": (lambda observed: observed.changes, _equals),
    "sections": (_of_assembly(lambda assembly: _names(assembly.sections)), _equals),
    "section_texts": (_of_assembly(_texts_by_name), _each_text_equals),
    "contexts": (_of_assembly(lambda assembly: _names(assembly.contexts)), _equals),
    "tools": (_of_assembly(lambda assembly: _names(assembly.tools)), _equals),
    "tools_full": (_of_assembly(_whole_schemas), _equals),
    "variables": (_of_assembly(lambda assembly: dict(assembly.variables)), _equals),
    "system": (lambda observed: observed.system, _equals),
    "system_contains": (lambda observed: observed.system, _contains_each),
    "system_lacks": (lambda observed: observed.system, _lacks_each),
    "context_snapshot": (lambda observed: observed.snapshot, _equals),
}
"""How each expectation reads what was observed (None: the run did not get there), and how it compares."""
