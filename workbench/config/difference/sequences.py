"""What two sequences have in common, in time that is bounded whatever they hold.

What both begin and end with is set aside. Items that occur once on each side are anchors, as far as they come
in the same order; between two anchors the same begins anew. Where there is no anchor, the shortest edit is
searched for a bounded number of steps; what needs more counts as replaced.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import lt
from typing import NamedTuple

STEPS = 40_000
"""Of the search for shortest edits, for one comparison."""
PASSES = 12
"""How often, on average, an item is looked at for anchors."""


class Effort:
    """What a comparison, or several of them together, may still do."""

    __slots__ = ("looks", "steps")

    def __init__(self, steps: int, looks: int) -> None:
        self.steps = steps
        self.looks = looks


class Run(NamedTuple):
    """A stretch of both sequences. `end` is exclusive; a side that has nothing there has an empty range."""

    is_same: bool
    old_start: int
    old_end: int
    new_start: int
    new_end: int


def runs(old: Sequence[str], new: Sequence[str], effort: Effort | None = None) -> list[Run]:
    """The whole of both sequences as runs, those that are the same and those that are not, in turn."""
    effort = effort or Effort(STEPS, PASSES * (len(old) + len(new)))
    joined: list[Run] = []
    at_old = at_new = 0
    same_old = same_new = 0  # where the stretch that is the same begins
    for old_start, new_start, length in _Comparison(list(old), list(new), effort).matches():
        if old_start > at_old or new_start > at_new:
            if at_old > same_old:
                joined.append(Run(True, same_old, at_old, same_new, at_new))
            joined.append(Run(False, at_old, old_start, at_new, new_start))
            same_old, same_new = old_start, new_start
        at_old, at_new = old_start + length, new_start + length
    if at_old > same_old:
        joined.append(Run(True, same_old, at_old, same_new, at_new))
    if at_old < len(old) or at_new < len(new):
        joined.append(Run(False, at_old, len(old), at_new, len(new)))
    return joined


_Match = tuple[int, int, int]
"""Start in the old sequence, start in the new one, length."""
_Stretch = tuple[int, int, int, int]
"""Start and end in the old sequence, start and end in the new one."""
_BLOCKS = (256, 16, 1)
"""Items that are compared at once."""


class _Comparison:
    def __init__(self, old: list[str], new: list[str], effort: Effort) -> None:
        self.old, self.new = old, new
        self.effort = effort

    def matches(self) -> Iterator[_Match]:
        """Stretches that are the same, in order. The work is a stack, since anchors may lie inside each other."""
        todo: list[_Stretch | _Match] = [(0, len(self.old), 0, len(self.new))]
        while todo:
            task = todo.pop()
            if len(task) == 3:
                yield task
                continue
            low, high, new_low, new_high = task
            head = self._common_start(low, high, new_low, new_high)
            if head:
                yield low, new_low, head
                low, new_low = low + head, new_low + head
            tail = self._common_end(low, high, new_low, new_high)
            high, new_high = high - tail, new_high - tail
            if tail:
                todo.append((high, new_high, tail))
            if low < high and new_low < new_high and self._may_share(low, high, new_low, new_high):
                todo += reversed(self._between(low, high, new_low, new_high))

    def _between(self, low: int, high: int, new_low: int, new_high: int) -> list[_Stretch | _Match]:
        """What is the same there, or stretches that need a look of their own, in order."""
        anchors = self._anchors(low, high, new_low, new_high)
        if not anchors:
            return list(self._shortest(low, high, new_low, new_high))
        tasks: list[_Stretch | _Match] = []
        start, new_start = anchors[0]
        if start > low and new_start > new_low:
            tasks.append((low, start, new_low, new_start))
        end, new_end = start, new_start
        for old_at, new_at in anchors:
            if old_at != end or new_at != new_end:
                tasks.append((start, new_start, end - start))
                if old_at > end and new_at > new_end and self._may_share(end, old_at, new_end, new_at):
                    tasks.append((end, old_at, new_end, new_at))
                start, new_start = old_at, new_at
            end, new_end = old_at + 1, new_at + 1
        tasks.append((start, new_start, end - start))
        if high > end and new_high > new_end:
            tasks.append((end, high, new_end, new_high))
        return tasks

    def _may_share(self, low: int, high: int, new_low: int, new_high: int) -> bool:
        """False for the most common stretch of all, one item in place of one other."""
        return high - low > 1 or new_high - new_low > 1 or self.old[low] == self.new[new_low]

    def _common_start(self, low: int, high: int, new_low: int, new_high: int) -> int:
        old, new = self.old, self.new
        most = min(high - low, new_high - new_low)
        if not most or old[low] != new[new_low]:
            return 0
        length = 1
        for block in _BLOCKS:  # slices are compared in C
            while (
                length + block <= most
                and old[low + length : low + length + block] == new[new_low + length : new_low + length + block]
            ):
                length += block
        return length

    def _common_end(self, low: int, high: int, new_low: int, new_high: int) -> int:
        old, new = self.old, self.new
        most = min(high - low, new_high - new_low)
        if not most or old[high - 1] != new[new_high - 1]:
            return 0
        length = 1
        for block in _BLOCKS:
            while (
                length + block <= most
                and old[high - length - block : high - length] == new[new_high - length - block : new_high - length]
            ):
                length += block
        return length

    def _anchors(self, low: int, high: int, new_low: int, new_high: int) -> list[tuple[int, int]]:
        """Items that are unique on both sides, as many of them as come in the same order."""
        self.effort.looks -= high - low + new_high - new_low
        if self.effort.looks < 0:
            return []
        old_at = _places_of_unique(self.old, low, high)
        new_at = _places_of_unique(self.new, new_low, new_high)
        pairs = [(place, new_at[item]) for item, place in old_at.items() if item in new_at]
        places = [place for _, place in pairs]
        if all(map(lt, places, places[1:])):
            return pairs
        return _longest_rising(pairs)

    def _shortest(self, low: int, high: int, new_low: int, new_high: int) -> Iterator[_Match]:
        """By the greedy search along diagonals, as long as there are steps left."""
        old, new = self.old, self.new
        width, height = high - low, new_high - new_low
        furthest = {1: 0}
        trails: list[dict[int, int]] = []
        for edits in range(width + height + 1):
            trails.append(dict(furthest))
            self.effort.steps -= 2 * edits + 1  # the copy above costs as much as the round
            if self.effort.steps < 0:
                return
            for diagonal in range(-edits, edits + 1, 2):
                down = diagonal == -edits or (diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1])
                x = furthest[diagonal + 1] if down else furthest[diagonal - 1] + 1
                y = x - diagonal
                while x < width and y < height and old[low + x] == new[new_low + y]:
                    x, y = x + 1, y + 1
                furthest[diagonal] = x
                if x >= width and y >= height:
                    yield from _walked_back(trails, width, height, low, new_low)
                    return


def _walked_back(trails: list[dict[int, int]], width: int, height: int, low: int, new_low: int) -> list[_Match]:
    """The diagonal stretches of the way that the search has found, from its end to its start."""
    found: list[_Match] = []
    x, y = width, height
    for edits in range(len(trails) - 1, -1, -1):
        trail, diagonal = trails[edits], x - y
        down = diagonal == -edits or (
            diagonal != edits and trail.get(diagonal - 1, -1) < trail.get(diagonal + 1, -1)
        )
        before = diagonal + 1 if down else diagonal - 1
        from_x = trail[before] if edits else 0
        start_x = (from_x if down else from_x + 1) if edits else 0
        if x > start_x:
            found.append((low + start_x, new_low + start_x - diagonal, x - start_x))
        x, y = from_x, from_x - before
    return found[::-1]


def _places_of_unique(items: Sequence[str], start: int, end: int) -> dict[str, int]:
    """Where each item stands that stands there once, in order."""
    part = items[start:end]
    places = dict(zip(part, range(start, end), strict=True))
    if len(places) == len(part):
        return places
    repeated = {item for item, count in Counter(part).items() if count > 1}
    return {item: place for item, place in places.items() if item not in repeated}


def _longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence whose second members rise; the first ones do already."""
    tops: list[int] = []
    top_pairs: list[int] = []
    before: list[int] = []
    for index, (_, place) in enumerate(pairs):
        pile = bisect_left(tops, place)
        before.append(top_pairs[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(place)
            top_pairs.append(index)
        else:
            tops[pile], top_pairs[pile] = place, index
    rising: list[tuple[int, int]] = []
    index = top_pairs[-1] if top_pairs else -1
    while index >= 0:
        rising.append(pairs[index])
        index = before[index]
    return rising[::-1]
