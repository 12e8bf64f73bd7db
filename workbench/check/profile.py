"""Provider profiles: data files that say what a provider refuses, each rule with its public source.

Source: docs/checks.md 5.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from workbench.check.schema_rules import KINDS, TOOL_COUNT, Judge
from workbench.config.problems import did_you_mean

SHIPPED = ("anthropic", "deepseek", "gemini", "openai", "openai-strict")
USUAL = ("openai", "anthropic", "deepseek")
"""Looked at when nobody says which provider it is: what they refuse is a broken schema rather than a dialect."""


class ProfileError(Exception):
    """A profile that cannot be used. The message says why and what to do."""


@dataclass(frozen=True, slots=True)
class ProfileRule:
    """One thing that a provider demands."""

    kind: str
    source: str
    """Address of the public page that says so."""
    judge: Judge | None
    """None for the kind that counts tools."""
    most: int = 0


@dataclass(frozen=True, slots=True)
class Profile:
    """What one provider demands of tools."""

    name: str
    title: str
    rules: tuple[ProfileRule, ...]


@cache
def shipped_profile(name: str) -> Profile:
    """A profile that comes with the workbench. Raises `ProfileError`."""
    if name not in SHIPPED:
        raise ProfileError(
            f'there is no profile "{name}"; ' + did_you_mean(name, SHIPPED, f"there are: {', '.join(SHIPPED)}")
        )
    text = (files("workbench.check") / "profiles" / f"{name}.json").read_text(encoding="utf-8")
    return made_profile(json.loads(text))


def profile(name: str, folder: str = "") -> Profile:
    """A shipped profile, or the file of that name below `folder`. Raises `ProfileError`."""
    if not name.endswith(".json"):
        return shipped_profile(name)
    path = Path(folder) / name
    try:
        return made_profile(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise ProfileError(f"the profile {path} cannot be read: {error}") from None


def made_profile(data: Any) -> Profile:
    """A profile from its data. Raises `ProfileError`."""
    try:
        inherited = shipped_profile(data["extends"]).rules if "extends" in data else ()
        rules = tuple(_rule(each) for each in data["rules"])
        return Profile(str(data["name"]), str(data.get("title", data["name"])), (*inherited, *rules))
    except ProfileError:
        raise
    except Exception as error:
        raise ProfileError(f"this is no profile ({type(error).__name__}: {error}); see docs/checks.md 5") from None


def _rule(data: Any) -> ProfileRule:
    kind, source = data["rule"], str(data["source"])
    if kind == TOOL_COUNT:
        return ProfileRule(kind, source, None, int(data["most"]))
    if kind not in KINDS:
        known = (*KINDS, TOOL_COUNT)
        raise ProfileError(
            f'there is no kind of rule "{kind}"; ' + did_you_mean(kind, known, f"there are: {', '.join(known)}")
        )
    return ProfileRule(kind, source, KINDS[kind](data))
