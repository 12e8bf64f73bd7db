"""Words that are in nothing that is sent: who took them out, or which entry keeps them that is not sent."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workbench.prompt.listener_words import ListenerChange, listener_changes, said, values_of
from workbench.prompt.views import EntryView, Preview
from workbench.tui.view.entries import Entry, is_sent
from workbench.tui.view.pieces import OWNER_ROLES, Line, Piece, cut, cut_text, outside
from workbench.tui.view.trace import label_of
from workbench.tui.view.trace_words import LONGEST_NAME

Missed = ListenerChange | EntryView
"""Where the words went."""


def where_it_went(pattern: re.Pattern[str], preview: Preview, entries: Iterable[Entry]) -> Missed | None:
    """The last listener that took such words out; else an entry that is not sent and has them."""

    def says(text: str) -> bool:
        return pattern.search(text) is not None

    taken = [each for each in listener_changes(preview, says) if not each.wrote]
    if taken:
        return taken[-1]
    values = values_of(preview)
    kept = (each for each in entries if isinstance(each, EntryView) and not is_sent(each))
    return next((each for each in kept if said(each.text or each.registered_text or "", says, values)), None)


def missed_words(query: str, missed: Missed) -> Line:
    """The same in a sentence."""
    quoted: Line = (Piece("“"), *outside(cut_text(query, 30)), Piece("”"))
    if isinstance(missed, EntryView):
        where = Piece(f" is only in {missed.kind} "), *outside(missed.name, "strong")
        return (Piece("∅ ", "soft"), *quoted, *where, Piece(f", which is not sent: {missed.state}."))
    owner, change = missed.listener.owner, missed.change
    return (
        Piece("− ", "removed", bold=True),
        *cut(outside(label_of(missed.listener), "strong", bold=True), LONGEST_NAME),
        Piece(" of "),
        *outside(owner.plugin, OWNER_ROLES.get(owner.kind, "owner-plugin")),
        Piece(" took out "),
        *quoted,
        Piece(f" in {change.kind} "),
        *outside(change.name),
        Piece("."),
    )
