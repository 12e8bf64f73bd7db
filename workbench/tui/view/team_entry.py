"""What is known about the chosen entry: its texts, who reads them, and the last revisions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from workbench.team.builtin import rendered
from workbench.team.compose import SLOTS
from workbench.team.parts import PARTS, RESERVED_SKILLS
from workbench.tui.view.details import Fact
from workbench.tui.view.panel import key_words
from workbench.tui.view.pieces import Line, Piece, outside
from workbench.tui.view.registry_document import Facts, Part, Rows, Text, Title, Words
from workbench.tui.view.sizes import counted
from workbench.tui.view.team_entries import (
    EntryId,
    accept_mode,
    change_of_part,
    draft_text,
    laid_rules,
    laid_value,
    section_text,
)
from workbench.tui.view.team_texts import Named, all_texts, has_room, two_texts
from workbench.tui.view.team_words import DEFAULT_KEYS, TeamKeys, size_word, what_of, when

if TYPE_CHECKING:
    from workbench.team.drafts import Draft
    from workbench.team.problems import Problem
    from workbench.team.snapshot import PartView, TeamSnapshot
    from workbench.team.version import VersionLine

READERS = {"orchestrator": "main Session", "worker": "Executors"}
LAST = 4
"""Revisions shown below an entry."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What the place knows, for drawing an entry."""

    snapshot: TeamSnapshot
    draft: Draft | None
    history: Sequence[VersionLine]
    """The newest page."""
    now: datetime
    width: int
    """Cells of the document."""
    view: int = 0
    """Which of `views_of` is shown; counts on from the last one to the first."""
    in_columns: bool | None = None
    """None: where there is room for it."""
    problems: tuple[Problem, ...] = ()
    """Why the last save was refused."""
    trouble: str = ""
    """Why the store cannot do what was asked, or the draft not be kept."""
    modes: tuple[str, ...] = ()
    """Accept modes that there are."""
    keys: TeamKeys = DEFAULT_KEYS

    def columns(self, count: int) -> bool:
        """Whether so many texts stand beside each other."""
        return has_room(count, self.width) if self.in_columns is None else self.in_columns


def entry_parts(id: EntryId, at: Situation) -> tuple[Part, ...]:
    """The whole document of an entry."""
    return (*_problems(id, at), *_body(id, at), *_versions(at))


def views_of(id: EntryId, at: Situation) -> int:
    """How many ways there are to look at the texts of an entry."""
    return max(1, len(_pairs(id, at)))


def state_words(id: EntryId, at: Situation) -> Line:
    """At the right end of the title."""
    if id.kind == "section":
        text = section_text(at.snapshot.config, id.key, None)
        is_default = rendered(text) == at.snapshot.builtins.sections[id.key]
        return (Piece("default" if is_default else "yours", "soft"),)
    if id.kind != "part":
        return ()
    view = at.snapshot.part(id.key)
    if view.state == "default updated":
        return (Piece("↑ ", "changed", bold=True), Piece("default updated", "strong"))
    return (Piece("yours" if view.override is not None else "default", "soft"),)


def raw_text(id: EntryId, at: Situation) -> str:
    """What a copy gives: the text with the draft laid over it."""
    config, draft = at.snapshot.config, at.draft
    if id.kind == "part":
        view = at.snapshot.part(id.key)
        text, _ = draft_text(view, draft)
        return view.default if text is None else text
    if id.kind == "section":
        return section_text(config, id.key, draft)
    if id.kind == "mode":
        return accept_mode(config, draft)
    value = laid_value(config, draft, id) or {}
    return str(value.get("content" if id.kind == "skill" else "instruction", ""))


def _body(id: EntryId, at: Situation) -> Iterator[Part]:
    if id.kind == "part":
        yield from _part(at.snapshot.part(id.key), at)
    elif id.kind == "mode":
        yield from _mode(at)
    elif id.kind == "section":
        yield Words((Piece("Every agent of the team reads it below its heading, also where it is empty.", "soft"),))
        yield from _texts(id, at)
    elif id.kind == "skill":
        yield from _skill(id, at)
    else:
        yield from _rule(id, at)


