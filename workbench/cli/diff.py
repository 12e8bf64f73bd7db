"""`workbench diff`: how two compositions, scopes or revisions differ in what the model reads."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from workbench.cli.compositions import Look, Unusable, look_at
from workbench.cli.diagnostics import print_error, print_problems
from workbench.cli.exit_codes import ExitCode
from workbench.cli.output import Output, standard_error, standard_output
from workbench.cli.running import run_async
from workbench.config.problems import LoadError
from workbench.config.samples import locate
from workbench.config.snapshots import SnapshotError, looks_like_snapshot, read_snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the command line asks for."""

    files: Sequence[str]
    scope: str | None
    other_scope: str | None
    revisions: Sequence[str]
    format: str


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two things that are compared."""

    file: str
    scope: str | None
    revision: str | None = None

    @property
    def name(self) -> str:
        """As a person would write it."""
        return f"{self.revision}:{self.file}" if self.revision else self.file


def run(wanted: Wanted) -> ExitCode:
    """0 when the model reads the same, 1 when it does not, 2 when that cannot be said."""
    output: Output = standard_output()
    errors: Output = standard_error()
    sides = _sides(wanted)
    if isinstance(sides, str):
        print_error(sides, errors)
        return ExitCode.UNUSABLE
    names_of_folders: dict[str, str] = {}
    output, errors = _Renaming(output, names_of_folders), _Renaming(errors, names_of_folders)
    try:
        with ExitStack() as folders:
            looks = [_look(side, folders, names_of_folders, errors) for side in sides]
    except Unusable:
        return ExitCode.UNUSABLE
    if any(look.preview.assembly is None and look.preview.system is None for look in looks):
        return ExitCode.UNUSABLE
    from workbench.cli.formats.as_difference import difference_json, difference_lines
    from workbench.config.difference.request import request_difference

    before, after = looks
    difference = request_difference(before.preview, after.preview)
    names = [f"{side.name} · {look.scope}" for side, look in zip(sides, looks, strict=True)]
    if wanted.format == "json":
        output.json(difference_json(difference, names))
    else:
        output.lines(difference_lines(difference, names, output))
    return ExitCode.OK if difference.prompts.is_same else ExitCode.FOUND


def _sides(wanted: Wanted) -> tuple[Side, Side] | str:
    """The two sides, or why there are not two."""
    files, revisions = wanted.files, wanted.revisions
    other_scope = wanted.scope if wanted.other_scope is None else wanted.other_scope
    if len(files) > 2:
        return "two files can be compared, not more"
    if len(revisions) > 2:
        return "two revisions can be compared, not more"
    if revisions and len(files) == 2:
        return "--rev compares revisions of one file: name one"
    first = Side(files[0], wanted.scope, revisions[0] if revisions else None)
    if len(files) == 2:
        return first, Side(files[1], other_scope)
    if revisions:
        return first, Side(files[0], other_scope, revisions[1] if len(revisions) == 2 else None)
    if wanted.other_scope is None:
        return "with what? Name a second file, --other-scope or --rev"
    return first, Side(files[0], other_scope)


def _look(side: Side, folders: ExitStack, names_of_folders: dict[str, str], errors: Output) -> Look:
    if side.revision is None:
        if looks_like_snapshot(Path(side.file)):
            return _look_at_snapshot(side, errors)
        return run_async(look_at(side.file, side.scope, errors))
    from workbench.config.revisions import lay_out

    folder = Path(folders.enter_context(TemporaryDirectory(prefix="workbench-"))).resolve()
    names_of_folders[f"{folder}/"] = f"{side.revision}:"
    try:
        laid_out = lay_out(_file(side.file), side.revision, folder)
    except LoadError as error:
        print_problems(error.problems, errors)
        raise Unusable from None
    return run_async(look_at(str(laid_out), side.scope, errors))


def _look_at_snapshot(side: Side, errors: Output) -> Look:
    """The prompt in a file, whatever scope it was of; another one cannot be had of it."""
    try:
        saved = read_snapshot(Path(side.file))
    except SnapshotError as error:
        print_error(str(error), errors)
        raise Unusable from None
    if side.scope is not None and side.scope != saved.scope:
        print_error(f"{side.file} holds the prompt of scope {saved.scope!r} alone", errors)
        raise Unusable
    if saved.preview.failures:
        print_error(f"{side.file} holds a prompt that could not be sent", errors)
        raise Unusable
    return Look(saved.scope, saved.preview, (), ExitCode.OK)


def _file(name: str) -> str:
    """A file that is gone now may be in the revision."""
    try:
        return str(locate(name))
    except LoadError:
        return name


class _Renaming(Output):
    """A standard stream on which the files of a revision are called so, wherever they were laid out."""

    def __init__(self, output: Output, names_of_folders: dict[str, str]) -> None:
        self.__dict__.update(output.__dict__)
        self._names = names_of_folders

    def _write(self, text: str) -> None:
        for folder, name in self._names.items():
            text = text.replace(folder, name)
        super()._write(text)
