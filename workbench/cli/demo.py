"""`workbench demo`: a walk through the places on the samples, for presenters."""

from __future__ import annotations

import sys

from workbench.cli.diagnostics import print_error
from workbench.cli.exit_codes import ExitCode
from workbench.cli.output import standard_error


def run(*, theme: str = "", signs_in_ascii: bool | None = None) -> int:
    """Walk on a terminal and give back the exit code."""
    errors = standard_error()
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print_error("the walk needs a terminal; `workbench samples` lists what it shows", errors)
        return ExitCode.UNUSABLE
    from workbench.tui.run import UnknownTheme, run_demo

    try:
        return run_demo(theme=theme, signs_in_ascii=signs_in_ascii)
    except UnknownTheme as unknown:
        print_error(str(unknown), errors)
        return ExitCode.UNUSABLE
