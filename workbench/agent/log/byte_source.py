"""A file that is read at places, open for as long as somebody holds it.

Source: docs/sessions.md 7.
"""

from __future__ import annotations

import os
import weakref
from pathlib import Path


class ByteSource:
    """The bytes of a file, whatever its path leads to later. `close` is idempotent, and not needed."""

    def __init__(self, path: Path) -> None:
        """Raises `OSError`."""
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self._descriptor = descriptor
        self._close = weakref.finalize(self, os.close, descriptor)

    @property
    def file_id(self) -> tuple[int, int]:
        """Which file is open."""
        status = os.fstat(self._descriptor)
        return status.st_dev, status.st_ino

    def read(self, offset: int, length: int) -> bytes:
        """The bytes from `offset` on; fewer than `length` where the file ends. Raises `ValueError` once closed."""
        if not self._close.alive:
            raise ValueError("the log was closed")
        pieces = []
        while length > 0:
            piece = self._read_once(offset, length)
            if not piece:
                break
            pieces.append(piece)
            offset += len(piece)
            length -= len(piece)
        return b"".join(pieces)

    def close(self) -> None:
        """Release the file."""
        self._close()

    if hasattr(os, "pread"):

        def _read_once(self, offset: int, length: int) -> bytes:
            return os.pread(self._descriptor, length, offset)

    else:  # pragma: no cover

        def _read_once(self, offset: int, length: int) -> bytes:
            os.lseek(self._descriptor, offset, os.SEEK_SET)
            return os.read(self._descriptor, length)
