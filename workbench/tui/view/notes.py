"""What stands under a faulty line: carets below the group, then what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

from workbench.prompt.views import Failure
from workbench.tui.view.file_place import short_path
from workbench.tui.view.pieces import Line, Piece, Role, outside
from workbench.tui.view.wrap import row_starts
from workbench.visible import visible

LABEL_WIDTH = 13
_WRITTEN = "written in"


def note_rows(failure: Failure, width: int, before_group: str | None, group: str) -> list[Line]:
    """The rows of the note in `width` cells.

    `before_group` is what stands in front of the group on its row, so that the carets are below it;
    None: the failure is not about a group. `group` is the part of it on that row.
    """
    rows: list[Line] = []
    headline = _headline(failure)
    if before_group is not None:
        column = min(cell_len(before_group), width - 1)
        carets = Piece("^" * max(1, min(cell_len(group), width - column)), "failed", bold=True)
        at = max(LABEL_WIDTH, column + len(carets.text) + 2)
        lead = (Piece(" " * column), carets)
        if at + cell_len(headline) <= width:
            gap = Piece(" " * (at - column - len(carets.text)))
            rows.append((*lead, gap, Piece(headline, "strong", bold=True)))
        else:
            rows.append(lead)
            rows += _wrapped("", headline, width, bold=True)
    else:
        rows += _wrapped("", headline, width, bold=True)
    for label, text in _facts(failure):
        if label == _WRITTEN:
            text = short_path(text, max(LABEL_WIDTH, width - LABEL_WIDTH))
        rows += _wrapped(label, text, width)
    return rows


def headline(failure: Failure) -> str:
    """What is wrong, in few words and on one line: `unknown variable {{workdir}}`."""
    return str(visible(_headline(failure).split("\n")[0]))


def _headline(failure: Failure) -> str:
    group = str(visible(failure.group)).replace("\n", "‹LF›")
    match failure.code:
        case "unknown":
            return f"unknown variable {group}"
        case "no value":
            return f"{group} has no value here"
        case "malformed":
            return f"malformed: {group} is not a variable name in double braces"
        case "raised":
            return str(visible(f"raised: {failure.message}", tab_stops=4))
        case _:
            return str(visible(failure.message, tab_stops=4))


def _facts(failure: Failure) -> Iterator[tuple[str, str]]:
    where = " ".join(part for part in (failure.part, failure.name) if part)
    if failure.line is not None:
        where += f", line {failure.line}"
        if failure.column is not None:
            where += f", column {failure.column}"
    if where:
        yield "in", where
    if failure.owner is not None:
        yield "owner", failure.owner.plugin
    if failure.suggestion:
        yield "did you mean", "{{" + failure.suggestion + "}}"
    if failure.code in {"unknown", "no value"}:
        yield "known", ", ".join(failure.known) or "(none)"
    if failure.position is not None:
        yield _WRITTEN, str(failure.position)


def _wrapped(label: str, text: str, width: int, *, bold: bool = False) -> Iterator[Line]:
    shown = str(visible(text, tab_stops=4))
    indent = LABEL_WIDTH if width >= 3 * LABEL_WIDTH else 2
    room = max(1, width - indent)
    starts = row_starts(shown, room)
    for index, (start, end) in enumerate(zip(starts, [*starts[1:], len(shown)], strict=True)):
        lead = label[:indent].ljust(indent) if index == 0 else " " * indent
        row = shown[start:end].rstrip("\n ")
        role: Role = "strong" if bold else "value" if label == "did you mean" else "text"
        yield (Piece(lead, "soft"), *outside(row, role, bold=bold or label == "did you mean"))
