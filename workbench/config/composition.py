"""A file that a person points at, read: composition, prompt file or harness config.

Source: docs/compositions.md 1 and 10.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.config.checks import check_entries
from workbench.config.compose import parse_yaml
from workbench.config.entries import read_entries
from workbench.config.local_plugins import is_local, local_file
from workbench.config.model import CompositionEntries, ConfigRow, SectionEntry, Text
from workbench.config.nodes import Document, Sequence, line_starts_of
from workbench.config.nodes import Path as NodePath
from workbench.config.problems import LoadError, LoadProblem
from workbench.config.readers import Reading, is_nothing
from workbench.config.textfile import COMPOSITION_LIMIT, TEXT_LIMIT, TextFile, read_text
from workbench.prompt.source import TextSource

if TYPE_CHECKING:
    from workbench.config.importers.direct import DirectImport

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
    """SHA-256 of the file, its texts and its Python files; line ends do not matter."""
    files: tuple[Path, ...]
    """The file itself and every file that it names or includes."""
    rows: tuple[ConfigRow, ...] = ()
    """Of a harness config: what became of each row."""
    hashes: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of each text that it names, by the path as it is shown in messages."""

    @property
    def documents(self) -> Mapping[str, Document]:
        """Each file that was parsed, by the name that messages give it."""
        return {document.file: document for document in self.document.files}

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not taken over; not fatal."""
        return tuple(note for row in self.rows for note in row.notes)


@dataclass(frozen=True, slots=True)
class ReadComposition:
    """A composition as far as it could be read. With problems it is good for finding more of them only."""

    composition: Composition
    problems: tuple[LoadProblem, ...]


def load(path: str | Path) -> Composition:
    """Read the file at `path`. Raises `LoadError` with every problem of it at once."""
    read = read_composition(path)
    if read.problems:
        raise LoadError(read.problems, read.composition.files)
    return read.composition


def read_composition(path: str | Path, earlier: Composition | None = None) -> ReadComposition:
    """Read the file at `path`. Raises `LoadError` when nothing of it can be read.

    What is the same as in an `earlier` composition of it is not parsed again.
    """
    name = os.fspath(path)
    ending = Path(name).suffix.lower()
    if ending in PROMPT_FILE_ENDINGS:
        file = read_text(Path(name), name, TEXT_LIMIT)
        return _imported(file) or ReadComposition(_prompt_file(file), ())
    if ending == ".json":
        imported = _imported(read_text(Path(name), name, TEXT_LIMIT))
        if imported is not None:
            return imported
    return _composition(read_text(Path(name), name, COMPOSITION_LIMIT), earlier.documents if earlier else {})


def empty_composition(path: str | Path) -> Composition:
    """What stands in for a file that cannot be used."""
    file = TextFile(os.fspath(path), Path(path), "")
    return _from_entries(file, CompositionEntries(), Document(file.name, "", None, (0,)), _NamedFiles(file), ())


def _imported(file: TextFile) -> ReadComposition | None:
    """A file of another form as a composition of its own; None when it is none. Raises `LoadError`."""
    named = _NamedFiles(file)
    found = _import_directly(file, named.read)
    if found is None:
        return None
    document = Document(file.name, file.text, None, line_starts_of(file.text))
    composition = _from_entries(file, found.entries, document, named, found.rows)
    return ReadComposition(composition, (*found.problems, *check_entries(document, found.entries)))


def _import_directly(
    file: TextFile, read: Callable[[str], TextFile] | None, at: NodePath = ()
) -> DirectImport | None:
    """Only what looks like it costs the importers' time."""
    ending = file.path.suffix.lower()
    is_chain = read is not None and file.path.name in ("AGENTS.md", "CLAUDE.md")
    if ending != ".json" and not (ending == ".md" and (is_chain or file.text.startswith("---"))):
        return None
    from workbench.config.importers.direct import import_directly

    return import_directly(file, read, at)


def _composition(file: TextFile, earlier: Mapping[str, Document]) -> ReadComposition:
    named = _NamedFiles(file)
    read_file = partial(_read_file, earlier=earlier)
    reading, entries, rows = read_file(file, named.read, ())
    document, problems = reading.document, reading.problems
    if entries.include:
        from workbench.config.includes import Included  # only for those who spread a composition over files

        included = Included(named.read_composition, named.read, read_file)
        document, entries = included.merge(reading, entries)
        problems, rows = [*included.problems, *problems], (*included.rows, *rows)
    composition = _from_entries(file, entries, document, named, rows)
    return ReadComposition(composition, (*problems, *check_entries(document, entries)))


