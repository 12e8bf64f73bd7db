"""What is wrong in a file, where, and what to do about it.

Source: docs/compositions.md 12.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class LoadProblem:
    """One thing in one file that keeps it from being used."""

    file: str
    """As the person named it; relative paths stay relative."""
    line: int | None
    """From 1; None when the file as a whole is meant."""
    column: int | None
    """From 1, in characters."""
    path: str
    """Place in the structure, such as `plugins[2].config.tols`; empty for the file as a whole."""
    message: str
    remedy: str
    """What to do, as an imperative; empty when the message says it all."""

    @property
    def place(self) -> str:
        """`file:line:column`, as far as it is known."""
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" + (f"; {self.remedy}" if self.remedy else "")


MOST_PROBLEMS = 100
"""A file with more of them is no composition, or has one mistake many times."""


class LoadError(Exception):
    """Files that cannot be used. `problems` holds the reasons in the order of the file, a hundred at most."""

    def __init__(self, problems: Iterable[LoadProblem], files: tuple[Path, ...] = ()) -> None:
        self.problems = _not_too_many(sorted(problems, key=_reading_order))
        self.files = files
        """The file and those that it names, as far as they are known: a change of one may mend it."""
        super().__init__("\n".join(map(str, self.problems)))


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """A remedy: the nearest known word, else `otherwise`."""
    from difflib import get_close_matches  # 5 ms that only a mistake should cost

    near = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f'did you mean "{near[0]}"?' if near else otherwise


def _not_too_many(problems: list[LoadProblem]) -> tuple[LoadProblem, ...]:
    more = len(problems) - MOST_PROBLEMS
    if more <= 0:
        return tuple(problems)
    last = LoadProblem(problems[-1].file, None, None, "", f"there are {more:,} more problems", "mend these first")
    return (*problems[:MOST_PROBLEMS], last)


def _reading_order(problem: LoadProblem) -> tuple[str, int, int]:
    return problem.file, problem.line or 0, problem.column or 0
