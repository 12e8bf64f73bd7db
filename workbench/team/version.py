"""Versions: every accepted save makes one, and nothing changes any.

Source: docs/team.md 9.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from workbench.team.config import TeamConfig

Origin = Literal["panel", "tool"]
DEFAULTS: Literal["defaults"] = "defaults"
RestoredFrom = int | Literal["defaults"]


@dataclass(frozen=True, slots=True)
class VersionLine:
    """A version without its texts: one line of a history."""

    revision: int
    predecessor: int | None
    """None for revision 0, the shipped defaults."""
    created_at: datetime | None
    """UTC. None for revision 0."""
    origin: Origin | None
    policy_version: int
    """The revision in which the policy last changed; 0 before any change."""
    restored_from: RestoredFrom | None
    changes: tuple[str, ...]
    """What is another than in its predecessor, such as `override runtime/work`."""
    bytes: int
    """Of everything that the team had written."""


@dataclass(frozen=True, slots=True)
class Version(VersionLine):
    """A version with its whole configuration."""

    config: TeamConfig


@dataclass(frozen=True, slots=True)
class Saved:
    """What came of a save."""

    version: Version
    dropped_parts: tuple[str, ...] = ()


def changes_between(before: TeamConfig, after: TeamConfig) -> tuple[str, ...]:
    """What differs, in words for a history; empty where nothing does."""
    return tuple(_changes(before, after))


def _changes(before: TeamConfig, after: TeamConfig) -> Iterator[str]:
    for name in type(after.sections).model_fields:
        if getattr(before.sections, name) != getattr(after.sections, name):
            yield f"section {name}"
    for key in sorted({*before.overrides, *after.overrides}):
        old, new = before.overrides.get(key), after.overrides.get(key)
        if old != new:
            only_base = old is not None and new is not None and old.text == new.text
            yield f"{'base of ' if only_base else ''}override {key}{' removed' if new is None else ''}"
    skills = [{skill.name: skill for skill in config.skills} for config in (before, after)]
    for name in sorted({*skills[0], *skills[1]}):
        if skills[0].get(name) != skills[1].get(name):
            yield f"skill {name}{' removed' if name not in skills[1] else ''}"
    if before.policy.accept_mode != after.policy.accept_mode:
        yield "accept mode"
    rules = [{rule.id: rule for rule in config.policy.rules} for config in (before, after)]
    for id in sorted({*rules[0], *rules[1]}):
        if rules[0].get(id) != rules[1].get(id):
            yield f"rule {id}{' removed' if id not in rules[1] else ''}"
    common = [[id for id in rules[side] if id in rules[1 - side]] for side in (0, 1)]
    if common[0] != common[1]:
        yield "order of rules"
