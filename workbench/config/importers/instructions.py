"""A chain of `AGENTS.md` and `CLAUDE.md` files as one literal section. Source: docs/compositions.md 18.2."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from workbench.config.importers.imported import Imported
from workbench.config.model import SectionEntry, Text
from workbench.config.problems import LoadError, LoadProblem
from workbench.config.textfile import TextFile
from workbench.plugins.instruction_chain import (
    FILE_NAMES,
    MOST_BYTES,
    POSITION,
    SECTION,
    InstructionFile,
    candidate_files,
    instruction_chain,
    root_of,
)

ReadFile = Callable[[str], TextFile]
"""Reads a file by its name relative to the composition, and lets its changes be seen. Raises `LoadError`."""


def import_instructions(
    read: ReadFile, folder: str, name: str, root: str | None = None, limit: int | None = None
) -> tuple[Imported, tuple[LoadProblem, ...]]:
    """The chain that ends at `name`: a directory, or one of its instruction files.

    `folder` is where relative names are meant from. Files that are there and cannot be read are problems;
    without any file there is no section.
    """
    directory = name if os.path.isdir(os.path.join(folder, name)) else os.path.dirname(name)
    last = Path(os.path.abspath(os.path.join(folder, directory)))
    first = Path(os.path.abspath(os.path.join(folder, root))) if root is not None else root_of(last)
    given = os.path.basename(name) if directory != name else ""
    names = FILE_NAMES if given in ("", *FILE_NAMES) else (*FILE_NAMES, given)
    files: list[InstructionFile] = []
    problems: list[LoadProblem] = []
    seen: set[str] = set()
    for path in candidate_files(first, last, names):
        real = os.path.realpath(path)
        is_known = real in seen
        if os.path.lexists(path):
            seen.add(real)
        try:
            # Also a link or a missing file is asked for, so that whoever watches sees when it becomes a file.
            file = read(os.path.relpath(path, os.path.abspath(folder)))
        except LoadError as error:
            if os.path.lexists(path) and not is_known:
                problems += error.problems
            continue
        if is_known:
            continue
        label = os.path.relpath(path, first).replace(os.sep, "/")
        files.append(InstructionFile(file.name, label, file.text))
    chain = instruction_chain(files, MOST_BYTES if limit is None else limit)
    if chain.source is None:
        none = f"{os.path.join(folder, name)}: there is no {' or '.join(names)} from {first.name}/ down to here"
        return Imported(remarks=() if problems else (none,)), tuple(problems)
    section = SectionEntry(SECTION, POSITION, Text(chain.text, chain.source), literal=True)
    taken = tuple(f"{file.path} ({file.size:,} bytes)" for file in chain.files)
    return Imported(sections=(section,), taken_over=taken, remarks=chain.remarks), tuple(problems)
