"""A team's prompts: parts with defaults, what the team made of them, versions, and who reads what.

Source: docs/team.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.team.builtin import Builtins, shipped_builtins
    from workbench.team.compose import RuntimeEnv, RuntimePart, compose_runtime_parts
    from workbench.team.config import TeamConfig
    from workbench.team.drafts import Draft, DraftFolder
    from workbench.team.plugin import TeamPrompts, TeamSettings
    from workbench.team.problems import Conflict, Problem, Refused
    from workbench.team.snapshot import TeamSnapshot
    from workbench.team.store.errors import StoreError
    from workbench.team.store.service import TeamStore
    from workbench.team.version import Saved, Version, VersionLine

_HOMES = {
    "Builtins": "builtin",
    "Conflict": "problems",
    "Draft": "drafts",
    "DraftFolder": "drafts",
    "Problem": "problems",
    "Refused": "problems",
    "RuntimeEnv": "compose",
    "RuntimePart": "compose",
    "Saved": "version",
    "StoreError": "store.errors",
    "TeamConfig": "config",
    "TeamPrompts": "plugin",
    "TeamSettings": "plugin",
    "TeamSnapshot": "snapshot",
    "TeamStore": "store.service",
    "Version": "version",
    "VersionLine": "version",
    "compose_runtime_parts": "compose",
    "shipped_builtins": "builtin",
}

__all__ = [
    "Builtins",
    "Conflict",
    "Draft",
    "DraftFolder",
    "Problem",
    "Refused",
    "RuntimeEnv",
    "RuntimePart",
    "Saved",
    "StoreError",
    "TeamConfig",
    "TeamPrompts",
    "TeamSettings",
    "TeamSnapshot",
    "TeamStore",
    "Version",
    "VersionLine",
    "compose_runtime_parts",
    "shipped_builtins",
]


def __getattr__(name: str) -> Any:
    """Each name from its module when it is asked for: a screen of drafts loads no database."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
