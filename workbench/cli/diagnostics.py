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
        if failure.name and failure.owner is not None:
            errors.line(f"        {_part(failure)}")
        if failure.suggestion and failure.code == "unknown":
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


def _part(failure: Failure) -> str:
    """Whose text it is, and where in it."""
    owner = "" if failure.owner is None else f" of {visible_line(failure.owner.plugin)}"
    place = f", {failure.line}:{failure.column} of its text" if failure.line else ""
    return f"{failure.part} {visible_line(failure.name)}{owner}{place}"


def _file_excerpt(file: str, line: int | None, column: int | None) -> list[str]:
    if line is None or column is None:
        return []
    source = line_of_file(file, line)
    return [] if source is None else excerpt(source, line, column)


def _failure_excerpt(failure: Failure, preview: Preview) -> list[str]:
    """The line of the file, where the group stands there; else the line of the text itself."""
    group = failure.group.split("\n", 1)[0]
    if failure.position is not None:
        file, line, column = failure.position
        source = line_of_file(file, line) or ""
        if source.startswith(group, column - 1):
            return excerpt(source, line, column, len(group))
    if failure.line is None or failure.column is None:
        return []
    for entry in _entries_at_fault(failure, preview):
        lines = entry.text.split("\n")
        if failure.line <= len(lines):
            return excerpt(lines[failure.line - 1], failure.line, failure.column, len(group))
    return []


def _entries_at_fault(failure: Failure, preview: Preview) -> Iterator[EntryView]:
    for entry in (*preview.sections, *preview.contexts):
        if entry.kind == failure.part and entry.name == failure.name and entry.state == "effective":
            yield entry
