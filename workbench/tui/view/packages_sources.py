"""Both halves of a revision as texts, and what a revision has changed in those of the one before.

Source: docs/tui.md 11.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.tui.view.difference import difference_lines
from workbench.tui.view.packages_data import RevisionData
from workbench.tui.view.pieces import Line, Piece
from workbench.tui.view.registry_document import Coloured, Drawn, Part, Text, Title, Words
from workbench.tui.view.sizes import counted


def source_parts(revision: RevisionData, colours: Mapping[str, tuple[Coloured, ...]]) -> tuple[Part, ...]:
    """Both sources; `colours`: by their text, where they have come."""
    found: list[Part] = []
    for word, source in (("Host half", revision.code), ("Browser half", revision.client)):
        if source is not None:
            language = "Python" if word == "Host half" else "JavaScript"
            which = f", r{revision.number}" if revision.number else ""  # none of a refused call
            title: Line = (Piece(f"{word}{which}", "strong", bold=True),)
            found.append(
                Title(
                    title,
                    (Piece(f"{language}, {counted(len(source.encode('utf-8', 'replace')), 'byte')}", "faint"),),
                )
            )
            found.append(Text(source, runs=colours.get(source, ())))
    return tuple(found)


def revision_parts(earlier: RevisionData, later: RevisionData) -> tuple[Part, ...]:
    """What a revision has changed in the sources of the one before."""
    found: list[Part] = [
        Words(
            (
                Piece(f"r{earlier.number} → r{later.number}", "strong", bold=True),
                Piece("  what the later revision has changed", "soft"),
            )
        )
    ]
    if (earlier.purpose, earlier.name) != (later.purpose, later.name):
        found += [Title((Piece("Name and purpose", "soft", bold=True),))]
        found.append(_difference(f"{earlier.name}\n{earlier.purpose}", f"{later.name}\n{later.purpose}"))
    for word, before, after in (
        ("Host half", earlier.code, later.code),
        ("Browser half", earlier.client, later.client),
    ):
        if before is None and after is None:
            continue
        found.append(Title((Piece(word, "soft", bold=True),)))
        if before == after:
            found.append(Words((Piece("the same", "soft"),)))
        else:
            found.append(_difference(before or "", after or ""))
    return tuple(found)


def _difference(before: str, after: str) -> Drawn:
    def draw(width: int) -> Sequence[Line]:
        return difference_lines(before, after, width, side_by_side=False)

    return Drawn(draw)
