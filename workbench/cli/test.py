"""`workbench test`: runs case files, says what differs, and closes with the count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from workbench.check.cases import CaseResult, LoadedCase, load_cases, run_case
from workbench.cli.diagnostics import print_problems
from workbench.cli.exit_codes import ExitCode
from workbench.cli.log import log_on
from workbench.cli.output import Output, Style, standard_error, standard_output
from workbench.cli.running import run_async
from workbench.visible import visible, visible_line

_SHOWN_LINES = 60
"""Lines of one difference that are printed."""

_STYLES: dict[str, Style] = {"-": "red", "+": "green", " ": "dim"}


def run(paths: Sequence[str]) -> ExitCode:
    """Run everything that can be run; an unusable file counts more than a failed case."""
    output, errors = standard_output(), standard_error()
    cases, problems = load_cases(paths)
    print_problems(problems, errors)
    with log_on(None):  # what a case makes somebody raise is in its result
        failed = run_async(_run_all(cases, output))
    if cases:
        output.line(f"{len(cases) - failed} passed, {failed} failed")
    if problems:
        return ExitCode.UNUSABLE
    return ExitCode.FOUND if failed else ExitCode.OK


async def _run_all(cases: Iterable[LoadedCase], output: Output) -> int:
    """How many failed."""
    failed = 0
    for loaded in cases:
        result = await run_case(loaded)
        if not result.passed:
            failed += 1
            output.lines(_report(result, output))
    return failed


def _report(result: CaseResult, output: Output) -> Iterator[str]:
    case = result.loaded.case
    about = f" ({visible_line(case.about)})" if case.about else ""
    place = visible_line(str(result.loaded))
    yield f"{output.styled('FAILED', 'red')} {visible_line(case.id)}{about}"
    yield f"  {place}"
    for difference in result.differences:
        yield f"  {output.styled(visible_line(difference.expectation), 'bold')}: - expected, + actual"
        lines = difference.lines()
        for line in lines[:_SHOWN_LINES]:
            yield f"    {output.styled(visible(line), _STYLES[line[0]])}"
        if len(lines) > _SHOWN_LINES:
            yield f"    … and {len(lines) - _SHOWN_LINES} more lines"
    yield ""
