"""The file of a session that is open for writing: one writer, whole batches.

The lock is on the file itself and ends with the process, however that ends. Source: docs/sessions.md 7.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Self

from workbench.agent.log.errors import LogError


class LogFile:
    """An open file that only grows, but for `cut`."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor
        self._is_named = False
        """Whether the folder's entry for the file is known to be durable."""

    @classmethod
    def create(cls, path: Path) -> Self:
        """A new, empty file, and folders above it. Raises `LogError` SESSION_EXISTS; `OSError`."""
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            descriptor = os.open(path, _FLAGS | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            raise LogError(
                "SESSION_EXISTS", f"{path} exists already; resume that session, or name another file"
            ) from None
        return cls._locked(path, descriptor)

    @classmethod
    def open(cls, path: Path) -> Self:
        """An existing file. Raises `LogError` SESSION_LOCKED while another writer holds it; `OSError`."""
        file = cls._locked(path, os.open(path, _FLAGS))
        file._is_named = True
        return file

    @classmethod
    def _locked(cls, path: Path, descriptor: int) -> Self:
        try:
            _lock(descriptor)
        except OSError:
            os.close(descriptor)
            raise LogError("SESSION_LOCKED", f"{path}: another process or session is writing to this log") from None
        return cls(path, descriptor)

    def append(self, content: bytes) -> None:
        """Write at the end. After an `OSError` any part of it may be there."""
        view = memoryview(content)
        while view:
            view = view[os.write(self._descriptor, view) :]

    def sync(self) -> None:
        """Return when everything that was written is durable."""
        os.fsync(self._descriptor)
        if not self._is_named:
            _sync_folder(self.path.parent)
            self._is_named = True

    def cut(self, length: int) -> None:
        """Keep the first `length` bytes."""
        os.ftruncate(self._descriptor, length)

    @property
    def length(self) -> int:
        """Bytes in the file."""
        return os.fstat(self._descriptor).st_size

    def close(self) -> None:
        """Release file and lock."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


_FLAGS = os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0)

if os.name == "nt":  # pragma: no cover
    import msvcrt

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, 1 << 62, os.SEEK_SET)  # behind every byte: the lock must not keep readers out
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]

    def _sync_folder(folder: Path) -> None:
        """Windows has no such thing."""

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _sync_folder(folder: Path) -> None:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
