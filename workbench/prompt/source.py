"""Where a text stands in a file, so that any character of a prompt leads back to its line.

Source: docs/prompt-assembly.md 10 (errors) and docs/compositions.md (who fills it in).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Position(NamedTuple):
    """One character of a file. Lines and columns count from 1, columns in characters."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class TextSource:
    """The place in a file from which a registered text was read."""

    file: str
    """As the person named it; relative paths stay relative."""
    line: int
    """Line of the first character of the text, from 1."""
    column: int
    """Column of the first character of the text, from 1."""
    indent: int | None = 0
    """Columns in front of each further line of the text in the file.

    None: lines of the text and of the file do not correspond (a folded or escaped scalar), so every
    offset is answered with the start of the text.
    """

    def position(self, text: str, offset: int) -> Position:
        """The place in the file of the character at `offset` (code points) of `text`."""
        if self.indent is None:
            return Position(self.file, self.line, self.column)
        lines_before = text.count("\n", 0, offset)
        if lines_before == 0:
            return Position(self.file, self.line, self.column + offset)
        column = offset - text.rfind("\n", 0, offset)
        return Position(self.file, self.line + lines_before, self.indent + column)


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Line and column, from 1, of the character at `offset` (code points) inside `text`."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
