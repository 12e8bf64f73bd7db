"""Findings as documents for other programs: JSON, and annotations of GitHub Actions.

Source: docs/checks.md 6.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from workbench.check.checking import FileReport
from workbench.check.finding import Finding, Severity
from workbench.visible import visible_line

FORMAT = 1
_COMMANDS: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "notice"}


def report_json(reports: Iterable[FileReport]) -> str:
    """All reports as one document. Texts are as they are; JSON escapes what could steer a terminal."""
    reports = tuple(reports)
    page = {
        "format": FORMAT,
        **{f"{severity}s": count for severity, count in counts(reports).items()},
        "files": [
            {
                "file": report.file,
                "usable": report.is_usable,
                "findings": [finding_data(finding) for finding in report.findings],
            }
            for report in reports
        ],
    }
    return json.dumps(page, ensure_ascii=False, indent=2)


def finding_data(finding: Finding) -> dict[str, Any]:
    """One finding as plain data."""
    owner, position = finding.owner, finding.position
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "message": finding.message,
        "remedy": finding.remedy,
        "part": finding.part,
        "name": finding.name,
        "owner": None if owner is None else {"plugin": owner.plugin, "fiber": owner.fiber, "kind": owner.kind},
        "position": None if position is None else position._asdict(),
        "length": finding.length,
        "line": finding.line,
        "column": finding.column,
        "scopes": list(finding.scopes),
        "pointer": finding.pointer,
        "source": finding.source or None,
    }


def github_lines(reports: Iterable[FileReport]) -> Iterator[str]:
    """One workflow command for each finding."""
    for report in reports:
        for finding in report.findings:
            yield _github_line(report.file, finding)


def counts(reports: Iterable[FileReport]) -> dict[Severity, int]:
    """How many findings there are of each severity."""
    counted = Counter(finding.severity for report in reports for finding in report.findings)
    return {severity: counted[severity] for severity in _COMMANDS}


def _github_line(file: str, finding: Finding) -> str:
    where, line, column = finding.position or (file, 1, 1)
    message = f"{finding.message}; {finding.remedy}" if finding.remedy else finding.message
    properties = {"file": _in_the_checkout(where), "line": str(line), "col": str(column), "title": finding.rule}
    listed = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in properties.items())
    return f"::{_COMMANDS[finding.severity]} {listed}::{_escaped(message)}"


def _escaped(text: str, separators: str = "") -> str:
    """As workflow commands want it. The log is read in a terminal's way, so nothing in it may steer one."""
    text = visible_line(text).replace("%", "%25")
    for character in separators:
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def _in_the_checkout(file: str) -> str:
    """Relative to the working directory where it lies below it: annotations need that."""
    here = os.path.join(os.getcwd(), "")
    return file.removeprefix(here) if os.path.isabs(file) else file
