"""`workbench init`: a first composition, with comments that say where to go on."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.cli.diagnostics import print_error, print_problems
from workbench.cli.exit_codes import ExitCode
from workbench.cli.output import Output, standard_error, standard_output
from workbench.config.composition import load
from workbench.config.first_file import composition
from workbench.config.problems import LoadError, did_you_mean
from workbench.plugins import FIRST_PARTY
from workbench.visible import visible_line

USUAL = ("shell", "files", "todo")
NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the command line says; None is asked for."""

    file: str
    name: str | None = None
    model: str | None = None
    plugins: Sequence[str] | None = None
    asks: bool = True


class _Refused(Exception):
    """Nothing is written; the text says why."""


def run(wanted: Wanted) -> ExitCode:
    """Ask what is not said yet, write the file, and try it. A file that is there stays as it is."""
    output, errors = standard_output(), standard_error()
    try:
        if os.path.lexists(wanted.file):
            raise _Refused(f"{wanted.file} is there already, and stays as it is; name another file")
        text = composition(*_answers(wanted, errors))
        _write(wanted.file, text)
    except _Refused as refused:
        print_error(str(refused), errors)
        return ExitCode.UNUSABLE
    try:
        load(wanted.file)
    except LoadError as error:  # Such as an agent called (global).
        os.unlink(wanted.file)
        print_problems(error.problems, errors)
        return ExitCode.UNUSABLE
    shown = visible_line(wanted.file)
    output.line(f"{shown} is written. Go on with:")
    output.line(f"    workbench {shown}")
    output.line(f"    workbench render {shown}")
    return ExitCode.OK


def _answers(wanted: Wanted, errors: Output) -> tuple[str, str, list[str]]:
    asks = wanted.asks and sys.stdin.isatty()
    name = wanted.name if wanted.name is not None else _ask("Name of the agent", "main", asks, errors)
    model = wanted.model if wanted.model is not None else _ask("Its model, for {{model}}", "", asks, errors)
    plugins = list(wanted.plugins) if wanted.plugins is not None else []
    if wanted.plugins is None:
        answer = _ask(f"Tools, or {NONE}", ", ".join(USUAL), asks, errors)
        plugins = answer.replace(",", " ").split()
    plugins = [plugin for plugin in dict.fromkeys(plugins) if plugin != NONE]
    for plugin in plugins:
        if plugin not in FIRST_PARTY:
            known = ", ".join(FIRST_PARTY)
            raise _Refused(f'there are no tools "{plugin}"; {did_you_mean(plugin, FIRST_PARTY, f"known: {known}")}')
    if not name:
        raise _Refused("an agent needs a name")
    return name, model, plugins


def _ask(question: str, otherwise: str, asks: bool, errors: Output) -> str:
    """The answer of a person; what is usual, when there is nobody or nothing is said."""
    if not asks:
        return otherwise
    errors.line(f"{question}{f' [{otherwise}]' if otherwise else ''}:")
    return sys.stdin.readline().strip() or otherwise


def _write(file: str, text: str) -> None:
    try:
        with open(file, "x", encoding="utf-8", newline="\n") as opened:
            opened.write(text)
    except FileExistsError:
        raise _Refused(f"{file} is there already, and stays as it is; name another file") from None
    except OSError as error:
        reason = error.strerror or str(error)
        folder = Path(file).parent
        remedy = f"; make the folder {folder} first" if not folder.is_dir() else ""
        raise _Refused(f"{file} cannot be written: {reason}{remedy}") from None
