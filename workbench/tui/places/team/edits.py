"""One edit at a time, as another draft. An edit that changes nothing any more leaves the draft."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from workbench.team.builtin import rendered
from workbench.team.drafts import Draft
from workbench.team.snapshot import TeamSnapshot
from workbench.tui.view.team_entries import (
    EntryId,
    accept_mode,
    laid_rules,
    laid_skills,
    laid_value,
    section_text,
)

NEW_SKILL: dict[str, Any] = {"name": "", "description": "", "content": ""}
NEW_RULE: dict[str, Any] = {"id": "", "name": "", "instruction": "", "enabled": True}


def with_text(draft: Draft, snapshot: TeamSnapshot, id: EntryId, text: str, values: dict[str, str]) -> Draft:
    """What was typed. The default that the person looks at is the base of an override from now on."""
    if id.kind == "part":
        view = snapshot.part(id.key)
        is_as_saved = text == view.override if view.override is not None else rendered(text) == view.default
        return without(draft, id) if is_as_saved else draft.with_override(id.key, text, view.default_sha256)
    if id.kind == "section":
        is_as_saved = text == getattr(snapshot.config.sections, id.key)
        return without(draft, id) if is_as_saved else draft.with_section(id.key, text)
    value = laid_value(snapshot.config, draft, id)
    if value is None:
        return draft
    return with_value(draft, snapshot, id, {**value, **values, _text_key(id): text})


def with_value(draft: Draft, snapshot: TeamSnapshot, id: EntryId, value: dict[str, Any]) -> Draft:
    """A skill or a rule."""
    if value == laid_value(snapshot.config, None, id):
        return without(draft, id)
    if id.kind == "skill":
        return replace(draft, skills={**draft.skills, id.key: value})
    return replace(draft, rules={**draft.rules, id.key: value})


def after_save(id: EntryId, saved: Draft) -> EntryId:
    """How an entry is called now: a skill or rule may have been saved under another name."""
    if id.kind not in ("skill", "rule"):
        return id
    value = (saved.skills if id.kind == "skill" else saved.rules).get(id.key)
    return EntryId(id.kind, str(value["name" if id.kind == "skill" else "id"])) if value else id


def typed_meanwhile(draft: Draft, saved: Draft, revision: int) -> Draft:
    """A draft that went on while an earlier state of it was saved, on top of what has come of that."""

    def key_of(kind: Literal["skill", "rule"], key: str) -> str:
        return after_save(EntryId(kind, key), saved).key

    order = draft.rule_order
    return replace(
        draft.rebased(revision),
        skills={key_of("skill", key): value for key, value in draft.skills.items()},
        rules={key_of("rule", key): value for key, value in draft.rules.items()},
        rule_order=None if order is None else tuple(key_of("rule", key) for key in order),
    )


def kept(draft: Draft, snapshot: TeamSnapshot, key: str) -> Draft | None:
    """The team's text stays, now on top of the present default; None where there is nothing to be answered."""
    view = snapshot.part(key)
    if view.override is None or view.state != "default updated":
        return None
    return draft.with_override(key, view.override, view.default_sha256)


def defaulted(draft: Draft, snapshot: TeamSnapshot, id: EntryId) -> Draft | None:
    """The part follows its default again, the section has it; None where that is so, without any edit."""
    if id.kind == "section":
        default = snapshot.builtins.sections[id.key]
        edited = with_text(draft, snapshot, id, default, {})
        return None if section_text(snapshot.config, id.key, draft) == default else edited
    view = snapshot.part(id.key)
    if view.override is not None:
        return draft.with_override(id.key, None)
    return without(draft, id) if id.key in draft.overrides else None


def toggled(draft: Draft, snapshot: TeamSnapshot, id: EntryId, modes: tuple[str, ...]) -> Draft | None:
    """A rule on or off, or the next accept mode; None for anything else."""
    if id.kind == "mode":
        present = accept_mode(snapshot.config, draft)
        following = modes[(modes.index(present) + 1) % len(modes)] if present in modes else modes[0]
        return replace(draft, accept_mode=None if following == snapshot.config.policy.accept_mode else following)
    value = laid_value(snapshot.config, draft, id) if id.kind == "rule" else None
    return None if value is None else with_value(draft, snapshot, id, {**value, "enabled": not value["enabled"]})


def moved(draft: Draft, snapshot: TeamSnapshot, id: EntryId, steps: int) -> Draft | None:
    """A rule among the others; None where it cannot go further."""
    order = [key for key, _, _ in laid_rules(snapshot.config, draft)]
    if id.kind != "rule" or id.key not in order:
        return None
    at = order.index(id.key)
    if not 0 <= at + steps < len(order):
        return None
    order.insert(at + steps, order.pop(at))
    saved = [rule.id for rule in snapshot.config.policy.rules]
    is_as_saved = [key for key in order if key in saved] == saved and order[: len(saved)] == saved
    return replace(draft, rule_order=None if is_as_saved else tuple(order))


def added(draft: Draft, snapshot: TeamSnapshot, kind: str) -> tuple[Draft, EntryId]:
    """With a new skill or rule that says nothing yet, and its entry."""
    laid = laid_skills(snapshot.config, draft) if kind == "skill" else laid_rules(snapshot.config, draft)
    taken = {key for key, _, _ in laid}
    number = next(each for each in range(1, len(taken) + 2) if f"new-{each}" not in taken)
    id = EntryId("skill" if kind == "skill" else "rule", f"new-{number}")
    if kind == "skill":
        return replace(draft, skills={**draft.skills, id.key: {**NEW_SKILL, "name": id.key}}), id
    return replace(draft, rules={**draft.rules, id.key: {**NEW_RULE, "id": id.key}}), id


def removed(draft: Draft, snapshot: TeamSnapshot, id: EntryId) -> Draft | None:
    """Without a skill or rule; None for what cannot be removed."""
    if id.kind not in ("skill", "rule"):
        return None
    if laid_value(snapshot.config, None, id) is None:
        return without(draft, id)  # it was new
    if id.kind == "skill":
        return replace(draft, skills={**draft.skills, id.key: None})
    return replace(draft, rules={**draft.rules, id.key: None})


def without(draft: Draft, id: EntryId) -> Draft:
    """The entry as it is saved."""
    if id.kind == "part":
        return replace(draft, overrides=_without(draft.overrides, id.key))
    if id.kind == "section":
        return replace(draft, sections=_without(draft.sections, id.key))
    if id.kind == "mode":
        return replace(draft, accept_mode=None)
    if id.kind == "skill":
        return replace(draft, skills=_without(draft.skills, id.key))
    order = draft.rule_order
    if order is not None and id.key not in draft.rules:
        order = None  # its place is the edit
    return replace(draft, rules=_without(draft.rules, id.key), rule_order=order)


def with_place(draft: Draft, id: EntryId, place: tuple[int, int]) -> Draft:
    """Where the cursor stands."""
    return replace(draft, places={**draft.places, id.field: place})


def _text_key(id: EntryId) -> str:
    return "content" if id.kind == "skill" else "instruction"


def _without(entries: dict[str, Any], key: str) -> dict[str, Any]:
    return {each: value for each, value in entries.items() if each != key}
