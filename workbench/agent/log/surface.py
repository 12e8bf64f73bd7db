"""The surface: which events make up the conversation now, and the messages that they become.

Source: docs/sessions.md 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from workbench.agent.log.errors import LogError
from workbench.agent.log.events import SURFACE_TYPES, LoggedEvent
from workbench.agent.log.surface_ops import Replace
from workbench.values.frozen import FrozenDict, thaw

EventOf = Callable[[int], LoggedEvent]
"""The event with a seq."""


def project(event: LoggedEvent) -> FrozenDict | None:
    """The message that an event becomes; None for none. Raises `LogError` INVALID_EVENT for what is no message."""
    if event.type not in SURFACE_TYPES:
        return None
    message = event.data if event.type == "user/message" else event.data.get("message")
    content = message.get("content") if isinstance(message, FrozenDict) else None
    if (
        not isinstance(message, FrozenDict)
        or not isinstance(message.get("role"), str)
        or not isinstance(content, list)
        or not all(isinstance(block, FrozenDict) for block in content)
    ):
        raise LogError(
            "INVALID_EVENT", f"the message of event {event.seq} ({event.type}) needs a role and a list of blocks"
        )
    return message if content or event.type != "assistant/message" else None


class Surface:
    """The fold of appended and replaced events, in surface order. `add` is all that changes it."""

    def __init__(self) -> None:
        self._nodes: list[int] = []
        self._messages: list[FrozenDict | None] = []
        self._on_surface: set[int] = set()
        self.replacements: int = 0
        """How many replacements were folded: as long as it stands still, messages were only appended."""

    @property
    def nodes(self) -> tuple[int, ...]:
        """Seqs in surface order."""
        return tuple(self._nodes)

    def __contains__(self, seq: object) -> bool:
        return seq in self._on_surface

    def __len__(self) -> int:
        return len(self._nodes)

    @property
    def message_count(self) -> int:
        """Messages that the nodes become."""
        return len(self._messages) - self._messages.count(None)

    def messages(self) -> tuple[FrozenDict, ...]:
        """What the model is sent, in order. Nodes that project to nothing are left out."""
        return tuple([message for message in self._messages if message is not None])

    def messages_from(self, node: int) -> list[FrozenDict]:
        """The same, of the nodes from index `node` on."""
        return [message for message in self._messages[node:] if message is not None]

    def check(self, event: LoggedEvent, event_of: EventOf) -> None:
        """Raise `LogError` INVALID_SURFACE_OP, or INVALID_EVENT, if `event` cannot be folded next."""
        op = event.surface_op
        if op is None:
            if event.type in SURFACE_TYPES:
                raise LogError("INVALID_SURFACE_OP", f"a {event.type} needs a surfaceOp")
            return
        if event.type not in SURFACE_TYPES:
            raise LogError("INVALID_SURFACE_OP", f"a {event.type} is no surface event, and has no surfaceOp")
        project(event)
        if isinstance(op, Replace):
            self._check_replacement(event, op, event_of)

    def add(self, event: LoggedEvent) -> None:
        """Fold an event that `check` has passed."""
        op = event.surface_op
        if op is None:
            return
        if not isinstance(op, Replace):
            self._nodes.append(event.seq)
            self._messages.append(project(event))
        else:
            first, last = self._range(op)
            self._on_surface.difference_update(self._nodes[first : last + 1])
            self._nodes[first : last + 1] = [event.seq]
            self._messages[first : last + 1] = [project(event)]
            self.replacements += 1
        self._on_surface.add(event.seq)

    def _check_replacement(self, event: LoggedEvent, op: Replace, event_of: EventOf) -> None:
        first, last = self._range(op)
        cited = set(event.source_event_seqs)
        missing = [seq for seq in self._nodes[first : last + 1] if seq not in cited]
        if missing:
            raise LogError(
                "INVALID_SURFACE_OP",
                f"a replacement cites every node that it shadows; {', '.join(map(str, missing[:5]))} is missing",
            )
        if event.type == "tool/result" and (first != last or not _same_result(event, event_of(op.start))):
            raise LogError(
                "INVALID_SURFACE_OP", "a tool/result replaces one tool/result, and changes only its content"
            )

    def _range(self, op: Replace) -> tuple[int, int]:
        """Indices of the first and the last node that are replaced."""
        for seq in (op.start, op.end):
            if seq not in self._on_surface:
                raise LogError("INVALID_SURFACE_OP", f"a replacement names node {seq}, which is not on the surface")
        first, last = self._nodes.index(op.start), self._nodes.index(op.end)
        if last < first:
            raise LogError(
                "INVALID_SURFACE_OP",
                f"node {op.end} stands before node {op.start}: a replacement names them in order",
            )
        return first, last


def fold_surface(events: Iterable[LoggedEvent]) -> Surface:
    """The surface after `events`, which are trusted to be those of a log."""
    surface = Surface()
    for event in events:
        surface.add(event)
    return surface


def _same_result(event: LoggedEvent, replaced: LoggedEvent) -> bool:
    """Whether both are results of a tool that differ in the content of the result alone."""
    if replaced.type != "tool/result":
        return False
    first, second = _without_content(event.data), _without_content(replaced.data)
    return first is not None and first == second


def _without_content(data: FrozenDict) -> Any:
    plain = thaw(data)
    blocks = plain["message"]["content"]
    if len(blocks) != 1 or not isinstance(blocks[0], dict) or blocks[0].get("type") != "tool-result":
        return None
    blocks[0].pop("content", None)
    return plain
