"""What can be chosen in Team: parts, sections, skills, the accept mode, rules; a draft is laid over them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from workbench.team.builtin import rendered
from workbench.team.parts import GROUPS, SECTION_HEADINGS

if TYPE_CHECKING:
    from workbench.team.config import TeamConfig
    from workbench.team.drafts import Draft
    from workbench.team.snapshot import PartView, TeamSnapshot

Kind = Literal["part", "section", "skill", "mode", "rule"]
Change = Literal["", "edited", "kept", "to default", "new", "removed"]
"""What the draft does with an entry."""


class EntryId(NamedTuple):
    """An entry. Skills and rules go by the name and id that they have in the base of the draft."""

    kind: Kind
    key: str

    @property
    def field(self) -> str:
        """The name under which a draft keeps the place of the cursor."""
        return f"{self.kind} {self.key}"


MODE = EntryId("mode", "accept_mode")


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry as the list shows it."""

    id: EntryId
    name: str
    state: str
    """`default`, `yours`, `on`, `off`, or the accept mode."""
    is_updated: bool
    """Its default moved after the team had written its text."""
    change: Change
    size: int
    """UTF-8 bytes of what is or would be in force."""


@dataclass(frozen=True, slots=True)
class Group:
    """Entries below one heading."""

    title: str
    entries: tuple[Listed, ...]
    empty: str = ""
    """What stands there without any."""


def groups_of(snapshot: TeamSnapshot, draft: Draft | None) -> tuple[Group, ...]:
    """Everything that there is, in the order of the list."""
    views = snapshot.parts()
    parts = [
        Group(group[:1].upper() + group[1:], tuple(_part(view, draft) for view in views if view.group == group))
        for group in GROUPS
    ]
    config = snapshot.config
    sections = tuple(_section(snapshot, name, draft) for name in SECTION_HEADINGS)
    skills = tuple(
        Listed(EntryId("skill", key), key if value is None else value["name"], "", False, change, _bytes(value))
        for key, value, change in laid_skills(config, draft)
    )
    rules = tuple(
        Listed(
            EntryId("rule", key), key if value is None else value["id"], _on(value), False, change, _bytes(value)
        )
        for key, value, change in laid_rules(config, draft)
    )
    return (
        *(group for group in parts if group.entries),
        Group("Team sections", sections),
        Group("Team skills", skills, "none yet: n adds one"),
        Group("Policy", (_mode(config, draft), *rules)),
    )


def draft_text(view: PartView, draft: Draft | None) -> tuple[str | None, bool]:
    """The override of a part with the draft laid over it, and whether the draft touches it."""
    if draft is None or view.key not in draft.overrides:
        return view.override, False
    given = draft.overrides[view.key]
    return (None if given is None else given["text"]), True


def change_of_part(view: PartView, draft: Draft | None) -> Change:
    """What the draft does with it."""
    text, is_touched = draft_text(view, draft)
    if not is_touched:
        return ""
    if text is None or rendered(text) == view.default:
        return "to default"
    return "kept" if text == view.override else "edited"


def section_text(config: TeamConfig, name: str, draft: Draft | None) -> str:
    """The text of a section, with the draft laid over it."""
    saved: str = getattr(config.sections, name)
    return saved if draft is None else draft.sections.get(name, saved)


def accept_mode(config: TeamConfig, draft: Draft | None) -> str:
    """The accept mode, likewise."""
    given = None if draft is None else draft.accept_mode
    return config.policy.accept_mode if given is None else given


Laid = tuple[str, "dict[str, Any] | None", Change]
"""Key in the base, value with the draft laid over it (None: removed), what the draft does."""


def laid_skills(config: TeamConfig, draft: Draft | None) -> list[Laid]:
    """Skills of the configuration, then new ones of the draft."""
    saved = {skill.name: skill.model_dump() for skill in config.skills}
    return list(_laid(saved, {} if draft is None else draft.skills))


def laid_rules(config: TeamConfig, draft: Draft | None) -> list[Laid]:
    """Rules in the order that they have or would have."""
    saved = {rule.id: rule.model_dump() for rule in config.policy.rules}
    laid = list(_laid(saved, {} if draft is None else draft.rules))
    order = () if draft is None or draft.rule_order is None else draft.rule_order
    rank = {key: index for index, key in enumerate(order)}
    return sorted(laid, key=lambda each: rank.get(each[0], len(rank)))


def laid_value(config: TeamConfig, draft: Draft | None, id: EntryId) -> dict[str, Any] | None:
    """A skill or rule with the draft laid over it; None: it is not there, or is removed."""
    laid = laid_skills(config, draft) if id.kind == "skill" else laid_rules(config, draft)
    return next((value for key, value, _ in laid if key == id.key), None)


def _laid(saved: dict[str, dict[str, Any]], edits: dict[str, Any]) -> Iterator[Laid]:
    for key, value in saved.items():
        if key not in edits:
            yield key, value, ""
        else:
            given = edits[key]
            yield key, given, "removed" if given is None else "edited"
    for key, given in edits.items():
        if key not in saved and given is not None:
            yield key, given, "new"


def _part(view: PartView, draft: Draft | None) -> Listed:
    text, _ = draft_text(view, draft)
    shown = view.default if text is None else text
    state = "default" if view.override is None else "yours"
    is_updated = view.state == "default updated"
    change = change_of_part(view, draft)
    return Listed(EntryId("part", view.key), view.key, state, is_updated, change, len(shown.encode()))


def _section(snapshot: TeamSnapshot, name: str, draft: Draft | None) -> Listed:
    text, default = section_text(snapshot.config, name, draft), snapshot.builtins.sections[name]
    state = "default" if rendered(section_text(snapshot.config, name, None)) == default else "yours"
    change: Change = ""
    if draft is not None and name in draft.sections:
        change = "to default" if rendered(text) == default else "edited"
    return Listed(EntryId("section", name), SECTION_HEADINGS[name], state, False, change, len(text.encode()))


def _mode(config: TeamConfig, draft: Draft | None) -> Listed:
    change: Change = "edited" if draft is not None and draft.accept_mode is not None else ""
    return Listed(MODE, "accept mode", accept_mode(config, draft), False, change, 0)


def _on(rule: dict[str, Any] | None) -> str:
    return "" if rule is None else "on" if rule["enabled"] else "off"


def _bytes(value: dict[str, Any] | None) -> int:
    return 0 if value is None else sum(len(each.encode()) for each in value.values() if isinstance(each, str))
