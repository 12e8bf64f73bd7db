"""Instruction files of a project, from its root down to one directory: the nearest last.

Whoever reads the files gives them to `instruction_chain`: the contributor `instructions`, and the importer of
compositions. Source: docs/contributors.md 5.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from workbench.plugins.joined_text import Piece, joined
from workbench.prompt import TextSource

SECTION = "context:instructions"
POSITION = "INSTRUCTIONS"
FILE_NAMES: tuple[str, ...] = ("AGENTS.md", "CLAUDE.md")
"""In the order in which those of one directory come."""
MOST_BYTES = 64 * 1024
"""Of all instruction files together; what is farther away is cut first."""
ROOT_MARK = ".git"
"""A directory that holds it is the root of a project."""


class InstructionFile(NamedTuple):
    """A file that was read."""

    path: str
    """As it is shown to a person."""
    label: str
    """Relative to the root: what the model is told."""
    text: str


class LoadedFile(NamedTuple):
    """What became of a file."""

    path: str
    size: int
    """Bytes, as UTF-8."""
    lines: int
    kept_lines: int
    """Fewer than `lines` where the limit has cut it."""


@dataclass(frozen=True, slots=True)
class InstructionChain:
    """The text of all files, and what of each is in it."""

    text: str
    """Empty when there is no file."""
    source: TextSource | None
    files: tuple[LoadedFile, ...]

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was cut, each with the file."""
        return tuple(
            f"{file.path}: cut after line {file.kept_lines} of {file.lines}, because the limit is reached"
            for file in self.files
            if file.kept_lines < file.lines
        )


def root_of(directory: Path) -> Path:
    """The nearest directory upwards that is the root of a project; without one, the directory itself."""
    for each in (directory, *directory.parents):
        if os.path.lexists(each / ROOT_MARK):
            return each
    return directory


def directories_between(root: Path, directory: Path) -> tuple[Path, ...]:
    """From the root down to the directory; that alone when it does not lie below the root."""
    below = [each for each in (directory, *directory.parents) if each == root or root in each.parents]
    return tuple(reversed(below)) or (directory,)


def candidate_files(root: Path, directory: Path, names: Sequence[str] = FILE_NAMES) -> Iterator[Path]:
    """Every path where an instruction file may stand, in the order of the chain."""
    for each in directories_between(root, directory):
        for name in names:
            yield each / name


def instruction_chain(files: Sequence[InstructionFile], limit: int = MOST_BYTES) -> InstructionChain:
    """One text of all files. `limit` counts bytes of their texts; the nearest ones are kept whole."""
    files = [*_without_copies(files)]
    if not files:
        return InstructionChain("", None, ())
    kept = _kept_lines(files, limit)
    pieces: list[Piece] = []
    loaded: list[LoadedFile] = []
    for file, count in zip(files, kept, strict=True):
        lines = _lines(file.text)
        start = TextSource(file.path, 1, 1)
        text = "".join(lines[:count])
        head = f"## {file.label}\n\n" if pieces else f"{INTRODUCTION}\n\n## {file.label}\n\n"
        pieces += [Piece(head, TextSource(file.path, 1, 1, None)), Piece(text.rstrip("\n"), start)]
        if count < len(lines):
            notice = f"[cut after line {count} of {len(lines)}: instructions are limited to {limit:,} bytes]"
            between = "\n\n" if text else ""
            pieces.append(Piece(between + notice, TextSource(file.path, count + 1, 1, None)))
        pieces.append(Piece("\n\n", TextSource(file.path, max(count, 1), 1, None)))
        loaded.append(LoadedFile(file.path, len(file.text.encode()), len(lines), count))
    text, source = joined(pieces[:-1])
    return InstructionChain(text, source, tuple(loaded))


INTRODUCTION = (
    "# Instructions of this project\n\n"
    "They come from files of the project and hold for all work in it. Of two that contradict each other the one "
    "further down counts, because its file is nearer to the working directory. What the person says counts more "
    "than either."
)


def _without_copies(files: Sequence[InstructionFile]) -> Iterator[InstructionFile]:
    """A second file of the same text in one directory is a link that some system could not keep as one."""
    seen: set[tuple[str, str]] = set()
    for file in files:
        directory = os.path.dirname(file.path)
        text = file.text.strip()
        names_its_neighbour = text in FILE_NAMES and any(
            os.path.dirname(other.path) == directory and os.path.basename(other.path) == text for other in files
        )
        if not text or names_its_neighbour or (directory, text) in seen:
            continue
        seen.add((directory, text))
        yield file


def _lines(text: str) -> list[str]:
    """With their line ends; other characters that may end a line do not here, as in places."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _kept_lines(files: Sequence[InstructionFile], limit: int) -> list[int]:
    """How many whole lines of each file there is room for."""
    kept: list[int] = []
    left = limit
    for file in reversed(files):
        count = 0
        for line in _lines(file.text):
            size = len(line.encode())
            if size > left:
                left = 0  # Nothing that is farther away may take what a nearer file did not get.
                break
            left -= size
            count += 1
        kept.append(count)
    return kept[::-1]
