"""What is still known of a package of which nothing is in this process: a record, and nothing can be done with it.

Source: docs/tui.md 11.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from workbench.tui.view.packages_data import LifeData, PackageCard, State
from workbench.tui.view.packages_quote import quoted
from workbench.tui.view.packages_sources import source_parts
from workbench.tui.view.packages_words import moment
from workbench.tui.view.pieces import Line, Piece, outside
from workbench.tui.view.registry_document import Part, Title, Words

WORDS: Final[dict[State, str]] = {
    "unloaded": "It was undefined: its id is invalid from then on, and nothing of it is kept but this record.",
    "lost": "It was defined in a process that is over. Definitions live in the memory of their process only.",
    "refused": "It was refused, so that nothing was recorded or run.",
}


def record_parts(card: PackageCard) -> Iterator[Part]:
    """What became of it, what was done with it, and its sources."""
    yield Words(())
    yield Words((Piece("– ", "soft"), Piece(WORDS[card.state], "text")))
    if card.row.fact and card.state == "refused":
        yield quoted(card.row.fact)
    elif card.row.fact:
        yield Words((*outside(card.row.fact, "soft"), Piece(".", "soft")))
    if not card.is_whole:
        yield Words(
            (Piece("~ ", "changed"), Piece("The logged call was cut: only its first line is known.", "soft"))
        )
    if card.life:
        yield Title((Piece("Afterwards", "soft", bold=True),), (Piece("from the session log", "faint"),))
        for each in card.life:
            yield Words(_told(each))
    for revision in reversed(card.revisions or (card.revision,)):
        yield from source_parts(revision, {})


def _told(life: LifeData) -> Line:
    sign = Piece("× ", "failed", bold=True) if life.is_refused else Piece("  ")
    at = Piece(f"{moment(life.at)}  " if life.at else "", "faint")
    return (sign, at, Piece(f"{life.verb}  ", "soft"), *outside(life.words))
