"""`workbench check`: everything that is wrong with compositions, as lines, JSON or annotations."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from workbench.check.checking import FileReport, check_file, finding_of_problem
from workbench.check.finding import Finding, Severity
from workbench.check.profile import ProfileError, profile
from workbench.check.reports import counts, github_lines, report_json
from workbench.cli.diagnostics import print_error
from workbench.cli.excerpt import excerpt, line_of_file
from workbench.cli.exit_codes import ExitCode
from workbench.cli.log import log_on
from workbench.cli.output import Output, Style, standard_error, standard_output
from workbench.cli.running import run_async
from workbench.config.problems import LoadError
from workbench.config.samples import locate
from workbench.visible import visible, visible_line

_STYLES: dict[Severity, Style] = {"error": "red", "warning": "yellow", "note": "cyan"}


def run(files: Sequence[str], *, format: str, profiles: Sequence[str]) -> ExitCode:
    """Check every file; an unusable one is reported and does not keep the others from being checked."""
    output = standard_output()
    try:
        chosen = [_usable_profile(name) for name in profiles]
    except ProfileError as error:
        print_error(str(error), standard_error())
        return ExitCode.UNUSABLE
    with log_on(None):  # what plugins raise is in the findings
        reports = run_async(_checked(files, chosen))
    match format:
        case "json":
            output.json(report_json(reports))
        case "github":
            output.lines(github_lines(reports))
        case _:
            for report in reports:
                for finding in report.findings:
                    output.lines(_lines(report.file, finding, output))
            output.line(_summary(reports))
    if not all(report.is_usable for report in reports):
        return ExitCode.UNUSABLE
    return ExitCode.FOUND if any(report.fails for report in reports) else ExitCode.OK


def _usable_profile(name: str) -> str:
    """The profile of that name; a file as it is seen from here. Raises `ProfileError`."""
    if name.endswith(".json"):
        name = os.path.abspath(name)
    profile(name)
    return name


async def _checked(files: Sequence[str], profiles: Sequence[str]) -> list[FileReport]:
    reports = []
    for file in files:
        try:
            reports.append(await check_file(locate(file), profiles=profiles or None))
        except LoadError as error:
            findings = tuple(finding_of_problem(problem) for problem in error.problems)
            reports.append(FileReport(file, findings, is_usable=False))
    return reports


def _lines(file: str, finding: Finding, output: Output) -> Iterator[str]:
    """Place, severity, rule, message; the line of the file with a caret; what to do, and whose it is."""
    place = visible_line(str(finding.position or file))
    severity = output.styled(finding.severity, _STYLES[finding.severity])
    yield f"{place}: {severity} {finding.rule}: {visible(finding.message)}"
    if finding.position is not None:
        source = line_of_file(finding.position.file, finding.position.line)
        if source is not None:
            yield from excerpt(source, finding.position.line, finding.position.column, finding.length)
    if finding.remedy:
        yield f"        {visible(finding.remedy)}"
    about = list(_about(finding))
    if about:
        yield output.styled(f"        {' · '.join(about)}", "dim")


def _about(finding: Finding) -> Iterator[str]:
    if finding.owner is not None:
        yield f"owner {visible_line(finding.owner.plugin)}"
    if finding.scopes:
        shown = ", ".join(finding.scopes[:4]) + (", …" if len(finding.scopes) > 4 else "")
        yield f"scope {visible_line(shown)}"
    if finding.source:
        yield finding.source


def _summary(reports: Sequence[FileReport]) -> str:
    named = [f"{count} {severity}{'' if count == 1 else 's'}" for severity, count in counts(reports).items()]
    files = "1 file" if len(reports) == 1 else f"{len(reports)} files"
    unusable = sum(not report.is_usable for report in reports)
    return f"{', '.join(named)} in {files}" + (f", {unusable} of them unusable" if unusable else "")
