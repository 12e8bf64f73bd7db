"""`workbench open`: the screen. The only command that loads Textual."""

from __future__ import annotations

import sys

from workbench.cli.exit_codes import ExitCode
from workbench.cli.output import standard_error
from workbench.config.problems import LoadError
from workbench.config.samples import locate
from workbench.tui.collector import at_rest


def run(
    file: str | None = None, *, theme: str = "", keymap: str | None = None, signs_in_ascii: bool | None = None
) -> int:
    """Open the workbench on a terminal and give back its exit code. Without a file: the start screen."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _refuse("the screen needs a terminal; `workbench render FILE` prints into a pipe or a file")
    try:
        path = "" if file is None else str(locate(file))
    except LoadError as error:
        from workbench.cli.diagnostics import print_problems

        print_problems(error.problems, standard_error())
        return ExitCode.UNUSABLE
    with at_rest():
        from workbench.tui.run import UnknownTheme, run_workbench

        try:
            return run_workbench(path, name=file, theme=theme, keymap=keymap, signs_in_ascii=signs_in_ascii)
        except UnknownTheme as unknown:
            return _refuse(str(unknown))


def _refuse(why: str) -> int:
    from workbench.cli.diagnostics import print_error  # loads more than a start can wait for

    print_error(why, standard_error())
    return ExitCode.UNUSABLE
