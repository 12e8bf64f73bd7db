"""Where the line of each event of a file begins, in little more than four bytes each.

Source: docs/sessions.md 10.
"""

from __future__ import annotations

from array import array

_BITS = 6
"""Of every 64 events one offset is kept whole; lines of 64 MiB at most keep the others within four bytes of it."""
_FIRST = (1 << _BITS) - 1


class LineOffsets:
    """Offsets in bytes, by seq, never smaller than the one before."""

    __slots__ = ("_behind", "_last_whole", "_whole")

    def __init__(self) -> None:
        self._whole = array("Q")
        self._behind = array("I")
        self._last_whole = 0

    def append(self, offset: int) -> None:
        """Of the next event."""
        behind = self._behind
        if not len(behind) & _FIRST:
            self._whole.append(offset)
            self._last_whole = offset
        behind.append(offset - self._last_whole)

    def extend(self, others: LineOffsets) -> None:
        """Those of the next events, as another pass has found them."""
        for seq in range(len(others)):
            self.append(others[seq])

    def __len__(self) -> int:
        return len(self._behind)

    def __getitem__(self, seq: int) -> int:
        return self._whole[seq >> _BITS] + self._behind[seq]

    def first_at(self, seq: int) -> int:
        """The first event that stands in the line of `seq`: those of a packed row share one."""
        offset = self[seq]
        while seq and self[seq - 1] == offset:
            seq -= 1
        return seq
