"""The entries of several files as those of one: of equal entries the one in the later file counts.

Source: docs/compositions.md 17.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from workbench.config.model import CheckEntry, CompositionEntries

T = TypeVar("T")

SETTINGS = (
    "description",
    "persona",
    "include_harness_identity",
    "include_runtime_context",
    "tool_order",
    "session_log",
)

IDENTITIES: dict[str, Callable[[Any], Hashable]] = {
    "scopes": lambda scope: scope.name,
    "agents": lambda agent: agent.name,
    "plugins": lambda plugin: (plugin.use, plugin.scope),
    "sections": lambda section: (section.scope, section.name),
    "contexts": lambda context: (context.scope, context.name),
    "variables": lambda variable: (variable.scope, variable.name),
    "tools": lambda tool: (tool.scope, tool.name),
    "models": lambda model: model.name,
    "restrictions": lambda restriction: restriction.scope,
}
"""What makes two entries of a kind the same one."""


class FileEntries(NamedTuple):
    """What one file says."""

    entries: CompositionEntries
    given: frozenset[str]
    """Keys that it gives a value. The others say nothing, whatever their defaults are."""


def merged_entries(files: Sequence[FileEntries]) -> CompositionEntries:
    """All entries, those of the last file on top. Two equal ones within one file both stay, to be refused."""
    merged: dict[str, Any] = {}
    for setting in SETTINGS:
        for file in files:
            if setting in file.given:
                merged[setting] = getattr(file.entries, setting)
    for kind, identity in IDENTITIES.items():
        merged[kind] = tuple(_merged([getattr(file.entries, kind) for file in files], identity))
    checks = [file.entries.check for file in files if file.entries.check is not None]
    return CompositionEntries(include=files[-1].entries.include, check=_merged_checks(checks), **merged)


def _merged(files: Iterable[tuple[T, ...]], identity: Callable[[T], Hashable]) -> Iterable[T]:
    """An entry that is given again keeps the place of the first one."""
    by_identity: dict[Hashable, list[T]] = {}
    for entries in files:
        own: dict[Hashable, list[T]] = {}
        for entry in entries:
            own.setdefault(identity(entry), []).append(entry)
        by_identity.update(own)
    return (entry for several in by_identity.values() for entry in several)


def _merged_checks(checks: Sequence[CheckEntry]) -> CheckEntry | None:
    """The last profiles and budgets count, and every switch."""
    if not checks:
        return None
    profiles = next((check.profiles for check in reversed(checks) if check.profiles is not None), None)
    budgets = next((check.budgets for check in reversed(checks) if check.budgets is not None), None)
    off = tuple(switch for check in checks for switch in check.off)
    return CheckEntry(profiles, budgets, off, checks[-1].at)
