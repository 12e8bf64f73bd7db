"""What a subagent provider is, what it is asked, and what it gives back.

Source: docs/agents.md 12.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    from workbench.agent.agent import Agent
    from workbench.agent.cancel import CancelCause

Capability = Literal["output_schema", "depth_limit", "tool_filter", "persona"]
DEFAULT_MAX_DEPTH = 3


class SubagentError(Exception):
    """A provider or a request was refused; nothing of it is left."""

    def __init__(self, message: str, code: str = "SUBAGENT_REFUSED") -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class SubagentRequest:
    """A piece of work for one child."""

    parent: Agent
    prompt: str
    title: str = ""
    max_depth: int | None = DEFAULT_MAX_DEPTH
    """Delegations that may lie above each other; None: the provider decides."""
    output_schema: Mapping[str, Any] | None = None
    """JSON Schema of type object that the result must have."""
    allow: Sequence[str] | None = None
    """Only these of the tools that the child would see."""
    deny: Sequence[str] | None = None
    persona: str | None = None
    provider: str | None = None
    """Of the model; the parent's, without one."""
    model: str | None = None
    max_tokens: int | None = None

    @property
    def needs(self) -> tuple[Capability, ...]:
        """What a provider must be able to do to take it."""
        wanted: tuple[tuple[Capability, bool], ...] = (
            ("output_schema", self.output_schema is not None),
            ("depth_limit", self.max_depth is not None),
            ("tool_filter", self.allow is not None or self.deny is not None),
            ("persona", self.persona is not None),
        )
        return tuple(name for name, is_needed in wanted if is_needed)


@dataclass(frozen=True, slots=True)
class SubagentResult:
    """How a child has ended."""

    stop_reason: str
    """`completed`, or the kind of what ended its last turn."""
    text: str
    """Its last words; partial where it did not complete."""
    value: Any = None
    """What it handed over, where an output schema was given."""
    failure: Mapping[str, Any] | None = None
    """The failure record, where an error ended it."""

    @property
    def is_completed(self) -> bool:
        return self.stop_reason == "completed"


class SubagentRun(Protocol):
    """One child that was started. Whoever started it disposes of it, on every path."""

    @property
    def id(self) -> str:
        """Of its session."""

    async def result(self) -> SubagentResult:
        """Wait until it has nothing more to do. May be asked again after `say`."""

    def say(self, prompt: str) -> None:
        """Give it more work."""

    def cancel(self, cause: CancelCause) -> None:
        """End what it does now."""

    async def dispose(self) -> None:
        """Nothing of it runs when this returns."""


@runtime_checkable
class SubagentProvider(Protocol):
    """Starts child agents."""

    @property
    def name(self) -> str:
        """What tools call it by; unique."""

    @property
    def inherits_parent_context(self) -> bool:
        """Whether a child's conversation starts with the completed turns of its parent's.

        It says nothing about scope, services, tools or permissions.
        """

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What requests may ask of it."""

    async def start(self, request: SubagentRequest) -> SubagentRun:
        """Begin the work. Raises `SubagentError`; then no child has been made."""


async def start_child(provider: Any, request: SubagentRequest) -> SubagentRun:
    """Start a child if the provider can. Raises `SubagentError`."""
    missing = [need for need in request.needs if need not in getattr(provider, "capabilities", ())]
    start = getattr(provider, "start", None)
    if start is None:
        raise SubagentError(f"provider {provider.name!r} stands in for one: it starts no children", "CANNOT_START")
    if missing:
        raise SubagentError(
            f"provider {provider.name!r} cannot do what is asked: {', '.join(missing)}", "CAPABILITY_MISSING"
        )
    run: SubagentRun = await start(request)
    return run
