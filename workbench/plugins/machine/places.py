"""Where an agent may go: its working directory and what the composition adds, with every link resolved.

Source: docs/tools.md 13.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.tools.failure import ToolFailure


class Refused(ToolFailure):
    """Something is not possible, or not allowed; `code` says what, and the message says what would be."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message, code)


@dataclass(frozen=True, slots=True)
class Places:
    """What the composition decides about paths."""

    is_confined: bool = True
    """False: any path that the process itself may use."""
    writable: tuple[str, ...] = ()
    """Directories beside the working directory; absolute, or relative to it."""
    readable: tuple[str, ...] = ()
    """Directories that may be read and not changed."""

    def working_directory(self, cwd: str | None) -> str:
        """The real path of the working directory. Raises `Refused` for one that is not there."""
        directory = os.path.realpath(cwd or os.getcwd())
        if not os.path.isdir(directory):
            raise Refused("NOT_FOUND", f"the working directory {cwd or directory} is not there")
        return directory

    def roots(self, cwd: str | None, *, writing: bool) -> tuple[str, ...]:
        """The real paths of all directories that may be used."""
        base = self.working_directory(cwd)
        more: Sequence[str] = self.writable if writing else (*self.writable, *self.readable)
        return (base, *(os.path.realpath(os.path.join(base, os.path.expanduser(each))) for each in more))

    def resolve(self, path: str, cwd: str | None, *, writing: bool = False) -> str:
        """The real path that `path` means, whether or not it exists. Raises `Refused` outside of the roots."""
        if "\0" in path:
            raise Refused("INVALID_PATH", "a path cannot hold the character NUL")
        base = self.working_directory(cwd)
        try:
            real = os.path.realpath(os.path.join(base, os.path.expanduser(path)))
        except (OSError, ValueError) as error:
            raise Refused("INVALID_PATH", f"{path!r} is no path: {error}") from error
        if self.is_confined and not any(is_inside(real, root) for root in self.roots(cwd, writing=writing)):
            what = "changed" if writing else "read"
            through = "" if real == os.path.normpath(os.path.join(base, path)) else f" (which leads to {real})"
            raise Refused(
                "OUTSIDE", f"{path}{through} lies outside of the working directory {base} and cannot be {what}"
            )
        return real

    def shown(self, real: str, cwd: str | None) -> str:
        """A path as the model reads it: relative to the working directory where it lies inside."""
        base = self.working_directory(cwd)
        return os.path.relpath(real, base) if is_inside(real, base) else real


def is_inside(path: str, root: str) -> bool:
    """Whether a real path is `root` or lies below it."""
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)
