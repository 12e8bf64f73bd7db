"""One version beside the defaults of this release: what every text of one assembly comes from.

Source: docs/team.md 3, 5 and 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from workbench.team.builtin import Builtins, rendered
from workbench.team.config import Base, TeamConfig
from workbench.team.parts import GROUPS, PARTS, Group, Part, Role, missing_placeholders

PartState = Literal["default", "overridden", "default updated"]


@dataclass(frozen=True, slots=True)
class PartView:
    """A part as a list or an editor shows it."""

    key: str
    group: Group
    roles: tuple[Role, ...]
    state: PartState
    placeholders: tuple[str, ...]
    """Tokens that its text must hold."""
    default: str
    """The text of this release."""
    default_sha256: str
    """To be given as `base`, by whoever has looked at this default."""
    override: str | None
    """The team's own text, byte for byte; None for a part that follows the default."""
    base: Base | None
    """The default that it was made from; None without an override."""

    @property
    def effective(self) -> str:
        """What is rendered."""
        return self.default if self.override is None else rendered(self.override)

    def missing_placeholders(self, text: str) -> tuple[str, ...]:
        """What an edited text of this part lacks."""
        return missing_placeholders(self.key, text)


@dataclass(frozen=True, slots=True)
class TeamSnapshot:
    """Immutable. All providers of an assembly and its recorded revision use the same one."""

    revision: int
    policy_version: int
    config: TeamConfig
    builtins: Builtins

    def effective(self, key: str) -> str:
        """The text of a part as it is rendered. Raises `KeyError` for what is no part."""
        override = self.config.overrides.get(key)
        return self.builtins.parts[key].text if override is None else rendered(override.text)

    def part(self, key: str) -> PartView:
        """Everything about one part. Raises `KeyError`."""
        builtin = self.builtins.parts[key]
        part = PARTS.get(key) or Part(key, "working", ())
        override = self.config.overrides.get(key)
        state: PartState = "default"
        if override is not None:
            is_updated = override.base.sha256 != builtin.sha256 and rendered(override.text) != builtin.text
            state = "default updated" if is_updated else "overridden"
        return PartView(
            key,
            part.group,
            part.roles,
            state,
            part.placeholders,
            builtin.text,
            builtin.sha256,
            None if override is None else override.text,
            None if override is None else override.base,
        )

    def parts(self) -> tuple[PartView, ...]:
        """All parts, by group."""
        known = (*(key for key in PARTS if key in self.builtins.parts), *(set(self.builtins.parts) - set(PARTS)))
        return tuple(sorted(map(self.part, known), key=lambda view: GROUPS.index(view.group)))

    @property
    def default_changed(self) -> tuple[str, ...]:
        """Keys of the parts that are marked Default updated."""
        return tuple(view.key for view in self.parts() if view.state == "default updated")

    @property
    def overridden(self) -> tuple[str, ...]:
        """Keys of the parts that the team has a text of its own for."""
        return tuple(view.key for view in self.parts() if view.override is not None)

    def skill_descriptions(self) -> dict[str, str]:
        """The catalogue: built-in skills, then those of the team."""
        return {**self.builtins.skills, **{skill.name: skill.description for skill in self.config.skills}}

    def skill_content(self, name: str) -> str | None:
        """What loading a skill gives; None for an unknown one."""
        if name in self.builtins.skills:
            return self.effective(f"skill/{name}")
        return next((rendered(skill.content) for skill in self.config.skills if skill.name == name), None)
