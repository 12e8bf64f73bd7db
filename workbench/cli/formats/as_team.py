"""A team's prompts as lines and as JSON.

Source: docs/team.md 15.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

from workbench.cli.output import Output
from workbench.config.difference.unified import unified
from workbench.team.builtin import rendered
from workbench.team.comparing import TextChange
from workbench.team.compose import rule_lines
from workbench.team.parts import GROUPS, SECTION_HEADINGS
from workbench.team.snapshot import PartView, TeamSnapshot
from workbench.team.validation import size_of
from workbench.team.version import VersionLine
from workbench.visible import visible_line


def list_lines(snapshot: TeamSnapshot, store: str, limit: int, output: Output) -> Iterator[str]:
    """Parts by group, sections, skills and the policy."""
    size = size_of(snapshot.config)
    yield f"{visible_line(store)}, revision {snapshot.revision}; {size:,} of {limit:,} bytes"
    for group in GROUPS:
        yield ""
        yield output.styled(group, "bold")
        for view in snapshot.parts():
            if view.group == group:
                state = "" if view.state == "default" else view.state
                yield f"  {view.key:30}{'+'.join(view.roles):22}{output.styled(state, 'yellow')}".rstrip()
    yield ""
    yield output.styled("sections", "bold")
    for name, text in snapshot.config.sections:
        written = "" if rendered(text) == snapshot.builtins.sections[name] else "written by the team"
        yield f"  {name:30}{SECTION_HEADINGS[name]:22}{written}".rstrip()
    yield ""
    yield output.styled("skills", "bold")
    yield from (
        f"  {visible_line(name):30}{visible_line(text)}" for name, text in snapshot.skill_descriptions().items()
    )
    yield ""
    policy = snapshot.config.policy
    yield output.styled(f"policy {snapshot.policy_version}, accept mode {visible_line(policy.accept_mode)}", "bold")
    for rule in policy.rules:
        yield f"  {visible_line(rule_lines((rule,)))}{'' if rule.enabled else ' [disabled]'}"


def history_lines(lines: Iterable[VersionLine]) -> Iterator[str]:
    """One line for each version."""
    for line in lines:
        if line.created_at is None:
            yield f"{line.revision:6}  shipped defaults"
            continue
        restored = "" if line.restored_from is None else f"restored from {line.restored_from}; "
        changes = visible_line(", ".join(line.changes)) or "nothing changed"
        yield f"{line.revision:6}  {line.created_at:%Y-%m-%d %H:%M:%S}Z  {line.origin:6} {restored}{changes}"


def version_json(line: VersionLine) -> dict[str, Any]:
    """A version without its configuration."""
    told = {field.name: getattr(line, field.name) for field in fields(VersionLine)}
    created = line.created_at
    return {
        **told,
        "created_at": None if created is None else created.isoformat(),
        "changes": list(line.changes),
    }


def part_json(view: PartView, *, texts: bool = False) -> dict[str, Any]:
    """A part; with its three texts if they are wanted."""
    base = view.base
    told: dict[str, Any] = {
        "part": view.key,
        "group": view.group,
        "roles": list(view.roles),
        "state": view.state,
        "placeholders": list(view.placeholders),
        "default_sha256": view.default_sha256,
        "base_sha256": None if base is None else base.sha256,
    }
    if texts:
        told |= {"effective": view.effective, "override": view.override, "default": view.default}
        told["base"] = None if base is None else base.text
    return told


def differences(changes: Iterable[TextChange], names: tuple[str, str]) -> Iterator[str]:
    """A unified difference for each text. Rendered texts end without a line end, which is no news."""
    for each in changes:
        before_name, after_name = (f"{name}: {each.name}" for name in names)
        before, after = (f"{text}\n" if text else "" for text in (each.before, each.after))
        yield unified(before, after, before_name, after_name).removesuffix("\n")
