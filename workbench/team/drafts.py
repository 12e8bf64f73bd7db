"""Drafts: what a person has edited and not saved yet. They survive closing and restart, and every refusal.

A draft holds only what was edited. Laid over the configuration of its base it is the proposal of a save, so that
setting it on a newer base reverts nobody else's change.

Source: docs/team.md 9 and 14.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from workbench.team.config import TeamConfig

APPLICATION = "prompt-workbench"
FOLDER = "team-drafts"


class DraftError(Exception):
    """A draft cannot be kept, or what was kept cannot be read. The file is left as it is."""


@dataclass(frozen=True)
class Draft:
    """Edits on top of one revision. None as a value takes the entry away."""

    base_revision: int
    sections: dict[str, str] = field(default_factory=dict)
    """New texts of the team's sections."""
    overrides: dict[str, dict[str, str] | None] = field(default_factory=dict)
    """By part key: `text`, and `base` where the person has looked at another default than the recorded one."""
    skills: dict[str, dict[str, str] | None] = field(default_factory=dict)
    """By the name that the skill has in the base; a new one by its own."""
    accept_mode: str | None = None
    rules: dict[str, dict[str, Any] | None] = field(default_factory=dict)
    """By the id that the rule has in the base; a new one by its own."""
    rule_order: tuple[str, ...] | None = None
    """Ids, as a person has ordered them; others follow in their old order."""
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Where the cursor stood in each field: row and column."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was edited."""
        return self.accept_mode is None and not (
            self.sections or self.overrides or self.skills or self.rules or self.rule_order
        )

    def rebased(self, revision: int) -> Draft:
        """The same edits on another base: what a person does after having reviewed a conflict."""
        return replace(self, base_revision=revision)

    def with_override(self, key: str, text: str | None, base: str | None = None) -> Draft:
        """With a part's text; None for the default. `base`: sha256 of the default that the person has looked at."""
        given = None if text is None else {"text": text} | ({} if base is None else {"base": base})
        return replace(self, overrides={**self.overrides, key: given})

    def with_section(self, name: str, text: str) -> Draft:
        """With the text of a section."""
        return replace(self, sections={**self.sections, name: text})

    def over(self, config: TeamConfig) -> dict[str, Any]:
        """The whole proposal: these edits laid over the configuration of the base."""
        proposal = config.as_proposal()
        proposal["sections"].update(self.sections)
        _lay(proposal["overrides"], self.overrides)
        proposal["skills"] = _laid([*proposal["skills"]], "name", self.skills, None)
        policy = proposal["policy"]
        policy["rules"] = _laid([*policy["rules"]], "id", self.rules, self.rule_order)
        if self.accept_mode is not None:
            policy["accept_mode"] = self.accept_mode
        return proposal


_ADAPTER = TypeAdapter(Draft)


class DraftFolder:
    """Where drafts are kept: one file for each store. Its functions block; a screen calls them in a thread."""

    def __init__(self, folder: Path | None = None) -> None:
        """None: in the user's state folder."""
        if folder is None:
            from platformdirs import user_state_path

            folder = user_state_path(APPLICATION, appauthor=False) / FOLDER
        self.folder = folder

    def path_of(self, store: str) -> Path:
        """The file of a store's draft, by the store's label."""
        return self.folder / f"{sha256(store.encode('utf-8')).hexdigest()[:24]}.json"

    def load(self, store: str) -> Draft | None:
        """The draft that was kept; None without one. Raises `DraftError`."""
        path = self.path_of(store)
        try:
            return _ADAPTER.validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValidationError, ValueError) as error:
            raise DraftError(f"{path}: the draft cannot be read: {error}; mend the file, or move it away") from None

    def keep(self, store: str, draft: Draft) -> None:
        """Keep a draft, whole or not at all; an empty one is removed. Raises `DraftError`."""
        if draft.is_empty:
            self.drop(store)
            return
        path = self.path_of(store)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".part", delete=False) as file:
                file.write(_ADAPTER.dump_json(draft))
                file.flush()
                os.fsync(file.fileno())
            os.replace(file.name, path)
        except OSError as error:
            raise DraftError(f"{path}: the draft cannot be kept: {error.strerror or error}") from None

    def drop(self, store: str) -> None:
        """Forget the draft: it was saved, or its person does not want it. Raises `DraftError`."""
        try:
            self.path_of(store).unlink(missing_ok=True)
        except OSError as error:
            raise DraftError(f"the draft cannot be removed: {error.strerror or error}") from None


def _lay(entries: dict[str, Any], edits: dict[str, Any]) -> None:
    for key, value in edits.items():
        if value is None:
            entries.pop(key, None)
        else:
            entries[key] = value


def _laid(
    entries: list[dict[str, Any]], key: str, edits: dict[str, Any], order: tuple[str, ...] | None
) -> list[dict[str, Any]]:
    by_key = {entry[key]: entry for entry in entries}
    _lay(by_key, edits)
    if order is not None:
        first = [name for name in order if name in by_key]
        by_key = {name: by_key[name] for name in (*first, *(each for each in by_key if each not in first))}
    return list(by_key.values())
