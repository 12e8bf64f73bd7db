"""A long list of small records, of which all but the newest are kept packed.

For what grows with a log and is looked at a few at a time: a packed record takes a tenth of a live one.
"""

from __future__ import annotations

import pickle
import threading
import zlib
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar, overload

T = TypeVar("T")

BLOCK = 64
"""Records that are packed together, and unpacked together when one of them is asked for."""
KEPT = 6
"""Blocks that stay unpacked for a second look."""


class Packed(Sequence[T], Generic[T]):
    """Records in order; only the newest ones can be changed. It may be read while another thread appends.

    A record that was packed is an equal one when it is asked for again, not the same.
    """

    def __init__(self) -> None:
        self._packed: list[bytes] = []
        self._newest: list[T] = []
        self._kept: OrderedDict[int, list[T]] = OrderedDict()
        self._lock = threading.Lock()

    def append(self, record: T) -> None:
        """One more; it stays as it is, the same object, until `BLOCK` others have come after it."""
        with self._lock:
            self._newest.append(record)
            if len(self._newest) > 2 * BLOCK:
                oldest = pickle.dumps(self._newest[:BLOCK], pickle.HIGHEST_PROTOCOL)
                self._packed.append(zlib.compress(oldest, 1))
                del self._newest[:BLOCK]

    def __len__(self) -> int:
        with self._lock:
            return len(self._packed) * BLOCK + len(self._newest)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        with self._lock:
            length = len(self._packed) * BLOCK + len(self._newest)
            at = index + length if index < 0 else index
            if not 0 <= at < length:
                raise IndexError(f"there is no record {index}; there are {length}")
            block, nth = divmod(at, BLOCK)
            if block >= len(self._packed):
                return self._newest[at - len(self._packed) * BLOCK]
            return self._unpacked(block)[nth]

    def __iter__(self) -> Iterator[T]:
        at = 0
        while at < len(self):  # it may grow meanwhile
            yield self[at]
            at += 1

    def _unpacked(self, block: int) -> list[T]:
        known = self._kept.get(block)
        if known is None:
            known = pickle.loads(zlib.decompress(self._packed[block]))  # packed by `append`, from nowhere else
            self._kept[block] = known
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(block)
        return known
