"""What was agreed that a session sends: system text and tools, part by part.

One bad step does not become the new normal: only what somebody declared is taken over, with its reason.
Source: docs/sessions.md 13.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from workbench.agent.verdicts.parts import Part, PartKind

Key = tuple[PartKind, str]


class Baseline:
    """The agreed parts, in order."""

    def __init__(self) -> None:
        self._agreed: dict[Key, str] | None = None

    def pin(self, parts: Sequence[Part]) -> None:
        """All of it is agreed as it is."""
        self._agreed = {(part.kind, part.name): part.text for part in parts}

    def accept(self, parts: Sequence[Part], changed: Collection[Key]) -> None:
        """Those that were changed on purpose are agreed as they are; what drifted stays as it was agreed."""
        agreed = self._agreed or {}
        now = {(part.kind, part.name): part.text for part in parts}
        made = {
            key: text if key in changed else agreed[key] for key, text in now.items() if key in (*changed, *agreed)
        }
        for key, text in agreed.items():  # one that is missing by drift is still agreed
            if key not in now and key not in changed:
                made[key] = text
        self._agreed = made

    def drift(self, parts: Sequence[Part]) -> tuple[str, ...]:
        """Names of the parts that are not as agreed; those that are missing last."""
        agreed = self._agreed
        if agreed is None:
            return ()
        found = [part.name for part in parts if agreed.get((part.kind, part.name)) != part.text]
        there = {(part.kind, part.name) for part in parts}
        return (*found, *(name for kind, name in agreed if (kind, name) not in there))
