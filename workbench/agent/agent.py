"""An agent: its session, its scope, and what can be said to it.

Source: docs/agents.md 1, 3 and 16.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from workbench.agent.cancel import DISPOSED, CancelCause, cause_of
from workbench.agent.driver import Driver
from workbench.agent.inbox import Inbox
from workbench.agent.messages import Block, Message, user_message
from workbench.agent.options import AgentError, AgentOptions
from workbench.agent.prepared import Preparer
from workbench.agent.requests import Requests
from workbench.agent.verdicts.causes import DECLARED

if TYPE_CHECKING:
    from workbench.agent.facts import LogFacts
    from workbench.agent.log.session import Session
    from workbench.agent.loop_services import LoopServices
    from workbench.agent.verdicts.causes import DeclaredKind
    from workbench.core import Context
    from workbench.core.scopes import Scope
    from workbench.values.frozen import FrozenDict

Content = str | Iterable[Block] | Mapping[str, Any]
"""A text, blocks, or a whole user-role message."""


class Agent:
    """One live agent. It is the key of its own scope. Made by `ctx.agents.create`."""

    scope: Scope
    """Its own layer; what is registered through `scope.ctx` goes with the agent."""

    def __init__(self, options: AgentOptions, session: Session, facts: LogFacts, services: LoopServices) -> None:
        self.session = session
        self.options = options
        self.is_published = False
        """Whether it has been set up, and others know of it."""
        self.facts = facts
        self.inbox = Inbox(session, facts)
        self.preparer = Preparer(self, services.ctx.system_prompt, looks=services.records_parts)
        self.requests = Requests(self, services.ctx)
        self.driver = Driver(self, services)

    # -- what it is ------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """The id of the agent, and of its session."""
        return self.session.id

    @property
    def label(self) -> str:
        """How people call it."""
        return self.options.name or self.id

    @property
    def parent(self) -> Agent | None:
        """The agent that delegated to it."""
        return self.options.parent

    @property
    def model(self) -> str | None:
        """`{{model}}`."""
        return self.options.model

    @property
    def provider(self) -> str | None:
        """`{{provider}}`."""
        return self.options.provider

    @property
    def cwd(self) -> str | None:
        """`{{cwd}}`: the working directory of the session."""
        return self.session.header.cwd

    @property
    def depth(self) -> int:
        """How many delegations lie above it."""
        return self.session.header.delegation_depth

    @property
    def status(self) -> Literal["idle", "running"]:
        """Whether a turn runs, or is about to."""
        return self.driver.status

    @property
    def ctx(self) -> Context:
        """The context of its scope."""
        return self.scope.ctx

    def __repr__(self) -> str:
        return f"<Agent {self.label} {self.status}>"

    # -- input -----------------------------------------------------------------------------------------

    def followup(self, content: Content) -> Message:
        """Open a turn with this message, after those that wait. Gives the message.

        Raises `TypeError` for what is no message, `AgentError` (`DISPOSED`), `LogError`.
        """
        return self._say("next-turn", content, wakes=True)

    def steer(self, content: Content) -> Message:
        """Put a message into the next step of this turn, or open a turn with it. Raises as `followup`."""
        return self._say("next-step", content, wakes=True)

    def inject(self, content: Content) -> Message:
        """Put a message into whatever step comes next; it opens none. Raises as `followup`."""
        return self._say("next-step", content, wakes=False)

    @property
    def failed_input(self) -> tuple[FrozenDict, ...]:
        """What people had said last to the newest turn, if that has failed or was killed; else empty."""
        return self.facts.failed_input

    def say_again(self) -> Message | None:
        """Open a turn with `failed_input`, as one message. None, and nothing else, if there is none.

        Raises as `followup`.
        """
        if not self.failed_input or self.status == "running":
            return None
        return self.followup([block for message in self.failed_input for block in message["content"]])

    def _say(self, target: Literal["next-turn", "next-step"], content: Content, wakes: bool) -> Message:
        if self.driver.is_stopping:
            raise AgentError("DISPOSED", f"agent {self.label!r} has been disposed of and takes no input")
        message = user_message(content)
        self.inbox.add(target, [message], steers=wakes)
        if wakes:
            self.driver.wake()
        return message

    def declare(self, cause: DeclaredKind, words: str, owner: str = "") -> None:
        """Say in the log why the next prompt is another one on purpose, such as `package dyn-2 was started`.

        `owner`: whose parts it is that change; empty for anybody's. Raises `LogError`.
        """
        data = {"cause": cause, "words": words} | ({"owner": owner} if owner else {})
        self.session.append(DECLARED, data, ignorable=True)

    # -- its end ---------------------------------------------------------------------------------------

    def cancel(self, cause: CancelCause | str = "user", keep_inbox: bool = False) -> bool:
        """End the turn that runs, and drop what waits unless it is to be kept; the first cause wins.

        Returns at once: `when_idle` waits for the end. False, and nothing else, for an idle agent.
        """
        given = cause_of(cause)
        if self.status == "idle":
            return False
        if given.kind == DISPOSED.kind:
            self.driver.stop(given)
        else:
            self.driver.cancel(given)
        if not keep_inbox:
            self.inbox.clear()
        return True

    async def when_idle(self) -> None:
        """Return when no turn runs and none is queued."""
        await self.driver.when_idle()

    def dispose(self) -> Awaitable[None]:
        """Cancel, undo everything that was registered through the scope, and close the log.

        The request is made at once; awaiting the result waits for the end.
        """
        self.driver.stop(DISPOSED)
        ended: Awaitable[None] = self.scope.dispose()
        return ended

    @property
    def messages(self) -> Sequence[FrozenDict]:
        """The conversation, as the next request will hold it."""
        return self.session.surface.messages()
