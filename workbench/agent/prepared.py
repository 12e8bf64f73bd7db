"""One assembly rendered: the system text, the tools and the runtime context of one attempt.

Source: docs/agents.md 3 and 4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.agent.cancel import CancelSignal, race
from workbench.prompt import (
    NamedText,
    Preview,
    PromptAssembly,
    render_context_sections,
    render_context_snapshot,
    render_prompt,
)
from workbench.prompt.preview import assemble_seen
from workbench.prompt.tool_schema import decode_json
from workbench.values.frozen import FrozenDict, freeze

if TYPE_CHECKING:
    from workbench.agent.agent import Agent
    from workbench.agent.log.session import Session
    from workbench.agent.messages import Message

REVISION = "prompts/revision"
"""Key in `extras` of an assembly's context: the revision of a team's prompts that it was made with, for the log."""

DUE_MESSAGES = "agent/due-messages"
"""Key in `extras` of an assembly's context: a list of functions of the session, for messages that this request
must have ahead of its runtime context. Each gives the message, or None where the conversation holds it already.
They are asked for every request, retries included."""
DueMessage = Callable[["Session"], "Message | None"]


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the registry says for one attempt."""

    assembly: PromptAssembly
    system: str
    tools: tuple[FrozenDict, ...]
    """The same object as long as nothing changes."""
    context: str
    """The rendered snapshot; empty without any context."""
    revision: Any
    """What a listener of `agent/assemble-context` has left under `prompts/revision`; None for nothing."""
    preview: Preview | None = None
    """Where everything came from; None unless that is to be recorded."""
    due: tuple[DueMessage, ...] = ()
    """What listeners of `agent/assemble-context` have left under `agent/due-messages`."""

    def context_sections(self) -> list[NamedText]:
        """The rendered contexts by name."""
        return render_context_sections(self.assembly)


class Preparer:
    """Assembles and renders for one agent. Keeps the tools of the last time, frozen, while they stay equal."""

    def __init__(self, agent: Agent, prompt: Any, *, looks: bool = False) -> None:
        """`looks`: with a preview of each."""
        self._agent = agent
        self._prompt = prompt
        self._looks = looks
        self._encoded = b"[]"
        self._tools: tuple[FrozenDict, ...] = ()

    async def prepare(self, signal: CancelSignal) -> Prepared:
        """Assemble and render. Raises what providers and listeners raise, `RenderError`, `TurnCancelled`."""
        context = await race(self._prompt.assemble_context_for(self._agent, signal), signal)
        assembly: PromptAssembly
        preview: Preview | None = None
        if self._looks:
            assembly, preview = await race(assemble_seen(self._prompt, context), signal)
        else:
            assembly = await race(self._prompt.assemble(context), signal)
        return Prepared(
            assembly,
            render_prompt(assembly),
            self._frozen_tools(assembly),
            render_context_snapshot(assembly),
            context.extras.get(REVISION),
            preview,
            tuple(context.extras.get(DUE_MESSAGES, ())),
        )

    def _frozen_tools(self, assembly: PromptAssembly) -> tuple[FrozenDict, ...]:
        encoded = assembly.tools_json
        if encoded != self._encoded:
            self._tools = tuple(freeze(tool) for tool in decode_json(encoded))
            self._encoded = encoded
        return self._tools
