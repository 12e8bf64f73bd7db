"""Text on a sheet of its own: what was wrong with the files, and what was passed over in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.tui.view.pieces import Line, Piece, Role, outside
from workbench.tui.view.sizes import counted
from workbench.tui.view.wrap import TAB_STOPS, row_starts
from workbench.visible import visible

WIDEST = 96


def notes_lines(
    name: str,
    problems: Sequence[object],
    notes: Sequence[str],
    width: int,
    waiting: str = "",
    *,
    about: str = "",
) -> list[Line]:
    """All problems and all notes of a file, one below the other; `waiting` says what a held edit would change.

    `about`: the heading of the notes, where they are something else than what was not used.
    """
    lines: list[Line] = [(Piece("Notes on ", "strong", bold=True), *outside(name, "strong", bold=True)), ()]
    if waiting:
        lines.append((Piece("An edit waits", "soft", bold=True),))
        lines += [*_items([waiting], "◆", "pending", width), ()]
    if problems:
        lines.append((Piece(counted(len(problems), "problem"), "soft", bold=True),))
        lines += _items([str(problem) for problem in problems], "×", "failed", width)
        stays = () if about else ((), (Piece("The last good state stays until this is mended.", "soft"),))
        lines += [*stays, ()]
    if notes:
        lines.append((Piece(about or "Not used, and why", "soft", bold=True),))
        lines += _items(notes, "–", "soft", width)
    if not problems and not notes and not waiting:
        nothing = "Nothing to warn of." if about else "Nothing to say: everything in the file is used."
        lines.append((Piece(nothing, "soft"),))
    return lines


def _items(texts: Sequence[str], sign: str, role: Role, width: int) -> Iterator[Line]:
    for text in texts:
        for index, row in enumerate(rows_of(text, min(WIDEST, max(8, width - 2)))):
            yield Piece(f"{sign} " if index == 0 else "  ", role, bold=True), *outside(row)


def rows_of(text: str, width: int) -> list[str]:
    """Outside text, wrapped by words."""
    shown = str(visible(text, tab_stops=TAB_STOPS))
    starts = row_starts(shown, width)
    return [shown[start:end].rstrip("\n ") for start, end in zip(starts, [*starts[1:], len(shown)], strict=True)]
