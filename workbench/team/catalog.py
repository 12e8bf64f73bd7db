"""The catalogue of skills: a message, which is said again only when it has changed or was taken away.

Source: docs/team.md 12.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.agent.messages import Message, plugin_message
from workbench.team.session_facts import CATALOG_FORM, PLUGIN, SessionFacts
from workbench.team.snapshot import TeamSnapshot

if TYPE_CHECKING:
    from workbench.agent.log.session import Session

INTRODUCTION = (
    "Skills: knowledge for particular kinds of work. Load the one that fits with the tool `skill`, by its name, "
    "before you begin such work. This list replaces earlier ones."
)


def catalog_text(snapshot: TeamSnapshot) -> str:
    """Names and descriptions of all skills."""
    lines = (f"- {name}: {description}" for name, description in snapshot.skill_descriptions().items())
    return "\n".join((INTRODUCTION, "", *lines))


def due_catalog(snapshot: TeamSnapshot, facts: SessionFacts, session: Session) -> Message | None:
    """The message to append; None where the conversation holds this very catalogue."""
    text = catalog_text(snapshot)
    last = facts.catalog
    if last is not None and last[1] == text and last[0] in session.surface:
        return None
    return plugin_message(text, PLUGIN, form=CATALOG_FORM)
