"""What stands where there is nothing to show: why, such as each problem of the file, and what to do."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.tui.view.detail_rows import paragraph
from workbench.tui.view.details import SAVED
from workbench.tui.view.file_place import short_path
from workbench.tui.view.panel import key_words
from workbench.tui.view.pieces import Line, Piece, outside


def refused_lines(problems: Sequence[object], width: int, *, editor: str = "", follows: str = SAVED) -> list[Line]:
    """`problems`: as `file:line:column: message; remedy`. `editor`: the key that opens the first one there."""
    nothing = "Nothing is loaded from this file, so there is nothing to show."
    rows = paragraph((Piece(nothing, "strong", bold=True),), width)
    for problem in problems:
        place, colon, message = str(problem).partition(": ")
        rows.append(())
        rows.append((Piece("× ", "failed", bold=True), *outside(short_path(place, width - 2), "failed", bold=True)))
        if colon:
            rows += [(Piece("  "), *line) for line in paragraph(outside(message), width - 2)]
    rows.append(())
    opens = key_words(editor, "opens the file there in your editor. ") if editor else ()
    then = Piece(f"Once it is mended, {follows}.", "soft")
    rows += paragraph((Piece("What to do: ", "soft", bold=True), *opens, then), width)
    return rows


def unrecorded_lines(why: str, width: int, *, session: str = "", prompt: str = "") -> list[Line]:
    """A log does not hold it. `session`: the key of the place with the steps; `prompt`: that of a step's prompt."""
    at: Line = (Piece(" ("), Piece(session, "strong", bold=True), Piece(")")) if session else ()
    reads = key_words(prompt, "reads the prompt of one as it was sent.")
    return [
        *paragraph((Piece(why, "strong", bold=True),), width),
        (),
        (Piece("What there is", "soft", bold=True),),
        *paragraph((Piece("Each step stands in Session"), *at, Piece(": "), *reads), width),
        *paragraph(
            (Piece("A composition shows it while it is open: ", "soft"), Piece("workbench open waterfall")), width
        ),
    ]
