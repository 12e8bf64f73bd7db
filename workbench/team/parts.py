"""What can be overridden: the part keys, who reads each, and what a template must hold.

Source: docs/team.md 3 and 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["orchestrator", "worker"]
ROLES: tuple[Role, ...] = ("orchestrator", "worker")
Group = Literal["shared and role", "working", "handoff", "source skills", "generated"]
GROUPS: tuple[Group, ...] = ("shared and role", "working", "handoff", "source skills", "generated")


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the built-in text."""

    key: str
    group: Group
    roles: tuple[Role, ...]
    """Who reads it."""
    placeholders: tuple[str, ...] = ()
    """Tokens that a text of this part must hold, such as `{rules}`."""
    skill: str = ""
    """Name of the skill whose content it is; empty for a part of the prompt."""

    @property
    def file(self) -> str:
        """Where the default stands, below this package."""
        if self.skill:
            return f"skills/{self.skill}.md"
        return f"prompts/{self.key.removeprefix('runtime/').replace('/', '-')}.md"


_BOTH: tuple[Role, ...] = ROLES
_MAIN: tuple[Role, ...] = ("orchestrator",)
_EXECUTOR: tuple[Role, ...] = ("worker",)

ENVIRONMENT = "runtime/environment"
POLICY = "runtime/policy"
NO_POLICY = "runtime/policy/none"

PARTS: dict[str, Part] = {
    part.key: part
    for part in (
        Part("runtime/shared", "shared and role", _BOTH),
        Part("runtime/orchestrator", "shared and role", _MAIN),
        Part("runtime/worker", "shared and role", _EXECUTOR),
        Part("runtime/subscriptions", "working", _BOTH),
        Part("runtime/replies", "working", _BOTH),
        Part("runtime/dispatch", "working", _MAIN),
        Part("runtime/admission", "working", _MAIN),
        Part("runtime/work", "working", _EXECUTOR),
        Part("runtime/handoff/orchestrator", "handoff", _MAIN),
        Part("runtime/handoff/worker", "handoff", _EXECUTOR),
        Part("skill/feishu", "source skills", _BOTH, skill="feishu"),
        Part("skill/github", "source skills", _BOTH, skill="github"),
        Part(ENVIRONMENT, "generated", _BOTH, ("{variables}",)),
        Part(POLICY, "generated", _MAIN, ("{version}", "{mode}", "{rules}")),
        Part(NO_POLICY, "generated", _MAIN, ("{version}", "{mode}")),
    )
}
"""By key, in the order in which lists show them."""

SECTION_HEADINGS: dict[str, str] = {
    "communication": "Communication",
    "ticket_scope": "Ticket scope",
    "delivery_requirements": "Delivery requirements",
}
"""The sections that a team writes, and the headings by which built-in text refers to them."""

RESERVED_SKILLS: tuple[str, ...] = ("feishu", "github")


def placeholders_of(key: str) -> tuple[str, ...]:
    """The tokens that are filled in a part; none for a part that is no template."""
    part = PARTS.get(key)
    return () if part is None else part.placeholders


def missing_placeholders(key: str, text: str) -> tuple[str, ...]:
    """The tokens that a text of this part lacks, in the order of the table."""
    return tuple(token for token in placeholders_of(key) if token not in text)
