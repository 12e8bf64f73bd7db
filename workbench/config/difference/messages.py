"""The messages of two requests compared: what was appended, and what is another one before its end.

Messages are compared by what a provider is sent of them, role and content, and matched by that, so that those
behind a summary are seen as the same. Source: docs/sessions.md 12.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.agent.log.canonical import message_line
from workbench.agent.log.read_surface import ReadMessages
from workbench.agent.verdicts.as_entries import UNKNOWN, entry_of
from workbench.agent.verdicts.parts import Part, message_part
from workbench.config.difference.prompts import PartDifference, State
from workbench.config.difference.sequences import runs
from workbench.prompt import EntryView
from workbench.tokens import Count, TokenCounter
from workbench.tokens.count import total
from workbench.values.frozen import FrozenDict

MessageDifference = PartDifference[EntryView]


@dataclass(frozen=True)
class MessagesDifference:
    """What became of the messages."""

    parts: tuple[MessageDifference, ...]
    """Those that are not the same, in order; a removed one where it stood."""
    same: int
    """How many are."""
    kept: int
    """Messages at the beginning that are the same on both sides."""
    counts: tuple[tuple[Count, ...], tuple[Count, ...]]
    """Of each message before and after, in order."""
    lengths: tuple[int, int]

    @property
    def before(self) -> Count:
        """Of all messages of the earlier request."""
        return total(list(self.counts[0]))

    @property
    def after(self) -> Count:
        return total(list(self.counts[1]))

    @property
    def first(self) -> MessageDifference | None:
        """The first one that is not the same."""
        return self.parts[0] if self.parts else None

    @property
    def is_broken(self) -> bool:
        """The later request does not only add to the earlier one."""
        return self.kept < self.lengths[0]

    def sizes(self, part: MessageDifference) -> tuple[Count | None, Count | None]:
        """Tokens of one of `parts`, before and after."""
        return _size(self.counts[0], part.before), _size(self.counts[1], part.after)


def messages_difference(
    before: Sequence[FrozenDict], after: Sequence[FrozenDict], counter: TokenCounter, given_up: threading.Event
) -> MessagesDifference:
    """Compares and counts, here: for threads. Stops counting when `given_up` is set."""
    start = 0
    if isinstance(before, ReadMessages) and isinstance(after, ReadMessages):  # too much to be read at once
        start = before.shared_with(after)
    old, new = (
        [message_line(side[nth]).decode("utf-8") for nth in range(start, len(side))] for side in (before, after)
    )
    counts = [_count(index, each, counter, given_up) for index, each in enumerate(before)]
    later: list[Count] = counts[:start]
    found: list[MessageDifference] = []
    same = kept = start
    for run in runs(old, new):
        length = run.old_end - run.old_start
        old_start, new_start = run.old_start + start, run.new_start + start
        if run.is_same:
            same += length
            kept += length if run.old_start == run.new_start == 0 else 0
            later += counts[old_start : old_start + length]
            continue
        new_end = run.new_end + start
        later += [_count(nth, after[nth], counter, given_up) for nth in range(new_start, new_end)]
        both = min(length, new_end - new_start)
        found += [_changed(before, after, old_start + nth, new_start + nth) for nth in range(both)]
        found += [_only(before, nth, "removed") for nth in range(old_start + both, old_start + length)]
        found += [_only(after, nth, "added") for nth in range(new_start + both, new_end)]
    return MessagesDifference(tuple(found), same, kept, (tuple(counts), tuple(later)), (len(before), len(after)))


def _count(index: int, message: FrozenDict, counter: TokenCounter, given_up: threading.Event) -> Count:
    return counter.count_now("" if given_up.is_set() else message_part(index, message).text)


def _changed(before: Sequence[FrozenDict], after: Sequence[FrozenDict], old: int, new: int) -> MessageDifference:
    was, now = _view(message_part(old, before[old])), _view(message_part(new, after[new]))
    return PartDifference("message", now.name, "changed", False, was, now)


def _only(side: Sequence[FrozenDict], index: int, state: State) -> MessageDifference:
    view = _view(message_part(index, side[index]))
    before, after = (None, view) if state == "added" else (view, None)
    return PartDifference("message", view.name, state, False, before, after)


def _view(part: Part) -> EntryView:
    return entry_of("message", part.name, part.text, part.owner or UNKNOWN, (), None)


def _size(counts: Sequence[Count], view: EntryView | None) -> Count | None:
    return None if view is None else counts[index_of(view.name)]


def index_of(name: str) -> int:
    """The number in `message[4]`."""
    return int(name.removeprefix("message[").removesuffix("]"))
