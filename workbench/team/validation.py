"""Whether a configuration may be saved, and what of it is kept.

Source: docs/team.md 8 and 10.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from workbench.team.builtin import Builtins, rendered
from workbench.team.config import (
    Base,
    Override,
    Policy,
    ProposedConfig,
    Rule,
    Skill,
    TeamConfig,
    path_of,
    read_shape,
)
from workbench.team.parts import RESERVED_SKILLS, missing_placeholders
from workbench.team.problems import Code, Problem, Refused

SKILL_NAME = re.compile(r"[a-z][a-z0-9-]{0,63}", re.ASCII)
RULE_ID = re.compile(r"[A-Za-z0-9_.-]+", re.ASCII)
DEFAULT_SIZE_LIMIT = 262144
"""Bytes."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a deployment allows."""

    size: int = DEFAULT_SIZE_LIMIT
    """UTF-8 bytes of everything that a team has written."""
    accept_modes: tuple[str, ...] = ("manual", "automatic")
    """The first is the shipped default."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A configuration that may be stored."""

    config: TeamConfig
    dropped_parts: tuple[str, ...] = ()
    """Overrides of parts that no longer exist."""
    bytes: int = 0
    """Its size, of at most `Limits.size`."""


def judge(proposal: object, saved: TeamConfig, builtins: Builtins, limits: Limits) -> Accepted:
    """What a save on top of `saved` stores.

    Raises `Refused`: violations of shape alone, else everything else that is wrong, together.
    """
    proposed = read_shape(ProposedConfig, proposal)
    overrides: dict[str, Override | _Unfounded] = {}
    for key, given in proposed.overrides.items():
        known = saved.overrides.get(key)
        current = builtins.parts.get(key)
        named = given.base if "base" in given.model_fields_set else None
        base: Base | None = None
        if current is not None:
            base = _base(
                named, None if known is None else known.base, Base(sha256=current.sha256, text=current.text)
            )
        overrides[key] = _Unfounded(given.text) if base is None else Override(text=given.text, base=base)
    policy = Policy(accept_mode=proposed.policy.accept_mode, rules=proposed.policy.rules)
    shown = TeamConfig.model_construct(
        sections=proposed.sections, skills=proposed.skills, overrides={}, policy=policy
    )
    return _judged(shown, overrides, set(saved.overrides), builtins, limits)


def judge_stored(config: TeamConfig, builtins: Builtins, limits: Limits) -> Accepted:
    """The same checks for a stored configuration that is to come back; bases are those that it had then."""
    return _judged(config, dict(config.overrides), set(config.overrides), builtins, limits)


@dataclass(frozen=True, slots=True)
class _Unfounded:
    """An override whose base nobody knows."""

    text: str


def _base(named: str | None, saved: Base | None, current: Base) -> Base | None:
    """The base of an override; None for one that is neither the present default nor the recorded one."""
    if named is None:
        return saved or current
    if named == current.sha256:
        return current
    return saved if saved is not None and named == saved.sha256 else None


def _judged(
    config: TeamConfig,
    overrides: Mapping[str, Override | _Unfounded],
    saved_keys: set[str],
    builtins: Builtins,
    limits: Limits,
) -> Accepted:
    dropped = tuple(key for key in overrides if key not in builtins.parts and key in saved_keys)
    left = {key: override for key, override in overrides.items() if key not in dropped}
    problems = [
        Problem("unknown_part", _override_path(key), f"there is no part {key!r}", {"part": key})
        for key in left
        if key not in builtins.parts
    ]
    left = {
        key: override
        for key, override in left.items()
        if key in builtins.parts and rendered(override.text) != builtins.parts[key].text
    }
    kept = {key: override for key, override in left.items() if isinstance(override, Override)}
    problems += [
        Problem(
            "unknown_base",
            f"{_override_path(key)}.base",
            "it is neither the sha256 of the present default nor that of the saved base; read the part again",
            {"part": key},
        )
        for key in left
        if key not in kept
    ]
    problems += _placeholder_problems(left)
    problems += _skill_problems(config.skills)
    problems += _rule_problems(config.policy, limits.accept_modes)
    result = TeamConfig.model_construct(
        sections=config.sections, skills=config.skills, overrides=kept, policy=config.policy
    )
    size = size_of(result) + sum(_bytes(each.text) for each in left.values() if isinstance(each, _Unfounded))
    if size > limits.size:
        message = f"the texts of the team have {size} bytes, and {limits.size} are allowed; shorten them by hand"
        problems.append(Problem("size_limit", "", message, {"bytes": size, "limit": limits.size}))
    if problems:
        raise Refused(tuple(problems))
    return Accepted(result, dropped, size)


