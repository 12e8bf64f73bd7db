"""Agents: what the model reads at each step, what it does, and the log from which all of it can be rebuilt.

Source: docs/agents.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.agent.agent import Agent
    from workbench.agent.agents import Agents, AgentsConfig
    from workbench.agent.cancel import CancelCause, CancelSignal
    from workbench.agent.options import AgentError, AgentOptions
    from workbench.agent.sessions import Sessions, SessionsConfig

__all__ = [
    "Agent",
    "AgentError",
    "AgentOptions",
    "Agents",
    "AgentsConfig",
    "CancelCause",
    "CancelSignal",
    "Sessions",
    "SessionsConfig",
]

_HOMES = {
    "Agent": "agent",
    "AgentError": "options",
    "AgentOptions": "options",
    "Agents": "agents",
    "AgentsConfig": "agents",
    "CancelCause": "cancel",
    "CancelSignal": "cancel",
    "Sessions": "sessions",
    "SessionsConfig": "sessions",
}


def __getattr__(name: str) -> Any:
    """Each name from its module when it is asked for: whoever only reads logs loads no loop."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
