"""What a session's log says that the team's tools need: revisions, messages of people, the last catalogue.

A fold of the events, as everything that an agent knows of itself; resume and fork need no rule.

Source: docs/team.md 9, 11 and 12.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from workbench.team.cards import is_by_a_person

if TYPE_CHECKING:
    from workbench.agent.log.events import LoggedEvent

CATALOG_FORM = "skill-catalog"
PLUGIN = "team"


class SessionFacts:
    """Of one session."""

    __slots__ = ("catalog", "people", "revisions")

    def __init__(self) -> None:
        self.revisions: set[int] = set()
        """Every revision that a request was made under."""
        self.people: dict[str, None] = {}
        """Ids of messages that a person wrote, oldest first."""
        self.catalog: tuple[int, str] | None = None
        """Seq and text of the newest catalogue of skills."""

    def load(self, events: Iterable[LoggedEvent]) -> None:
        """Fold what is there already. May read a whole file."""
        for event in events:
            self.add(event)

    def add(self, event: LoggedEvent) -> None:
        """Fold one event."""
        if event.type == "prompts/revision":
            self.revisions.add(event.data["revision"])
        elif event.type == "user/message":
            source: Any = event.data.get("source")
            if not isinstance(source, Mapping):
                return
            if is_by_a_person(source):
                self.people[str(event.data.get("id", ""))] = None
            elif source.get("form") == CATALOG_FORM and source.get("plugin") == PLUGIN:
                self.catalog = event.seq, _text(event.data)


def _text(message: Mapping[str, Any]) -> str:
    return "".join(block.get("text", "") for block in message.get("content", ()))
