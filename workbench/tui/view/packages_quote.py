"""Words of a package, in a frame of their own: no line of it can pass for one of the workbench.

Source: docs/tui.md 11.
"""

from __future__ import annotations

from collections.abc import Sequence

from workbench.tui.view.pieces import Line, Piece
from workbench.tui.view.registry_document import Document, Drawn, Part, Text

BAR = Piece("▎ ", "owner-package")
MOST_LINES = 2000
"""Of a quotation; the rest is counted. A whole source is not quoted but shown as a text."""


def framed(*parts: Part) -> Drawn:
    """Parts behind an unbroken bar."""

    def draw(width: int) -> Sequence[Line]:
        document = Document(parts, max(8, width - 2))
        shown = min(len(document), MOST_LINES)
        lines: list[Line] = [(BAR, *document[row]) for row in range(shown)]
        if shown < len(document):
            lines.append((BAR, Piece(f"… {len(document) - shown:,} more lines", "soft")))
        return lines

    return Drawn(draw)


def quoted(text: str) -> Drawn:
    """A text of a package."""
    return framed(Text(text, has_numbers=False))
