"""Where an agent works. Source: docs/tools.md 12."""

from __future__ import annotations

from typing import Any


def working_directory(agent: Any) -> str | None:
    """`cwd` of the agent's session header, or of the agent itself."""
    session = getattr(agent, "session", None)
    header = getattr(session, "header", None)
    for holder in (header, agent):
        cwd = getattr(holder, "cwd", None)
        if isinstance(cwd, str) and cwd:
            return cwd
    return None
