"""Below an editor: placeholders, bytes against the limit, hidden characters. And what stands for those."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from workbench.team.parts import missing_placeholders, placeholders_of
from workbench.tui.view.pieces import Line, Piece, outside
from workbench.tui.view.sizes import number
from workbench.tui.view.team_entries import EntryId
from workbench.visible import mark_of, visible

STAND_IN = "?"
"""In the cell of a hidden character: a mark of several cells would put the cursor beside its character."""
_SCANNED = 400
"""Most marks that are counted by name."""


class EditorFacts(NamedTuple):
    """What is checked while a person types."""

    id: EntryId
    text: str
    bytes: int
    """Of everything that the team has written, with this text in it."""
    limit: int
    cursor: tuple[int, int]
    """Row and column, from 0."""
    here: str = ""
    """The character under the cursor; empty at the end of a line."""


def placeholder_line(id: EntryId, text: str) -> Line:
    """Each token that the text must hold, and whether it is there."""
    tokens = placeholders_of(id.key) if id.kind == "part" else ()
    missing = missing_placeholders(id.key, text) if tokens else ()
    line: Line = ()
    for token in tokens:
        lead = (Piece("  "),) if line else ()
        if token in missing:
            line = (
                *line,
                *lead,
                Piece("× ", "failed", True),
                Piece(token, "failed", True),
                Piece(" missing", "failed"),
            )
        else:
            line = (*line, *lead, Piece("✓ ", "running", bold=True), Piece(token, "value"))
    return line


def size_line(used: int, limit: int) -> Line:
    """Bytes against the limit; over it in words, too."""
    words = f"{number(used)} of {number(limit)} bytes"
    if used > limit:
        return (
            Piece("× ", "failed", bold=True),
            Piece(f"{words}, {number(used - limit)} too many", "failed", bold=True),
        )
    return (Piece(words, "changed" if used * 10 > limit * 9 else "soft"),)


def hidden_line(text: str) -> Line:
    """Characters that cannot be seen, by name."""
    shown = visible(text, tab_stops=4)
    names = Counter(shown[start:end] for start, end in shown.marks[:_SCANNED] if shown[start:end].strip())
    if not names:
        return ()
    words = "  ".join(f"{name} {count}" for name, count in names.most_common(4))
    return (Piece(f"shown as {STAND_IN}: ", "soft"), *outside(words, "changed"))


def place_line(facts: EditorFacts) -> Line:
    """Where the cursor is, and what it stands on where that cannot be seen."""
    row, column = facts.cursor
    here = facts.here
    name = mark_of(here) if here and is_hidden(here) else ""
    return (Piece(f"{row + 1}:{column + 1}", "faint"), *outside(f" {name}" if name else "", "changed"))


def is_hidden(character: str) -> bool:
    """Whether it is shown by name elsewhere; a tab is not."""
    return character != "\t" and bool(visible(character).marks)


def stand_ins(line: str) -> tuple[str, list[int]]:
    """A line of as many characters that can go to a terminal, and which of them stand for hidden ones."""
    if line.isascii() and line.isprintable():
        return line, []
    marks = visible(line).marks
    if not marks:
        return line, []
    shown = visible(line)
    at = [index for index in (shown.to_source(start) for start, _ in marks) if line[index] != "\t"]
    characters = list(line)
    for index in at:
        characters[index] = STAND_IN
    return "".join(characters), at


def one_line_end(text: str) -> str:
    """Pasted text with the line ends of a prompt."""
    return re.sub("\r\n?", "\n", text)
