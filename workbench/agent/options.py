"""What an agent is made from.

Source: docs/agents.md 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workbench.models.request import CallConfig

if TYPE_CHECKING:
    from workbench.agent.agent import Agent
    from workbench.core.scopes import ScopeKey


class AgentError(Exception):
    """An agent was refused, or is gone; `code` says which rule it was."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """Settings of one agent. Raises `AgentError` (`INVALID_OPTIONS`) for what cannot be meant."""

    provider: str | None = None
    """Name of the model provider. It and the model may arrive as late as in `agent/request`."""
    model: str | None = None
    max_tokens: int | None = None
    persona: str | None = None
    """Text of a scoped section `deployment:persona`, which shadows that of the deployment for this agent."""
    parent: Agent | None = None
    """The delegating agent: gives lineage, working directory, route and depth, and no registrations."""
    name: str | None = None
    """How people call it; its id, without one."""
    around: ScopeKey | None = None
    """The scope that the agent's own scope lies in; None: directly in the global layer."""
    config: dict[str, Any] = field(default_factory=dict)
    """Further fields of the call configuration, such as `temperature`, in their names on the wire."""
    call_config: CallConfig = field(init=False, repr=False, compare=False)
    """What all of them make as the proposal of a request."""

    def __post_init__(self) -> None:
        for name in ("provider", "model", "name", "persona"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise AgentError("INVALID_OPTIONS", f"`{name}` must be a text, not {value!r}")
        limit = self.max_tokens
        if limit is not None and (type(limit) is not int or limit <= 0):
            raise AgentError("INVALID_OPTIONS", f"`max_tokens` must be a positive whole number, not {limit!r}")
        given = {**self.config, "provider": self.provider, "model": self.model}
        try:
            config = CallConfig.from_json({**given, "maxTokens": limit or self.config.get("maxTokens")})
        except ValueError as error:
            raise AgentError("INVALID_OPTIONS", f"`config`: {error}") from error
        object.__setattr__(self, "call_config", config)
