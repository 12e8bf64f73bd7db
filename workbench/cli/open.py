"""`workbench open`: the screen. The only command that loads Textual."""

from __future__ import annotations

import sys

from workbench.cli.diagnostics import print_error, print_problems
from workbench.cli.exit_codes import ExitCode
from workbench.cli.output import standard_error
from workbench.config.problems import LoadError
from workbench.config.samples import locate


def run(file: str | None = None, *, theme: str = "", keymap: str | None = None) -> int:
    """Open the workbench on a terminal and give back its exit code. Without a file: the start screen."""
    errors = standard_error()
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print_error("the screen needs a terminal; `workbench render FILE` prints into a pipe or a file", errors)
        return ExitCode.UNUSABLE
    try:
        path = "" if file is None else str(locate(file))
    except LoadError as error:
        print_problems(error.problems, errors)
        return ExitCode.UNUSABLE
    from workbench.tui.run import UnknownTheme, run_workbench

    try:
        return run_workbench(path, name=file, theme=theme, keymap=keymap)
    except UnknownTheme as unknown:
        print_error(str(unknown), errors)
        return ExitCode.UNUSABLE
