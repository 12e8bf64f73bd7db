"""A file that a person points at, read: composition, prompt file or harness config.

Source: docs/compositions.md 1 and 10.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from workbench.config.checks import check_entries
from workbench.config.compose import parse_yaml
from workbench.config.entries import read_entries
from workbench.config.model import CompositionEntries, ConfigRow, SectionEntry, Text
from workbench.config.nodes import Document, Sequence
from workbench.config.problems import LoadError
from workbench.config.readers import Reading, is_nothing
from workbench.config.textfile import COMPOSITION_LIMIT, TEXT_LIMIT, TextFile, read_text
from workbench.prompt.source import TextSource

PROMPT_FILE_ENDINGS = frozenset({".md", ".txt"})


@dataclass(frozen=True, slots=True)
class Composition:
    """Everything that a file says, its texts included. Nothing has been registered yet."""

    file: str
    """As the person named it."""
    path: Path
    entries: CompositionEntries
    document: Document
    content_hash: str
    """SHA-256 of the file and of every text that it names; line ends do not matter."""
    text_files: tuple[Path, ...] = ()
    """Files that it names as texts."""
    rows: tuple[ConfigRow, ...] = ()
    """Of a harness config: what became of each row."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not taken over; not fatal."""
        return tuple(note for row in self.rows for note in row.notes)


def load(path: str | Path) -> Composition:
    """Read the file at `path`. Raises `LoadError` with every problem of it at once."""
    name = os.fspath(path)
    if Path(name).suffix.lower() in PROMPT_FILE_ENDINGS:
        return _prompt_file(read_text(Path(name), name, TEXT_LIMIT))
    return _composition(read_text(Path(name), name, COMPOSITION_LIMIT))


def _composition(file: TextFile) -> Composition:
    texts = _TextFiles(file)
    try:
        document, problems = parse_yaml(file.text, file.name)
        reading = Reading(document, texts.read)
        entries, rows = _entries_and_rows(reading)
        problems = [*problems, *reading.problems, *check_entries(document, entries)]
        if problems:
            raise LoadError(problems)
    except LoadError as error:
        error.text_files = tuple(texts.paths)
        raise
    content_hash = texts.content_hash(file)
    return Composition(file.name, file.path, entries, document, content_hash, tuple(texts.paths), rows)


def _entries_and_rows(reading: Reading) -> tuple[CompositionEntries, tuple[ConfigRow, ...]]:
    root = reading.document.root
    if root is None or is_nothing(root):
        return CompositionEntries(), ()
    if isinstance(root, Sequence):
        from workbench.config.harness_config import read_rows  # only for those who bring such a file

        return read_rows(reading, root)
    return read_entries(reading, root), ()


def _prompt_file(file: TextFile) -> Composition:
    text = Text(file.text, TextSource(file.name, 1, 1))
    section = SectionEntry(name=file.path.name, order=0, text=text, literal=True)
    entries = CompositionEntries(include_harness_identity=False, sections=(section,))
    document = Document(file.name, file.text, None, (0,))
    return Composition(file.name, file.path, entries, document, file.content_hash)


class _TextFiles:
    """Reads the texts that a composition names, each once, relative to it."""

    def __init__(self, composition: TextFile) -> None:
        self._folder = os.path.dirname(composition.name)
        self._read: dict[str, TextFile] = {}
        self.paths: dict[Path, None] = {}
        """Every file that was asked for, also those that could not be read."""

    def read(self, name: str) -> TextFile:
        """The file of that name. Raises `LoadError`."""
        shown = os.path.join(self._folder, name)
        self.paths[Path(shown)] = None
        if shown not in self._read:
            self._read[shown] = read_text(Path(shown), shown)
        return self._read[shown]

    def content_hash(self, composition: TextFile) -> str:
        """Of the composition and its texts, in the order in which it names them."""
        if not self._read:
            return composition.content_hash
        from hashlib import sha256

        hashes = [composition.content_hash, *(text.content_hash for text in self._read.values())]
        return sha256("\n".join(hashes).encode()).hexdigest()