def size_of(config: TeamConfig) -> int:
    """UTF-8 bytes of what the team has written; bases do not count."""
    return sum(map(_bytes, _written(config)))


def _written(config: TeamConfig) -> Iterator[str]:
    yield config.sections.communication
    yield config.sections.ticket_scope
    yield config.sections.delivery_requirements
    for skill in config.skills:
        yield from (skill.name, skill.description, skill.content)
    for override in config.overrides.values():
        yield override.text
    for rule in config.policy.rules:
        yield from (rule.id, rule.name, rule.instruction)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8"))


def _override_path(key: str) -> str:
    return path_of(iter(("overrides", key)))


def _placeholder_problems(overrides: Mapping[str, Override | _Unfounded]) -> Iterator[Problem]:
    for key, override in overrides.items():
        missing = missing_placeholders(key, override.text)
        if missing:
            message = f"the template {key} needs {' and '.join(missing)}"
            path = f"{_override_path(key)}.text"
            yield Problem("missing_placeholder", path, message, {"part": key, "missing": list(missing)})


def _skill_problems(skills: Iterable[Skill]) -> Iterator[Problem]:
    seen: set[str] = set()
    for index, skill in enumerate(skills):
        path = f"skills[{index}]"
        if skill.name in RESERVED_SKILLS:
            message = f"{skill.name!r} is built in; change it by an override of skill/{skill.name}"
            yield Problem("reserved_skill_name", f"{path}.name", message)
        elif SKILL_NAME.fullmatch(skill.name) is None:
            message = f"{skill.name!r} is no name: lower-case letters, digits and -, a letter first, at most 64"
            yield Problem("invalid_skill", f"{path}.name", message)
        if _is_no_line(skill.description):
            yield Problem("invalid_skill", f"{path}.description", "the description must be one line, and not empty")
        if skill.name in seen:
            yield Problem("duplicate_skill_name", f"{path}.name", f"another skill is called {skill.name!r}, too")
        seen.add(skill.name)


def _rule_problems(policy: Policy, accept_modes: tuple[str, ...]) -> Iterator[Problem]:
    code: Code = "invalid_rule"
    if policy.accept_mode not in accept_modes:
        known = ", ".join(accept_modes)
        yield Problem(code, "policy.accept_mode", f"there is no mode {policy.accept_mode!r}; there are: {known}")
    seen: set[str] = set()
    for index, rule in enumerate(policy.rules):
        yield from _one_rule(rule, f"policy.rules[{index}]")
        if rule.id in seen:
            yield Problem(code, f"policy.rules[{index}].id", f"another rule has the id {rule.id!r}, too")
        seen.add(rule.id)


def _one_rule(rule: Rule, path: str) -> Iterator[Problem]:
    if RULE_ID.fullmatch(rule.id) is None:
        message = f"{rule.id!r} is no id: letters, digits, _ . and - only"
        yield Problem("invalid_rule", f"{path}.id", message)
    for field in ("name", "instruction"):
        if _is_no_line(getattr(rule, field)):
            yield Problem("invalid_rule", f"{path}.{field}", f"the {field} must be one line, and not empty")


def _is_no_line(text: str) -> bool:
    return not text.strip() or "\n" in text or "\r" in text
