"""Somebody else has saved since: the base, the newest version and the draft, with what differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.tui.view.panel import key_words
from workbench.tui.view.pieces import Line, Piece, outside
from workbench.tui.view.registry_document import Part, Rows, Words
from workbench.tui.view.sizes import counted
from workbench.tui.view.team_entries import (
    MODE,
    EntryId,
    accept_mode,
    draft_text,
    laid_value,
    section_text,
)
from workbench.tui.view.team_entry import Situation
from workbench.tui.view.team_texts import Named, all_texts, two_texts

if TYPE_CHECKING:
    from workbench.team.config import TeamConfig
    from workbench.team.drafts import Draft
    from workbench.team.snapshot import TeamSnapshot
    from workbench.team.version import Version


@dataclass(frozen=True, slots=True)
class ConflictView:
    """What a review needs."""

    base: Version | None
    """The version that the draft was made from; None: it is not in this store."""
    newest: TeamSnapshot
    draft: Draft


VIEWS = 4
"""Ways to look at the three texts."""


def edited_entries(draft: Draft) -> list[EntryId]:
    """What the draft touches, in the order of the list."""
    ids = [EntryId("part", key) for key in draft.overrides]
    ids += [EntryId("section", name) for name in draft.sections]
    ids += [EntryId("skill", name) for name in draft.skills]
    ids += [MODE] if draft.accept_mode is not None else []
    ids += [EntryId("rule", key) for key in draft.rules]
    if draft.rule_order is not None and not draft.rules:
        ids += [EntryId("rule", key) for key in draft.rule_order[:1]]
    return ids


def contested(view: ConflictView) -> list[EntryId]:
    """Entries of the draft that somebody else has changed, too."""
    if view.base is None:
        return edited_entries(view.draft)
    before, after = view.base.config, view.newest.config
    return [id for id in edited_entries(view.draft) if _text(before, view, id) != _text(after, view, id)]


def three_texts(view: ConflictView, id: EntryId) -> tuple[Named, Named, Named]:
    """Base, newest and draft of one entry. A part without an override shows the default."""
    base = f"Revision {view.draft.base_revision}"
    before = None if view.base is None else _text(view.base.config, view, id)
    after = _text(view.newest.config, view, id)
    return (
        Named(f"{base}, your base", before),
        Named(f"Revision {view.newest.revision}, newest", after),
        Named("Your draft", _drafted(view, id)),
    )


def conflict_parts(view: ConflictView, id: EntryId, at: Situation) -> tuple[Part, ...]:
    """The review of one entry."""
    return tuple(_parts(view, id, at))


def _parts(view: ConflictView, id: EntryId, at: Situation) -> Iterator[Part]:
    newest, base = view.newest.revision, view.draft.base_revision
    yield Words(
        (
            Piece("◆ ", "pending", bold=True),
            Piece(f"Revision {newest} was saved while you edited on {base}. ", "strong", bold=True),
            Piece("Nothing of yours was written, and nothing of it is lost.", "text"),
        )
    )
    if view.base is None:
        yield Words((Piece(f"Revision {base} is not in this store: the draft was made for another one.", "soft"),))
    both = contested(view)
    if id not in edited_entries(view.draft):
        yield Words((Piece("You have not edited this entry. Your draft holds:", "soft"),))
        yield Rows(tuple((outside(each.field), _mark(each in both)) for each in edited_entries(view.draft)))
        return
    if id in both:
        words = f"Both have changed this one. On top of {newest}, your draft takes the place of the newest text."
    else:
        words = f"Nobody else has changed this one; saving on top of {newest} takes nothing back."
    yield Words((Piece(words, "soft"),))
    if len(both) > 1:
        yield Words((Piece(f"{counted(len(both), 'text')} in all were changed by both.", "soft"),))
    texts = three_texts(view, id)
    base_text, newest_text, draft = texts
    match at.view % VIEWS:
        case 0:
            yield from all_texts(texts, at.columns(3))
            following = "what saving on top would change"
        case 1:
            yield from two_texts(newest_text, draft, at.in_columns is True)
            following = "what they have changed"
        case 2:
            yield from two_texts(base_text, newest_text, at.in_columns is True)
            following = "what you have changed"
        case _:
            yield from two_texts(base_text, draft, at.in_columns is True)
            following = "all three texts"
    yield Words(())
    yield Words(key_words(at.keys.compare, f"shows {following}"))


def _mark(is_contested: bool) -> Line:
    return (Piece("◆ ", "pending"), Piece("changed by both", "soft")) if is_contested else ()


def _drafted(view: ConflictView, id: EntryId) -> str | None:
    draft = view.draft
    config = view.newest.config if view.base is None else view.base.config
    if id.kind == "part":
        text, is_touched = draft_text(view.newest.part(id.key), draft)
        return text if is_touched and text is not None else view.newest.part(id.key).default
    return _value_text(config, draft, id)


def _text(config: TeamConfig, view: ConflictView, id: EntryId) -> str | None:
    if id.kind == "part":
        override = config.overrides.get(id.key)
        return view.newest.part(id.key).default if override is None else override.text
    return _value_text(config, None, id)


def _value_text(config: TeamConfig, draft: Draft | None, id: EntryId) -> str | None:
    if id.kind == "section":
        return section_text(config, id.key, draft)
    if id.kind == "mode":
        return accept_mode(config, draft)
    value = laid_value(config, draft, id)
    return None if value is None else "\n".join(f"{key}: {each}" for key, each in value.items())
