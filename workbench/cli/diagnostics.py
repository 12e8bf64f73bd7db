"""Problems, failures and notes on standard error: place, message, source line with caret, remedy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workbench.cli.excerpt import excerpt, line_of_file
from workbench.cli.output import Output
from workbench.config.problems import LoadProblem
from workbench.prompt import EntryView, Failure, Preview
from workbench.visible import visible, visible_line


def print_problems(problems: Iterable[LoadProblem], errors: Output) -> None:
    """What keeps a file from being used."""
    for problem in problems:
        errors.line(f"{_place(problem)}: ", errors.styled("error: ", "red"), visible(problem.message))
        errors.lines(_file_excerpt(problem.file, problem.line, problem.column))
        if problem.remedy:
            errors.line(f"        {visible(problem.remedy)}")


def print_failures(preview: Preview, errors: Output) -> None:
    """Why a prompt cannot be sent."""
    for failure in preview.failures:
        place = f"{visible_line(str(failure.position))}: " if failure.position else ""
        errors.line(place, errors.styled("error: ", "red"), visible(failure.message))
        errors.lines(_failure_excerpt(failure, preview))
        if failure.suggestion:
            errors.line(f"        did you mean {visible_line(failure.suggestion)}?")


def print_error(message: str, errors: Output) -> None:
    """One error that has no place in a file."""
    errors.line(errors.styled("error: ", "red"), visible(message))


def print_notes(notes: Iterable[str], errors: Output) -> None:
    """What is worth knowing, and stops nothing."""
    for note in notes:
        errors.line(errors.styled("note: ", "cyan"), visible(note))


def _place(problem: LoadProblem) -> str:
    return visible_line(problem.place)


def _file_excerpt(file: str, line: int | None, column: int | None, length: int = 1) -> list[str]:
    if line is None or column is None:
        return []
    source = line_of_file(file, line)
    return [] if source is None else excerpt(source, line, column, length)


def _failure_excerpt(failure: Failure, preview: Preview) -> list[str]:
    length = len(failure.group.split("\n", 1)[0])
    if failure.position is not None:
        shown = _file_excerpt(*failure.position, length)
        if shown:
            return shown
    if failure.line is None or failure.column is None:
        return []
    for entry in _entries_at_fault(failure, preview):
        lines = entry.text.split("\n")
        if failure.line <= len(lines):
            where = f"        {entry.kind} {visible_line(entry.name)}:"
            return [where, *excerpt(lines[failure.line - 1], failure.line, failure.column, length)]
    return []


def _entries_at_fault(failure: Failure, preview: Preview) -> Iterator[EntryView]:
    for entry in (*preview.sections, *preview.contexts):
        if entry.kind == failure.part and entry.name == failure.name and entry.state == "effective":
            yield entry
