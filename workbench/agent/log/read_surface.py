"""The surface of a log that is only read: which events make up the conversation, and none of what they say.

A message is read from where it stands when somebody asks for it, so a log takes the memory of its numbers.
Source: docs/sessions.md 3 and 10.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Protocol, overload

from workbench.agent.log.errors import LogError
from workbench.agent.log.events import LoggedEvent
from workbench.agent.log.surface import project
from workbench.agent.log.surface_ops import Replace
from workbench.values.frozen import FrozenDict

EventOf = Callable[[int], LoggedEvent]
"""The event with a seq. It may be read from a file: raises `LogError` LOG_CHANGED."""


class Messages(Protocol):
    """The messages of one request. They stay what they are when the conversation goes on."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> FrozenDict: ...
    def key(self, index: int) -> object:
        """The same for the same message, and for no other one."""
        ...


class Conversation(Protocol):
    """What requests are made of, one after another."""

    @property
    def replacements(self) -> int:
        """As long as it stands still, messages were only appended."""
        ...

    def messages(self) -> Messages:
        """As they are now."""
        ...


class HeldMessages(Sequence[FrozenDict]):
    """Messages that are in memory. A message is the same one as long as it is the same object."""

    def __init__(self, messages: Sequence[FrozenDict]) -> None:
        self._messages = messages

    def __len__(self) -> int:
        return len(self._messages)

    @overload
    def __getitem__(self, index: int, /) -> FrozenDict: ...
    @overload
    def __getitem__(self, index: slice, /) -> Sequence[FrozenDict]: ...
    def __getitem__(self, index: int | slice, /) -> FrozenDict | Sequence[FrozenDict]:
        return self._messages[index]

    def key(self, index: int) -> object:
        return id(self._messages[index])


class ReadMessages(Sequence[FrozenDict]):
    """Messages that are read when asked for."""

    def __init__(self, seqs: array[int], count: int, surface: ReadSurface) -> None:
        self._seqs, self._count, self._surface = seqs, count, surface

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int, /) -> FrozenDict: ...
    @overload
    def __getitem__(self, index: slice, /) -> Sequence[FrozenDict]: ...
    def __getitem__(self, index: int | slice, /) -> FrozenDict | Sequence[FrozenDict]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(self._count))]
        if not -self._count <= index < self._count:
            raise IndexError(index)
        return self._surface.message(self._seqs[index % self._count])

    def key(self, index: int) -> object:
        return self._seqs[index]

    def shared_with(self, other: ReadMessages) -> int:
        """How many messages both begin with that are the same ones; none of them is read."""
        if self._surface is not other._surface:
            return 0
        pairs = zip(self._seqs[: self._count], other._seqs[: other._count], strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


class ReadSurface:
    """The fold of appended and replaced events, by their seqs alone; and which of them changed it, and how.

    An array that was handed out is only ever appended to: a replacement begins another one.
    """

    def __init__(self, event_of: EventOf) -> None:
        self._event_of = event_of
        self._nodes = array("Q")
        self._said = array("Q")
        """Those of the nodes that become messages."""
        self._silent: set[int] = set()
        """Nodes that become none."""
        self._added = array("Q")
        """Seqs of all surface events."""
        self._ops: dict[int, tuple[int, int]] = {}
        """Those of them that replace, and what."""
        self._snapshots = array("Q")
        """Surface events that are snapshots of the runtime context."""
        self._fresh: dict[int, FrozenDict] = {}
        self.replacements = 0

    @property
    def message_count(self) -> int:
        """Messages that the nodes become."""
        return len(self._said)

    def messages(self) -> ReadMessages:
        """As they are now."""
        return ReadMessages(self._said, len(self._said), self)

    def messages_of(self, nodes: array[int]) -> ReadMessages:
        """What nodes become."""
        said = array("Q", [node for node in nodes if node not in self._silent]) if self._silent else nodes
        return ReadMessages(said, len(said), self)

    def nodes_at(self, seq: int) -> array[int]:
        """The nodes as they were before the event `seq`, which has been folded or is the next one."""
        nodes = array("Q")
        for each in self._added:
            if each >= seq:
                break
            op = self._ops.get(each)
            if op is None:
                nodes.append(each)
            else:
                first, last = nodes.index(op[0]), nodes.index(op[1])
                nodes[first : last + 1] = array("Q", [each])
        return nodes

    def snapshot_at(self, seq: int) -> FrozenDict | None:
        """The newest snapshot of the runtime context that stood on the surface then."""
        nodes = self.nodes_at(seq)
        there = set(nodes) if self._snapshots else set()
        found = next((each for each in reversed(self._snapshots) if each < seq and each in there), None)
        return None if found is None else self.message(found)

    def message(self, seq: int) -> FrozenDict:
        """The message that a node becomes. Raises `LogError` LOG_CHANGED."""
        fresh = self._fresh.get(seq)
        if fresh is not None:
            return fresh
        try:
            message = project(self._event_of(seq))
        except ValueError:  # the file was closed: another one is read by now
            raise LogError("LOG_CHANGED", "the log was closed or written anew meanwhile; look again") from None
        if message is None:
            raise LogError("LOG_CHANGED", f"event {seq} is no message any more; open the log again")
        return message

    def let_go(self) -> None:
        """What was added since the last time has been looked at, and is read anew from now on."""
        self._fresh.clear()

    def add(self, event: LoggedEvent) -> None:
        """Fold the next event. Raises `LogError` INVALID_EVENT, INVALID_SURFACE_OP for what cannot be folded."""
        op = event.surface_op
        if op is None:
            return
        message = project(event)
        if message is None:
            self._silent.add(event.seq)
        if isinstance(op, Replace):
            self._replace(event.seq, op)
        else:
            self._nodes.append(event.seq)
            if message is not None:
                self._said.append(event.seq)
        self._added.append(event.seq)
        if message is not None:
            source = message.get("source")
            if isinstance(source, dict) and source.get("form") == "snapshot":
                self._snapshots.append(event.seq)
            if len(self._fresh) >= _FRESH:
                self._fresh.clear()
            self._fresh[event.seq] = message

    def _replace(self, seq: int, op: Replace) -> None:
        first, last = self._place(op.start), self._place(op.end)
        if last < first:
            raise LogError(
                "INVALID_SURFACE_OP",
                f"node {op.end} stands before node {op.start}: a replacement names them in order",
            )
        self._nodes = self._nodes[:first] + array("Q", [seq]) + self._nodes[last + 1 :]
        self._ops[seq] = op.start, op.end
        self._said = array("Q", [node for node in self._nodes if node not in self._silent])
        self.replacements += 1

    def _place(self, seq: int) -> int:
        try:
            return self._nodes.index(seq)
        except ValueError:
            raise LogError(
                "INVALID_SURFACE_OP", f"a replacement names node {seq}, which is not on the surface"
            ) from None


_FRESH = 64
"""Messages that are kept until the next request has been looked at."""
