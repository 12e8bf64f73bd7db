"""Writing a file for the person: whole or not at all, and never over another one unless they said so."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path


def write(path: Path, data: bytes, *, overwrite: bool = False) -> None:
    """Writes the file; blocks on the disk.

    Raises `FileExistsError` where a file is there already and `overwrite` is not asked for, and `OSError`.
    A symbolic link stays one: what it points to is written.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError("that is a folder")
    if not overwrite and target.exists():
        raise FileExistsError("there is a file of that name")
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", dir=target.parent)
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        if overwrite:
            beside.replace(target)
        else:
            _put(beside, target)
    finally:
        beside.unlink(missing_ok=True)


def _put(beside: Path, target: Path) -> None:
    """Fails if somebody has put a file there meanwhile."""
    try:
        os.link(beside, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        with target.open("xb") as file:
            file.write(beside.read_bytes())


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def file_name(*parts: str, ending: str) -> str:
    """A name for a file from names that came from outside."""
    words = [_UNFIT.sub("-", part).strip("-.") for part in parts]
    return "-".join(word[:60] for word in words if word) + ending if any(words) else f"prompt{ending}"


_UNFIT = re.compile(r"[^\w.]+")
