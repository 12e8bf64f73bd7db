"""Files that a composition includes: found, read once each, and merged with it.

Source: docs/compositions.md 17.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from workbench.config.local_plugins import is_local
from workbench.config.merged_document import merged_document
from workbench.config.merging import FileEntries, merged_entries
from workbench.config.model import CompositionEntries, ConfigRow
from workbench.config.nodes import Document, Mapping, Path
from workbench.config.problems import LoadError, LoadProblem
from workbench.config.readers import Reading
from workbench.config.textfile import TextFile

MOST_FILES = 100
"""Of one composition, all that it includes counted."""
DEEPEST = 10
"""Files that include each other, one inside the other."""

ReadFile = Callable[[str], TextFile]
"""Reads a file that is named relative to the composition. Raises `LoadError`."""
ReadEntries = Callable[[TextFile, ReadFile, Path], tuple[Reading, CompositionEntries, tuple[ConfigRow, ...]]]
"""Reads one file, its texts by the function given and its paths behind the prefix. Raises `LoadError`."""


class Included:
    """Everything that is read for one composition. `problems` are those of the included files."""

    def __init__(self, read_composition: ReadFile, read_text: ReadFile, read_entries: ReadEntries) -> None:
        self._read_composition = read_composition
        self._read_text = read_text
        self._read_entries = read_entries
        self._files: list[FileEntries] = []
        self._documents: dict[Path, Document] = {}
        self._seen: set[str] = set()
        self.problems: list[LoadProblem] = []
        self.rows: list[ConfigRow] = []

    def merge(self, reading: Reading, entries: CompositionEntries) -> tuple[Document, CompositionEntries]:
        """The composition with all that it includes."""
        chain = (reading.document.file,)
        self._seen.add(_identity(reading.document.file))
        self._add(reading, entries, "", chain)
        return merged_document(reading.document, self._documents), merged_entries(self._files)

    def _add(self, reading: Reading, entries: CompositionEntries, folder: str, chain: tuple[str, ...]) -> None:
        """What the file includes, then the file. `folder` is where it lies, relative to the composition."""
        for index, name in enumerate(entries.include):
            path = ("include", index)
            offset = reading.document.offset(path)
            wrong = self._include(os.path.join(folder, name), (*reading.prefix, *path), chain)
            if wrong is not None:
                self.problems.append(reading.document.problem(offset, path, *wrong))
        self._files.append(FileEntries(_seen_from(folder, entries), _given(reading, entries)))

    def _include(self, name: str, prefix: Path, chain: tuple[str, ...]) -> tuple[str, str] | None:
        """Read one more file. The result is a message and a remedy, when the fault is in the including file."""
        shown = os.path.join(os.path.dirname(chain[0]), name)
        identity = _identity(shown)
        if identity in map(_identity, chain):
            ring = chain[[*map(_identity, chain)].index(identity) :]
            return "these files include each other: " + " → ".join((*ring, shown)), "remove one `include:`"
        if identity in self._seen:
            return None  # It stands where it is named first, below all that include it.
        if len(chain) > DEEPEST:
            return f"files include each other more than {DEEPEST} levels deep", "include them from one file"
        if len(self._seen) >= MOST_FILES:
            return f"more than {MOST_FILES} files are included", "merge some of them"
        self._seen.add(identity)
        try:
            file = self._read_composition(name)
        except LoadError as error:
            [problem] = error.problems
            place = f"{problem.line}:{problem.column}: " if problem.line else ""
            return f"{problem.file}: {place}{problem.message}", problem.remedy
        folder = os.path.dirname(name)
        try:
            read_text = partial(_read_beside, self._read_text, folder)
            reading, entries, rows = self._read_entries(file, read_text, prefix)
        except LoadError as error:
            self.problems += error.problems
            return None
        self._documents[prefix] = reading.document
        self._add(reading, entries, folder, (*chain, shown))
        self.problems += reading.problems
        self.rows += rows
        return None


def _read_beside(read: ReadFile, folder: str, name: str) -> TextFile:
    return read(os.path.join(folder, name))


def _identity(file: str) -> str:
    """The same for a file however it is named."""
    return os.path.realpath(file)


def _seen_from(folder: str, entries: CompositionEntries) -> CompositionEntries:
    """The entries with local plugins, scripts and logs named relative to the composition."""
    if not folder:
        return entries
    plugins = tuple(
        plugin._replace(use=os.path.join(folder, plugin.use)) if is_local(plugin.use) else plugin
        for plugin in entries.plugins
    )
    models = tuple(
        model._replace(
            script=None if model.script is None else os.path.join(folder, model.script),
            replay=None if model.replay is None else tuple(os.path.join(folder, log) for log in model.replay),
        )
        for model in entries.models
    )
    log = None if entries.session_log is None else os.path.join(folder, entries.session_log)
    return entries._replace(plugins=plugins, models=models, session_log=log)


def _given(reading: Reading, entries: CompositionEntries) -> frozenset[str]:
    root = reading.document.root
    if isinstance(root, Mapping):
        return frozenset(root.entries)
    defaults = CompositionEntries._field_defaults
    return frozenset(key for key, default in defaults.items() if getattr(entries, key) != default)
