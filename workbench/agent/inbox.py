"""Pending input: two queues, which are the fold of their splice records.

Every change is one `agent/inbox/spliced` in the log, and the queues are what the log says. Which messages
wake the agent is not in the log: what a resumed session has waits for a wake.

Source: docs/agents.md 2 and 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from workbench.agent.facts import LogFacts
    from workbench.agent.log.session import Session
    from workbench.agent.messages import Message
    from workbench.values.frozen import FrozenDict

SPLICED = "agent/inbox/spliced"
Target = Literal["next-turn", "next-step"]


class Inbox:
    """The input that no step has claimed yet."""

    def __init__(self, session: Session, facts: LogFacts) -> None:
        self._session = session
        self._facts = facts
        self._steering: set[str] = set()
        """Ids of the messages in `next-step` that open a step."""

    @property
    def next_turn(self) -> tuple[FrozenDict, ...]:
        """Each opens a turn of its own."""
        return tuple(self._queues["next-turn"])

    @property
    def next_step(self) -> tuple[FrozenDict, ...]:
        """All of them go into the next step."""
        return tuple(self._queues["next-step"])

    @property
    def has_steering(self) -> bool:
        """Whether something waits that opens a further step."""
        return bool(self._steering) and any(message.get("id") in self._steering for message in self.next_step)

    @property
    def opens_turn(self) -> bool:
        """Whether something waits that opens a turn."""
        return bool(self._queues["next-turn"]) or self.has_steering

    @property
    def _queues(self) -> dict[str, list[Any]]:
        return self._facts.queues

    def add(self, target: Target, messages: Sequence[Message], *, steers: bool = False) -> None:
        """Put messages behind those that wait."""
        if not messages:
            return
        self._splice(target, len(self._queues[target]), 0, messages)
        if steers:
            self._steering.update(message["id"] for message in messages)

    def claim(self, at_turn_boundary: bool) -> list[Message]:
        """Take all of `next-step` and, at a turn boundary, then one of `next-turn`."""
        claimed: list[Message] = list(self.next_step)
        if claimed:
            self._splice("next-step", 0, len(claimed), ())
            self._steering.clear()
        if at_turn_boundary and self.next_turn:
            claimed.append(self.next_turn[0])
            self._splice("next-turn", 0, 1, ())
        return claimed

    def clear(self) -> None:
        """Drop everything that waits."""
        for target, queue in list(self._queues.items()):
            if queue:
                self._splice(target, 0, len(queue), (), outcome="canceled")
        self._steering.clear()

    def _splice(self, target: str, start: int, removed: int, inserted: Iterable[Message], **more: str) -> None:
        data: dict[str, Any] = {"target": target, "start": start}
        if removed:
            data["removedCount"] = removed
        self._session.append(SPLICED, {**data, "inserted": list(inserted), **more})
