"""The shipped defaults: one file for each part and each section of the team.

Source: docs/team.md 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from workbench.team.parts import PARTS, SECTION_HEADINGS

_FOLDER = Path(__file__).parent
_NOTE = "prompts/inferred-note.md"

SKILL_DESCRIPTIONS: dict[str, str] = {
    "feishu": "Reading and answering in Feishu chats and documents: identities, threads, how a reply looks.",
    "github": "Working on GitHub: issues, pull requests, reviews and their threads, checks, and the opening line.",
}
"""Of the built-in skills. An override changes their content, never these."""


def rendered(text: str) -> str:
    """A text as a prompt shows it: CRLF becomes LF, and line ends at the end go. Nothing else changes."""
    return text.replace("\r\n", "\n").rstrip("\n")


@dataclass(frozen=True, slots=True)
class BuiltinText:
    """The default of one part."""

    text: str
    """As rendered."""
    sha256: str
    """Of its UTF-8 bytes, in lower-case hexadecimal digits."""

    @classmethod
    def of(cls, text: str) -> BuiltinText:
        text = rendered(text)
        return cls(text, sha256(text.encode("utf-8")).hexdigest())


@dataclass(frozen=True, slots=True)
class Builtins:
    """One release's defaults."""

    parts: Mapping[str, BuiltinText]
    """By key. A key that is not here is no part in this release."""
    sections: Mapping[str, str]
    """What the three sections of a team say before it has written any."""
    inferred_note: str
    """The final note of an inferred Ticket, with `{rules}`."""
    skills: Mapping[str, str]
    """Descriptions of the built-in skills by name."""

    @classmethod
    def of(
        cls,
        parts: Mapping[str, str],
        sections: Mapping[str, str],
        inferred_note: str = "{rules}",
        skills: Mapping[str, str] = SKILL_DESCRIPTIONS,
    ) -> Builtins:
        """Defaults from texts."""
        texts = {key: BuiltinText.of(text) for key, text in parts.items()}
        return cls(texts, dict(sections), rendered(inferred_note), dict(skills))

    def changed(self, parts: Mapping[str, str | None]) -> Builtins:
        """Another release: other texts; None takes a part away."""
        texts = {**self.parts}
        for key, text in parts.items():
            if text is None:
                texts.pop(key, None)
            else:
                texts[key] = BuiltinText.of(text)
        return Builtins(texts, self.sections, self.inferred_note, self.skills)


@cache
def shipped_builtins() -> Builtins:
    """The defaults of this release. Reads files once."""
    return Builtins.of(
        {key: _read(part.file) for key, part in PARTS.items()},
        {name: rendered(_read(f"prompts/sections/{name}.md")) for name in SECTION_HEADINGS},
        _read(_NOTE),
    )


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
