"""An expected and an actual value, and the difference between them as text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

_AROUND = 2
"""Equal lines shown before and after a difference."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One expectation that was not met."""

    expectation: str
    """Such as `system`, `section_texts["a"]` or `register[2].fails`."""
    expected: str
    """Texts as they are, other values as JSON with one item a line."""
    actual: str

    def lines(self) -> list[str]:
        """The difference, line by line: `- ` expected, `+ ` actual, two blanks for what is equal."""
        expected, actual = self.expected.split("\n"), self.actual.split("\n")
        if _looks_alike(self.expected, self.actual):
            expected, actual = [repr(line) for line in expected], [repr(line) for line in actual]
        return list(_marked(expected, actual))


def difference(expectation: str, expected: Any, actual: Any) -> Difference | None:
    """None when both are the same value. Unlike in Python, `1`, `1.0` and `true` are three values."""
    if _canonical(expected) == _canonical(actual):
        return None
    return Difference(expectation, readable(expected), readable(actual))


def readable(value: Any) -> str:
    """A text as it is, any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _looks_alike(expected: str, actual: str) -> bool:
    """Whether the two differ only in white space, which nobody would see."""
    return expected.split() == actual.split()


def _marked(expected: list[str], actual: list[str]) -> Iterator[str]:
    matcher = SequenceMatcher(None, expected, actual, autojunk=False)
    for group in matcher.get_grouped_opcodes(_AROUND):
        if group[0][1] > 0:
            yield "  …"
        for tag, from_expected, to_expected, from_actual, to_actual in group:
            if tag == "equal":
                yield from (f"  {line}" for line in expected[from_expected:to_expected])
                continue
            yield from (f"- {line}" for line in expected[from_expected:to_expected])
            yield from (f"+ {line}" for line in actual[from_actual:to_actual])
        if group[-1][2] < len(expected):
            yield "  …"
