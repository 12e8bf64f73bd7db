"""Case files: found, read and checked before anything is run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError

from workbench.check.case_format import Case, CaseDocument
from workbench.check.case_messages import message_and_remedy
from workbench.check.json_place import Place, item_places, place_of, place_of_constant, repeated_key
from workbench.config.problems import LoadError, LoadProblem

SHOWN_MISTAKES = 50


@dataclass(frozen=True, slots=True)
class LoadedCase:
    """A case and where it stands."""

    file: str
    place: Place
    case: Case

    def __str__(self) -> str:
        return f"{self.file}:{self.place.line}:{self.place.column}"


def find_case_files(paths: Iterable[str | Path]) -> list[Path]:
    """The files named, and all `*.json` below the folders named, each once, in order.

    Hidden files and folders are left out. Raises `LoadError` when a path does not exist or a folder holds
    no case file.
    """
    found: dict[Path, Path] = {}
    problems = []
    for path in map(Path, paths):
        files = [path]
        if path.is_dir():
            files = sorted(file for file in path.rglob("*.json") if not _is_hidden(file.relative_to(path)))
            if not files:
                problems.append(_problem(path, None, "this folder holds no case file", "case files end in .json"))
        elif not path.exists():
            problems.append(_problem(path, None, "there is no such file or folder", "check the path"))
            continue
        for file in files:
            found.setdefault(file.resolve(), file)
    if problems:
        raise LoadError(problems)
    return list(found.values())


def load_case_file(path: str | Path) -> list[LoadedCase]:
    """The cases of one file, at least one. Raises `LoadError` with everything that is wrong in it."""
    file = str(path)
    text = _read(path)
    data = _parse(text, file)
    try:
        document = CaseDocument.model_validate(data)
    except ValidationError as error:
        raise LoadError(_mistakes(file, text, error)) from None
    return [
        LoadedCase(file, place, case)
        for place, case in zip(item_places(text, "cases"), document.cases, strict=True)
    ]


def load_cases(paths: Iterable[str | Path]) -> tuple[list[LoadedCase], list[LoadProblem]]:
    """All cases of the files and folders, and the problems of the files that cannot be used."""
    try:
        files = find_case_files(paths)
    except LoadError as error:
        return [], list(error.problems)
    cases: list[LoadedCase] = []
    problems: list[LoadProblem] = []
    first_places: dict[str, str] = {}
    for file in files:
        try:
            loaded = load_case_file(file)
        except LoadError as error:
            problems += error.problems
            continue
        problems += _repeated_ids(loaded, first_places)
        cases += loaded
    return cases, problems


def _repeated_ids(cases: Iterable[LoadedCase], first_places: dict[str, str]) -> Iterator[LoadProblem]:
    for loaded in cases:
        first = first_places.setdefault(loaded.case.id, str(loaded))
        if first != str(loaded):
            message = f'the id "{loaded.case.id}" is taken by {first}'
            yield _problem(loaded.file, loaded.place, message, "ids are unique over all files of a run")


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _read(path: str | Path) -> str:
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise _unusable(path, None, f"cannot be read: {reason}", "check the path and its rights") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        place = Place(before.count(b"\n") + 1, error.start - before.rfind(b"\n"))
        message = f"not UTF-8: byte 0x{content[error.start]:02x} at offset {error.start}"
        raise _unusable(path, place, message, "save the file as UTF-8") from None


def _parse(text: str, file: str) -> Any:
    if not text.strip():
        raise _unusable(file, None, "is empty", 'a case file holds {"cases": [...]}')
    try:
        data = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        place = Place(error.lineno, error.colno)
        message = f"not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        raise _unusable(file, place, message, "mend it here or just before") from None
    except _NotJson as error:
        message = f"{error} is not JSON"
        raise _unusable(file, place_of_constant(text), message, 'write {"float": "nan"}, "inf" or "-inf"') from None
    except _RepeatedKey:
        key, place = repeated_key(text) or ("", Place(1, 1))
        message = f'the key "{key}" is given twice in one object'
        raise _unusable(file, place, message, "keep one of the two") from None
    except (ValueError, RecursionError) as error:
        raise _unusable(file, None, f"cannot be parsed: {error}", "simplify the file") from None
    if not isinstance(data, dict):
        raise _unusable(file, Place(1, 1), "is no case file", 'a case file holds {"cases": [...]}')
    return data


class _NotJson(Exception):
    """`NaN` or `Infinity`, which Python would read."""


class _RepeatedKey(Exception):
    """One of two equal keys would be lost in silence."""


def _refuse_constant(name: str) -> NoReturn:
    raise _NotJson(name)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise _RepeatedKey
    return members


def _mistakes(file: str, text: str, error: ValidationError) -> Iterator[LoadProblem]:
    details = error.errors()
    for detail in details[:SHOWN_MISTAKES]:
        yield _problem(file, place_of(text, detail["loc"]), *message_and_remedy(detail))
    more = len(details) - SHOWN_MISTAKES
    if more > 0:
        yield _problem(file, None, f"{more} more mistakes are not shown", "mend these first")


def _unusable(file: str | Path, place: Place | None, message: str, remedy: str) -> LoadError:
    return LoadError([_problem(file, place, message, remedy)])


def _problem(file: str | Path, place: Place | None, message: str, remedy: str) -> LoadProblem:
    if place is None:
        return LoadProblem(str(file), None, None, "", message, remedy)
    return LoadProblem(str(file), place.line, place.column, place.path, message, remedy)