def _from_entries(
    file: TextFile,
    entries: CompositionEntries,
    document: Document,
    named: _NamedFiles,
    rows: tuple[ConfigRow, ...],
) -> Composition:
    for plugin in entries.plugins:
        if is_local(plugin.use):
            named.look_at(local_file(plugin.use))
    content_hash, hashes = named.content_hashes()
    return Composition(file.name, file.path, entries, document, content_hash, named.paths, rows, hashes)


def _read_file(
    file: TextFile, read_text: Callable[[str], TextFile], prefix: NodePath, earlier: Mapping[str, Document]
) -> tuple[Reading, CompositionEntries, tuple[ConfigRow, ...]]:
    """One file by itself. Raises `LoadError` when nothing of it can be read."""
    imported = _import_directly(file, None, prefix) if prefix else None
    if imported is not None:
        document = Document(file.name, file.text, None, line_starts_of(file.text))
        entries = imported.entries._replace(description="", include_harness_identity=True)
        return Reading(document, read_text, prefix), _behind_persona(entries, prefix), imported.rows
    if prefix and file.path.suffix.lower() in PROMPT_FILE_ENDINGS:
        document = Document(file.name, file.text, None, line_starts_of(file.text))
        entries = CompositionEntries(sections=(_section_of(file)._replace(at=prefix),))
        return Reading(document, read_text, prefix), _behind_persona(entries, prefix), ()
    document, problems = parse_yaml(file.text, file.name, earlier.get(file.name))
    reading = Reading(document, read_text, prefix)
    reading.problems += problems
    return reading, *_entries_and_rows(reading)


def _behind_persona(entries: CompositionEntries, prefix: NodePath) -> CompositionEntries:
    """The sections of an included file that is no composition, in the order of the includes."""
    order = 10 + int(prefix[-1])
    return entries._replace(sections=tuple(section._replace(order=order) for section in entries.sections))


def _entries_and_rows(reading: Reading) -> tuple[CompositionEntries, tuple[ConfigRow, ...]]:
    root = reading.document.root
    if root is None or is_nothing(root):
        return CompositionEntries(), ()
    if isinstance(root, Sequence):
        from workbench.config.harness_config import read_rows  # only for those who bring such a file

        return read_rows(reading, root)
    entries = read_entries(reading, root)
    if entries.imports:
        from workbench.config.importers.imports import with_imports  # only for those who import something

        return with_imports(reading, entries)
    return entries, ()


def _prompt_file(file: TextFile) -> Composition:
    entries = CompositionEntries(include_harness_identity=False, sections=(_section_of(file),))
    document = Document(file.name, file.text, None, (0,))
    return _from_entries(file, entries, document, _NamedFiles(file), ())


def _section_of(file: TextFile) -> SectionEntry:
    text = Text(file.text, TextSource(file.name, 1, 1))
    return SectionEntry(name=file.path.name, order=0, text=text, literal=True)


class _NamedFiles:
    """The files that a composition names, relative to it; each is read once."""

    def __init__(self, composition: TextFile) -> None:
        self._folder = os.path.dirname(composition.name)
        self._composition = composition
        self._texts: dict[str, TextFile | None] = {}

    @property
    def paths(self) -> tuple[Path, ...]:
        """The composition and every file that was asked for, also those that could not be read."""
        return (self._composition.path, *map(Path, self._texts))

    def read(self, name: str, limit: int = TEXT_LIMIT) -> TextFile:
        """The file of that name. Raises `LoadError`."""
        shown = os.path.join(self._folder, name)
        text = self._texts.setdefault(shown, None)
        if text is None:
            self._texts[shown] = text = read_text(Path(shown), shown, limit)
        return text

    def read_composition(self, name: str) -> TextFile:
        """The same for a file that is included: a composition has another limit. Raises `LoadError`."""
        is_text = Path(name).suffix.lower() in PROMPT_FILE_ENDINGS
        return self.read(name, TEXT_LIMIT if is_text else COMPOSITION_LIMIT)

    def look_at(self, name: str) -> None:
        """Let a file count for the hash; whoever needs it says what is wrong with it."""
        with suppress(LoadError):
            self.read(name)

    def content_hashes(self) -> tuple[str, dict[str, str]]:
        """Of the composition with its files, in the order in which it names them; and of each file."""
        from hashlib import sha256

        hashes = {name: text.content_hash if text else "missing" for name, text in self._texts.items()}
        whole = "\n".join((self._composition.content_hash, *hashes.values()))
        return sha256(whole.encode()).hexdigest(), hashes
