"""A difference in the form that `diff -u` prints, for people and for `patch`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from workbench.config.difference.first_change import text_of
from workbench.config.difference.prompts import PartDifference
from workbench.config.difference.sequences import Run, runs
from workbench.prompt import EntryView, ToolView
from workbench.visible import visible_line

AROUND = 3
"""Lines that stay, before and behind those that differ."""


def unified_difference(parts: Sequence[PartDifference[Any]], names: tuple[str, str]) -> str:
    """All parts as files `NAME/kind/part`; one that has only moved has no lines. Empty where nothing differs."""
    return "".join(
        unified(_text(part.before), _text(part.after), *(f"{name}/{part.kind}/{part.name}" for name in names))
        for part in parts
    )


def unified(before: str, after: str, before_name: str, after_name: str) -> str:
    """One text; empty where nothing differs. Line ends are `\\n` alone."""
    if before == after:
        return ""
    old, new = _lines(before), _lines(after)
    page = [f"--- {visible_line(before_name)}\n", f"+++ {visible_line(after_name)}\n"]
    for hunk in _hunks(runs(old, new)):
        first, last = hunk[0], hunk[-1]
        page.append(f"@@ -{_range(first.old_start, last.old_end)} +{_range(first.new_start, last.new_end)} @@\n")
        for run in hunk:
            if run.is_same:
                page += [_written(" ", line) for line in old[run.old_start : run.old_end]]
            else:
                page += [_written("-", line) for line in old[run.old_start : run.old_end]]
                page += [_written("+", line) for line in new[run.new_start : run.new_end]]
    return "".join(page)


def _text(view: EntryView | ToolView | None) -> str:
    if view is None:
        return ""
    return text_of(view) if isinstance(view, EntryView) else f"{view.description}\n{view.parameters_json}"


def _lines(text: str) -> list[str]:
    """With their ends, of which the last one may have none."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _written(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"


def _range(start: int, end: int) -> str:
    """As `diff` counts: from 1, the length left out where it is 1; an empty one stands behind its line."""
    length = end - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


def _hunks(all_runs: Sequence[Run]) -> Iterator[list[Run]]:
    """Runs that differ, with what stays around them; those that are near each other together."""
    hunk: list[Run] = []
    for index, run in enumerate(all_runs):
        if not run.is_same:
            hunk.append(run)
            continue
        length = run.old_end - run.old_start
        is_last = index == len(all_runs) - 1
        if hunk and (is_last or length > 2 * AROUND):
            keep = min(AROUND, length)
            yield [*hunk, Run(True, run.old_start, run.old_start + keep, run.new_start, run.new_start + keep)]
            hunk = []
        if not hunk and not is_last:
            keep = min(AROUND, length)
            hunk = [Run(True, run.old_end - keep, run.old_end, run.new_end - keep, run.new_end)]
        elif hunk:
            hunk.append(run)
    if hunk:
        yield hunk
