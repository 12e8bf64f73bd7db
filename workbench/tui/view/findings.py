"""What a check has found: one line for the answer, and a list to go through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from workbench.prompt.views import EntryView, ToolView, VariableView
from workbench.tui.view.entries import HEADINGS, Entry, EntryKey, Kind
from workbench.tui.view.pieces import Line, Piece, Role, cut, outside, spread
from workbench.tui.view.sheet import WIDEST, rows_of
from workbench.tui.view.sizes import counted

if TYPE_CHECKING:
    from workbench.check.finding import Finding

INDENT = 4
SIGNS: dict[str, tuple[str, Role]] = {"error": ("×", "failed"), "warning": ("!", "pending"), "note": ("–", "soft")}
"""By severity, from the worst on."""


class FindingRow(NamedTuple):
    """One line of the list."""

    line: Line
    finding: int | None
    """Index of the finding that it belongs to."""


def findings_fact(findings: Sequence[Finding], *, short: bool = False, key: str = "") -> Line:
    """`× 2 errors, 1 warning found: f`; what is worst comes first. `key` lists them; empty: none does."""
    if not findings:
        return Piece("✓ ", "running", bold=True), Piece("no findings", "soft")
    numbers = Counter[str](finding.severity for finding in findings)
    worst = next(severity for severity in SIGNS if numbers[severity])
    sign, role = SIGNS[worst]
    told = _numbers(numbers) + ("" if short else f" found: {key}" if key else " found")
    return Piece(f"{sign} ", role, bold=True), Piece(told, "soft")


def finding_rows(name: str, findings: Sequence[Finding], width: int) -> list[FindingRow]:
    """All findings in the order of the file: where, what, what to do, and whose it is."""
    width = min(width, WIDEST)
    numbers = Counter[str](finding.severity for finding in findings)
    what = _numbers(numbers) if findings else "Nothing found"
    head = (Piece(f"{what} in ", "strong", bold=True), *outside(name, "strong", bold=True))
    rows = [FindingRow(cut(head, width), None)]
    if not findings:
        why = "Every rule was asked about every scope; what is switched off in the file is not counted."
        return [
            *rows,
            FindingRow((), None),
            *(FindingRow(outside(row, "soft"), None) for row in rows_of(why, width)),
        ]
    for index, finding in enumerate(findings):
        rows.append(FindingRow((), None))
        rows += [FindingRow(line, index) for line in _lines(finding, width)]
    return rows


def key_of(finding: Finding, entries: Iterable[tuple[EntryKey, Entry]]) -> EntryKey | None:
    """The entry that it is about: the one in force of those with its name."""
    named = [(key, entry) for key, entry in entries if (key.kind, key.name) == (finding.part, finding.name)]
    return next((key for key, entry in named if _is_in_force(entry)), named[0][0] if named else None)


def kind_of(finding: Finding) -> Kind | None:
    """The kind of the entry that it is about; None: it is about no entry."""
    return next((kind for kind in HEADINGS if kind == finding.part), None)


def _is_in_force(entry: Entry) -> bool:
    return isinstance(entry, EntryView | ToolView | VariableView) and entry.state == "effective"


def _numbers(numbers: Counter[str]) -> str:
    return ", ".join(counted(numbers[severity], severity) for severity in SIGNS if numbers[severity])


def _lines(finding: Finding, width: int) -> Iterable[Line]:
    sign, role = SIGNS[finding.severity]
    kind: Line = (Piece(f" {sign} {finding.severity} ", role, bold=True), *outside(finding.rule, "soft"))
    yield spread(kind, outside(finding.place, "soft"), width)
    room = max(8, width - INDENT)
    for row in rows_of(finding.message, room):
        yield (Piece(" " * INDENT), *outside(row, "strong"))
    for row in rows_of(finding.remedy, room) if finding.remedy else ():
        yield (Piece(" " * INDENT), *outside(row))
    about = [f"{finding.part} {finding.name}".rstrip()]
    if finding.owner is not None:
        about.append(f"owner {finding.owner.plugin}")
    if finding.scopes:
        about.append(f"scope {', '.join(finding.scopes)}")
    if finding.pointer is not None:
        about.append(f"at {finding.pointer or '/'}")
    yield cut((Piece(" " * INDENT), *outside(" · ".join(about), "soft")), width)
