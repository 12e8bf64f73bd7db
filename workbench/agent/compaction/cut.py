"""Where a conversation is cut: the head becomes a summary, the tail stays.

Source: docs/agents.md 13.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.agent.compaction.estimate import message_tokens
from workbench.agent.log.surface import project

if TYPE_CHECKING:
    from workbench.agent.log.session import Session


@dataclass(frozen=True, slots=True)
class Cut:
    """The nodes that are to be replaced."""

    nodes: tuple[int, ...]
    """Seqs, in surface order."""
    tokens: int
    """What they take."""


def cut_before_tail(session: Session, tail_tokens: int) -> Cut | None:
    """The head of the surface, so that what follows takes no more than `tail_tokens`; None without a head.

    The tail holds at least what nobody has answered yet, else the newest message. It begins with no result of a
    tool: a call and its results stay together.
    """
    nodes = session.surface.nodes
    sizes = [_size(session, seq) for seq in nodes]
    types = [session.events[seq].type for seq in nodes]
    kept, begin, is_unanswered = 0, len(nodes), True
    for index in range(len(nodes) - 1, -1, -1):
        is_unanswered = is_unanswered and types[index] == "user/message"
        kept += sizes[index]
        if kept > tail_tokens and begin < len(nodes) and not is_unanswered:
            break
        if types[index] != "tool/result":
            begin = index
    if begin == 0 or begin == len(nodes):
        return None
    return Cut(nodes[:begin], sum(sizes[:begin]))


def _size(session: Session, seq: int) -> int:
    message = project(session.events[seq])
    return 0 if message is None else message_tokens(message)
