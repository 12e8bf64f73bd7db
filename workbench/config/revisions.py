"""A composition as it was in a revision of its git repository, with every file that it names.

The files are laid into a folder as blobs have them, without hooks, filters or a checkout. Source: docs/cli.md 8.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import NoReturn

from workbench.config.composition import read_composition
from workbench.config.problems import LoadError, LoadProblem

MOST_FILES = 1000
"""That one revision of a composition may name."""


def lay_out(file: str | Path, revision: str, folder: Path) -> Path:
    """Write the composition and what it names into `folder`. The result is its path there.

    Raises `LoadError`. A file that the revision does not have is left out; opening the composition says so.
    """
    name = os.fspath(file)
    repository = _Repository(name, revision)
    main = repository.path_of(Path(name).resolve())
    if main is None or not repository.write(main, folder):
        _refuse(name, f"revision {revision} has no such file", "check the path, or name another revision")
    tried = {main}
    while len(tried) < MOST_FILES:
        new = [path for path in _named_files(folder / main, folder) if path not in tried]
        if not new:
            break
        for path in new:
            tried.add(path)
            repository.write(path, folder)
    return folder / main


class _Repository:
    """The repository that a file lies in, at one of its revisions."""

    def __init__(self, name: str, revision: str) -> None:
        self._name = name
        around = Path(name).resolve().parent
        while not around.is_dir():  # The folder may be gone since.
            around = around.parent
        self._folder = around
        top = self._git("rev-parse", "--show-toplevel")
        if top is None:
            _refuse(name, "this is in no git repository", "name two files instead")
        self._top = Path(top.decode().rstrip("\n")).resolve()
        commit = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        if commit is None:
            _refuse(name, f"there is no revision {revision} in its repository", "see `git log`")
        self._commit = commit.decode().strip()

    def path_of(self, path: Path) -> str | None:
        """Relative to the repository; None outside of it."""
        try:
            return path.relative_to(self._top).as_posix()
        except ValueError:
            return None

    def write(self, path: str, folder: Path) -> bool:
        """Write the blob; False when the revision has none there."""
        content = self._git("cat-file", "blob", f"{self._commit}:{path}")
        if content is None:
            return False
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        return True

    def _git(self, *arguments: str) -> bytes | None:
        """What git prints; None when it refuses."""
        command = ["git", "-C", os.fspath(self._folder), *arguments]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        except FileNotFoundError:
            _refuse(self._name, "git is not installed, so no revision can be read", "name two files instead")
        if b"dubious ownership" in done.stderr:
            remedy = "tell git that the repository is safe: see `git help config`, safe.directory"
            _refuse(self._name, "git does not trust this repository, which belongs to somebody else", remedy)
        return done.stdout if done.returncode == 0 else None


def _named_files(composition: Path, folder: Path) -> list[str]:
    """What the composition names below the folder, relative to it, as far as it can be read."""
    try:
        files = read_composition(composition).composition.files
    except LoadError:
        return []
    names = (Path(os.path.normpath(file)) for file in files)
    return [name.relative_to(folder).as_posix() for name in names if name.is_relative_to(folder)]


def _refuse(name: str, message: str, remedy: str) -> NoReturn:
    raise LoadError([LoadProblem(name, None, None, "", message, remedy)])
