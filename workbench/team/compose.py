"""The parts of a role's prompt, in their order: the one function that knows it.

Source: docs/team.md 4, 5 and 6.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from workbench.team.builtin import rendered
from workbench.team.config import Rule
from workbench.team.parts import (
    ENVIRONMENT,
    NO_POLICY,
    POLICY,
    SECTION_HEADINGS,
    Role,
    placeholders_of,
)
from workbench.team.snapshot import TeamSnapshot

MAIN_SECTION = "runtime:main"
"""The one section of an orchestrator: complete, at the position of `RUNTIME_SHARED`."""
NOTE_SECTION = "runtime:inferred_note"
NOTE_KEY = "RUNTIME_INFERRED_NOTE"
NO_LINES = "(none)"
SEPARATOR = "\n\n"


@dataclass(frozen=True, slots=True)
class RuntimeEnv:
    """What the host knows of the agent that is asked for."""

    variables: tuple[tuple[str, str], ...] = ()
    """Environment lines, in the host's order: of the deployment, or of an Executor's Ticket."""
    matched_rules: tuple[Rule, ...] | None = None
    """Of an inferred Ticket, as recorded when it was created; None for any other agent."""


@dataclass(frozen=True, slots=True)
class RuntimePart:
    """One part as it is rendered."""

    name: str
    """The part key, or the name of a section that the team writes."""
    section: str
    """Name of the section that it is, or would be."""
    order_key: str
    """Its position in the allocation."""
    text: str


@dataclass(frozen=True, slots=True)
class _Slot:
    section: str
    order_key: str
    keys: Mapping[Role, str] = field(default_factory=dict)
    """Part keys by role; a role that is missing does not read it."""
    heading: str = ""
    """Name of a team section instead."""


def _both(key: str) -> dict[Role, str]:
    return {"orchestrator": key, "worker": key}


SLOTS: tuple[_Slot, ...] = (
    _Slot("runtime:shared", "RUNTIME_SHARED", _both("runtime/shared")),
    _Slot("runtime:role", "RUNTIME_ROLE", {"orchestrator": "runtime/orchestrator", "worker": "runtime/worker"}),
    *(_Slot(f"runtime:{name}", f"RUNTIME_{name.upper()}", heading=name) for name in SECTION_HEADINGS),
    _Slot("runtime:subscriptions", "RUNTIME_SUBSCRIPTIONS", _both("runtime/subscriptions")),
    _Slot("runtime:replies", "RUNTIME_REPLIES", _both("runtime/replies")),
    _Slot("runtime:dispatch", "RUNTIME_DISPATCH", {"orchestrator": "runtime/dispatch"}),
    _Slot("runtime:work", "RUNTIME_WORK", {"worker": "runtime/work"}),
    _Slot("runtime:admission", "RUNTIME_ADMISSION", {"orchestrator": "runtime/admission"}),
    _Slot(
        "runtime:handoff",
        "RUNTIME_HANDOFF",
        {"orchestrator": "runtime/handoff/orchestrator", "worker": "runtime/handoff/worker"},
    ),
    _Slot("runtime:environment", "RUNTIME_ENVIRONMENT", _both(ENVIRONMENT)),
    _Slot("runtime:policy", "RUNTIME_POLICY", {"orchestrator": POLICY}),
)


def slots_of(role: Role) -> tuple[_Slot, ...]:
    """The slots that a role reads."""
    return tuple(slot for slot in SLOTS if slot.heading or role in slot.keys)


def compose_runtime_parts(role: Role, snapshot: TeamSnapshot, env: RuntimeEnv) -> list[RuntimePart]:
    """The parts of this role's prompt in their order; those without any text are left out.

    The final note of an inferred Ticket is the last one. An orchestrator has none, whatever `env` says.
    """
    parts = list(_parts(role, snapshot, env))
    if role == "worker" and env.matched_rules is not None:
        note = fill(snapshot.builtins.inferred_note, {"{rules}": rule_lines(env.matched_rules)})
        parts.append(RuntimePart("inferred_note", NOTE_SECTION, NOTE_KEY, note))
    return [part for part in parts if part.text]


def join_parts(parts: Iterable[RuntimePart]) -> str:
    """The text of an orchestrator's one section."""
    return SEPARATOR.join(part.text for part in parts)


def fill(template: str, values: Mapping[str, str]) -> str:
    """Replace each of these tokens everywhere, in one pass: what a value holds is not looked at again."""
    if not values:
        return template
    pattern = "|".join(map(re.escape, values))
    return re.sub(pattern, lambda match: values[match[0]], template)


def rule_lines(rules: Iterable[Rule]) -> str:
    """One line for each rule."""
    return "\n".join(f"- {rule.name} ({rule.id}): {rule.instruction}" for rule in rules)


def environment_lines(variables: Iterable[tuple[str, str]]) -> str:
    """One line for each value, or a word that says that there is none."""
    return "\n".join(f"- {name}: {value}" for name, value in variables) or NO_LINES


def heading_text(name: str, text: str) -> str:
    """A team section as it is rendered: the heading alone where the team has written nothing."""
    text = rendered(text)
    heading = f"## {SECTION_HEADINGS[name]}"
    return f"{heading}{SEPARATOR}{text}" if text else heading


def _parts(role: Role, snapshot: TeamSnapshot, env: RuntimeEnv) -> Iterator[RuntimePart]:
    for slot in slots_of(role):
        if slot.heading:
            text = heading_text(slot.heading, getattr(snapshot.config.sections, slot.heading))
            yield RuntimePart(slot.heading, slot.section, slot.order_key, text)
            continue
        key = slot.keys[role]
        if key == POLICY and not snapshot.config.policy.enabled_rules():
            key = NO_POLICY
        own = {token: _value(token, snapshot, env) for token in placeholders_of(key)}
        yield RuntimePart(key, slot.section, slot.order_key, fill(snapshot.effective(key), own))


def _value(token: str, snapshot: TeamSnapshot, env: RuntimeEnv) -> str:
    match token:
        case "{variables}":
            return environment_lines(env.variables)
        case "{version}":
            return str(snapshot.policy_version)
        case "{mode}":
            return snapshot.config.policy.accept_mode
        case _:
            return rule_lines(snapshot.config.policy.enabled_rules())