def _part(view: PartView, at: Situation) -> Iterator[Part]:
    yield Words((Piece(_part_sentence(view, at.draft), "soft"),))
    if view.placeholders:
        yield Words(
            (Piece("It must hold ", "soft"), *outside(" ".join(view.placeholders), "value"), Piece(".", "soft"))
        )
    yield from _texts(EntryId("part", view.key), at)
    yield Title((Piece("Read by", "soft", bold=True),))
    yield Facts(tuple(_readers(view)), 14)


def _part_sentence(view: PartView, draft: Draft | None) -> str:
    match change_of_part(view, draft):
        case "to default":
            return "From the next save on it follows the default again."
        case "kept":
            return "Kept in the draft: the mark goes with the next save."
        case "edited":
            return "Edited, and not saved. What is in force stays until you save."
    if view.state == "default updated":
        return "Yours stays in force until you decide. Its default has changed since you wrote it."
    if view.override is not None:
        return "Yours is in force. A new default will be marked, and changes nothing by itself."
    return "It follows the default of each release."


def _readers(view: PartView) -> Iterator[Fact]:
    names = " and ".join(READERS[role] for role in view.roles) or "nobody"
    section = next((slot.section for slot in SLOTS if view.key in slot.keys.values()), "")
    part = PARTS.get(view.key)
    if part is not None and part.skill:
        how = f"when they load the skill {part.skill}"
    else:
        how = f"as {section or 'runtime:policy'}, from their next step on"
    yield Fact("roles", (Piece(names), Piece(f", {how}", "soft")))
    yield Fact("in force", (Piece(size_word(len(view.effective.encode()))),))


def _pairs(id: EntryId, at: Situation) -> list[tuple[Named, ...]]:
    """The ways to look at its texts: two are a difference, three are all of them, one is one."""
    if id.kind == "part":
        return _part_pairs(at.snapshot.part(id.key), at)
    saved, drafted = _saved_text(id, at), raw_text(id, at)
    if saved != drafted:
        was, draft = Named("In force", saved), Named("Your draft", drafted)
        return [(was, draft), (draft,), (was,)]
    return [(Named("In force", saved),)]


def _part_pairs(view: PartView, at: Situation) -> list[tuple[Named, ...]]:
    text, is_touched = draft_text(view, at.draft)
    default = Named("Default", view.default)
    yours = Named("Yours, in force", view.override)
    is_updated = view.state == "default updated" and view.base is not None
    drafted = Named("Your draft", view.default if text is None else text)
    if is_updated and view.base is not None:
        then, now = Named("Default then", view.base.text), Named("Default now", view.default)
        mine = drafted if is_touched else yours
        first: list[tuple[Named, ...]] = [(yours, drafted)] if is_touched and drafted.text != yours.text else []
        return [*first, (then, now), (now, mine), (then, now, mine)]
    if is_touched:
        was = default if view.override is None else yours
        return [(was, drafted), (drafted,), *([(default, drafted)] if was is not default else [])]
    if view.override is not None:
        return [(default, yours), (yours,), (default,)]
    return [(default,)]


def _texts(id: EntryId, at: Situation) -> Iterator[Part]:
    pairs = _pairs(id, at)
    chosen = pairs[at.view % len(pairs)]
    if len(chosen) == 1:
        right: Line = (Piece(size_word(len((chosen[0].text or "").encode())), "faint"),)
        yield Title((Piece(chosen[0].title, "soft", bold=True),), right)
        yield Text(chosen[0].text or "")
    elif len(chosen) == 3:
        yield from all_texts(chosen, at.columns(3))
    else:
        before, after = chosen
        yield from two_texts(before, after, at.columns(2) and at.in_columns is not None)
        if before.title == "Default then":  # what is at stake stands below
            mine = pairs[-1][-1]
            yield Title((Piece(mine.title, "soft", bold=True),), _since(id, at))
            yield Text(mine.text or "")
    if len(pairs) > 1:
        yield Words(())
        yield Words(key_words(at.keys.compare, f"shows {_named(pairs[(at.view + 1) % len(pairs)])}"))


def _named(chosen: tuple[Named, ...]) -> str:
    words = [f"{each.title[:1].lower()}{each.title[1:]}" for each in chosen]
    return (
        " against ".join(words)
        if len(words) == 2
        else f"{words[0]} alone"
        if len(words) == 1
        else "all three texts"
    )


def _since(id: EntryId, at: Situation) -> Line:
    for line in at.history:
        if f"override {id.key}" in line.changes:
            return (Piece(f"since revision {line.revision}", "faint"),)
    return ()


