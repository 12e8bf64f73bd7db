"""`workbench blame`: who wrote, changed or removed a text."""

from __future__ import annotations

import sys

from workbench.cli.compositions import Unusable, look_at
from workbench.cli.diagnostics import print_error, print_notes
from workbench.cli.exit_codes import ExitCode
from workbench.cli.formats.as_blame import blame_lines, not_reached_notes
from workbench.cli.origins import nearly, origins
from workbench.cli.output import standard_error, standard_output
from workbench.cli.running import run_async


def run(file: str, text: str, scope: str | None) -> ExitCode:
    """Print every origin of the text. A text that nobody says is a finding."""
    output, errors = standard_output(), standard_error()
    wanted = sys.stdin.read().removesuffix("\n") if text == "-" else text
    if not wanted:
        print_error("TEXT is empty, and every text says that", errors)
        return ExitCode.UNUSABLE
    try:
        look = run_async(look_at(file, scope, errors))
    except Unusable:
        return ExitCode.UNUSABLE
    found = list(origins(look.preview, wanted))
    output.lines(blame_lines(found, wanted))
    if found:
        return look.code
    near = nearly(look.preview, wanted)
    hint = f'; did you mean "{near}"?' if near else ""
    print_error(f'nothing in the assembly for {look.scope} says "{wanted}"{hint}', errors)
    print_notes(not_reached_notes(look.preview), errors)
    return ExitCode.FOUND