def _saved_text(id: EntryId, at: Situation) -> str | None:
    config = at.snapshot.config
    if id.kind == "section":
        return section_text(config, id.key, None)
    value = laid_value(config, None, id)
    return None if value is None else str(value["content" if id.kind == "skill" else "instruction"])


def _skill(id: EntryId, at: Situation) -> Iterator[Part]:
    value = laid_value(at.snapshot.config, at.draft, id)
    if value is None:
        yield Words((Piece("Removed with the next save.", "soft"),))
        return
    yield Words((Piece("Its name and description are in the catalogue; its content is loaded on demand.", "soft"),))
    yield Facts((Fact("name", outside(value["name"])), Fact("about", outside(value["description"]))))
    if value["name"] in RESERVED_SKILLS:
        yield Words(
            (Piece("× ", "failed", bold=True), Piece("The name is built in; override the part of that name."))
        )
    yield from _texts(id, at)


def _rule(id: EntryId, at: Situation) -> Iterator[Part]:
    value = laid_value(at.snapshot.config, at.draft, id)
    if value is None:
        yield Words((Piece("Removed with the next save.", "soft"),))
        return
    keys = [key for key, each, _ in laid_rules(at.snapshot.config, at.draft) if each is not None]
    is_on = value["enabled"]
    yield Words(
        (
            Piece("✓ on" if is_on else "○ off", "running" if is_on else "faint", bold=True),
            Piece(f", {keys.index(id.key) + 1} of {counted(len(keys), 'rule')}", "soft"),
        )
    )
    yield Facts((Fact("id", outside(value["id"])), Fact("name", outside(value["name"]))))
    yield from _texts(id, at)
    if is_on:
        line = f"- {value['name']} ({value['id']}): {value['instruction']}"
        yield Title((Piece("As the main Session reads it", "soft", bold=True),))
        yield Text(line, has_numbers=False)


def _mode(at: Situation) -> Iterator[Part]:
    mode = accept_mode(at.snapshot.config, at.draft)
    yield Words(
        (Piece("How work that a rule has matched is accepted. The gate is code; the model only reads it.", "soft"),)
    )
    yield Rows(
        tuple(
            (
                (
                    Piece("● " if each == mode else "○ ", "running" if each == mode else "faint", bold=True),
                    *outside(each, "strong" if each == mode else "text"),
                ),
                (Piece("shipped default", "faint"),) if index == 0 else (),
            )
            for index, each in enumerate(at.modes)
        )
    )
    version = at.snapshot.policy_version
    yield Facts((Fact("policy", (Piece(f"last changed in revision {version}" if version else "never changed"),)),))


def _versions(at: Situation) -> Iterator[Part]:
    if not at.history:
        return
    newest = at.history[0].revision
    yield Title(
        (Piece("Versions", "soft", bold=True),),
        (Piece(at.keys.versions, "strong", bold=True), Piece(f" all {newest + 1}", "faint")),
    )
    digits = len(str(newest))
    yield Rows(tuple((version_words(line, digits, at.now), ()) for line in at.history[:LAST]))


def version_words(line: VersionLine, digits: int, now: datetime) -> Line:
    """A revision on one line."""
    return (
        Piece(f"{line.revision:>{digits}}  ", "strong"),
        Piece(f"{when(line.created_at, now):<16}  ", "soft"),
        Piece(f"{line.origin or '':<5}  ", "soft"),
        *outside(what_of(line)),
    )


def path_start(id: EntryId) -> str:
    """How the paths of problems of an entry begin."""
    return {
        "part": f'overrides["{id.key}"]',
        "section": f"sections.{id.key}",
        "mode": "policy.accept_mode",
        "skill": "skills[",
        "rule": "policy.rules[",
    }[id.kind]


def _problems(id: EntryId, at: Situation) -> Iterator[Part]:
    """Those of this entry first: all of them, since a save is refused as a whole."""
    if at.trouble:
        yield Words((Piece("× ", "failed", bold=True), *outside(at.trouble)))
        yield Words(())
    mine = path_start(id)
    ordered = sorted(at.problems, key=lambda problem: not problem.path.startswith(mine))
    for problem in ordered:
        where = f"{problem.path}: " if problem.path else ""
        yield Words((Piece("× ", "failed", bold=True), *outside(f"{where}{problem.message} ({problem.code})")))
    if ordered:
        yield Words(())
