"""The rows of a harness config with all that it includes and patches, each with its own file.

A row includes another list of rows, patches change rows by their `id`, and nothing is evaluated.
Source: docs/compositions.md 10.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from workbench.config.compose import parse_yaml
from workbench.config.merged_document import merged_document
from workbench.config.model import ConfigRow
from workbench.config.nodes import Document, Mapping, Node, Path, Scalar, Sequence
from workbench.config.problems import LoadError
from workbench.config.readers import Reading, Wrong
from workbench.config.textfile import COMPOSITION_LIMIT, MIB, TextFile

EXPRESSION_TAG = "tag:yaml.org,2002:js"
INCLUDING = frozenset({"plugin-include", "cordis-plugin-include", "dsh-include", "include"})
"""Packages whose row stands for the rows of the file that its `config.path` names."""
GROUPING = frozenset({"plugin-group", "cordis-plugin-group", "dsh-group", "group"})
"""Packages whose `config` is a list of rows."""
DEEPEST = 10
MOST_FILES = 100

_NO_ROW = "a harness config is a list of rows with `id` and `name`; a composition is a mapping of keys"


@dataclass(slots=True)
class PlacedValue:
    """A value and the file that it stands in."""

    reading: Reading
    node: Node
    path: Path

    @property
    def place(self) -> str:
        """`file:line:column`."""
        return str(self.reading.document.position(self.node.start))


@dataclass(slots=True)
class HarnessRow:
    """A row that loads a package, as patches have left it."""

    reading: Reading
    row: Mapping
    path: Path
    id: str
    package: str
    config: PlacedValue | None
    is_disabled: bool
    patched: list[str] = field(default_factory=list)
    """What patches did to it, each with both places."""

    @property
    def place(self) -> str:
        """`file:line:column`."""
        return str(self.reading.document.position(self.row.start))


class HarnessRows:
    """Everything that one harness config brings, in the order in which it is loaded."""

    def __init__(self, reading: Reading, root: Sequence) -> None:
        self._first = reading
        self._documents: dict[Path, Document] = {}
        self._readings: list[Reading] = []
        self._files = 1
        self.reports: list[ConfigRow] = []
        """What became of rows that load nothing themselves: includes and patches."""
        self.rows = self._collected(reading, root, reading.prefix, (reading.document.file,))

    def finish(self) -> None:
        """Let the first file answer for the places and the problems of all."""
        for reading in self._readings:
            self._first.problems += reading.problems
        self._first.document = merged_document(self._first.document, self._documents)

    def _collected(self, reading: Reading, rows: Node, path: Path, chain: tuple[str, ...]) -> list[HarnessRow]:
        """The rows of one list; its patches have been applied to them."""
        found: list[HarnessRow] = []
        patches: list[PlacedValue] = []
        for value in _mappings_in(reading, rows, path):
            row, place = value.node, value.path
            assert isinstance(row, Mapping)
            name = text_of(row, "name")
            if "insert" in row.entries:
                inserted = row.entries["insert"].value
                found += self._collected(reading, inserted, (*place, "insert"), chain)
            if name:
                found += self._named(value, row, name, chain)
            elif "id" in row.entries:
                patches.append(value)
            elif "insert" not in row.entries:
                reading.report(Wrong(row.start, "this row has neither `id` nor `name`", _NO_ROW), place)
        for patch in patches:
            self._apply(patch, found)
        return found

    def _named(self, value: PlacedValue, row: Mapping, name: str, chain: tuple[str, ...]) -> list[HarnessRow]:
        known_as = short_name(name)
        config = row.entries["config"].value if "config" in row.entries else None
        placed = None if config is None else PlacedValue(value.reading, config, (*value.path, "config"))
        is_disabled = _flag(row, "disabled") is True
        if known_as in INCLUDING:
            return self._include(value, name, placed, chain, is_disabled)
        if known_as in GROUPING and placed is not None and not is_disabled:
            return self._collected(value.reading, placed.node, placed.path, chain)
        identity = text_of(row, "id") or name
        return [HarnessRow(value.reading, row, value.path, identity, name, placed, is_disabled)]

    # -- includes ------------------------------------------------------------------------------------

    def _include(
        self,
        value: PlacedValue,
        name: str,
        config: PlacedValue | None,
        chain: tuple[str, ...],
        is_disabled: bool,
    ) -> list[HarnessRow]:
        if is_disabled:
            self._report(value, name, "disabled", (), ())
            return []
        file = self._named_file(config)
        if file is None:
            told = f"{value.place}: {name}: names no file that can be read here, left out"
            self._report(value, name, "include", (), (told,))
            return []
        assert config is not None
        rows = self._rows_of(value.reading, file, chain)
        if isinstance(config.node, Mapping) and "patches" in config.node.entries:
            patches = config.node.entries["patches"].value
            for patch in _mappings_in(config.reading, patches, (*config.path, "patches")):
                assert isinstance(patch.node, Mapping)
                if "insert" in patch.node.entries:
                    inserted = patch.node.entries["insert"].value
                    rows += self._collected(config.reading, inserted, (*patch.path, "insert"), chain)
                if "id" in patch.node.entries:
                    self._apply(patch, rows)
        self._report(value, name, "include", (f"{len(rows)} rows of {file.node.text}",), ())
        return rows

    def _named_file(self, config: PlacedValue | None) -> _FileName | None:
        """The value that names the file: a text, no expression and no address on the network."""
        if config is None or not isinstance(config.node, Mapping):
            return None
        for key in ("path", "url", "file"):
            entry = config.node.entries.get(key)
            if entry is None or not isinstance(entry.value, Scalar) or is_expression(entry.value):
                continue
            if entry.value.is_text and entry.value.text and "://" not in entry.value.text:
                return _FileName(config.reading, entry.value, (*config.path, key))
        return None

    def _rows_of(self, reading: Reading, name: _FileName, chain: tuple[str, ...]) -> list[HarnessRow]:
        try:
            return self._read_rows(reading, name, chain)
        except Wrong as wrong:
            name.reading.report(wrong, name.path)
        except LoadError as error:
            name.reading.problems += error.problems
        return []

    def _read_rows(self, reading: Reading, name: _FileName, chain: tuple[str, ...]) -> list[HarnessRow]:
        start = name.node.start
        shown = os.path.join(os.path.dirname(reading.document.file), name.node.text)
        if os.path.realpath(shown) in map(os.path.realpath, chain):
            ring = " → ".join((*chain, shown))
            raise Wrong(start, f"these files include each other: {ring}", "remove one row")
        if len(chain) > DEEPEST or self._files >= MOST_FILES:
            raise Wrong(start, f"more than {DEEPEST} levels or {MOST_FILES} files are included", "merge some")
        self._files += 1
        try:
            file = reading.read_file(name.node.text)
        except LoadError as error:
            [problem] = error.problems
            place = f"{problem.line}:{problem.column}: " if problem.line else ""
            message = f"{problem.file}: {place}{problem.message}"
            raise Wrong(start, message, problem.remedy) from None
        if len(file.text) > COMPOSITION_LIMIT:
            message = f"{COMPOSITION_LIMIT // MIB} MiB is the limit of a harness config, and {file.name} is longer"
            raise Wrong(start, message, "split it")
        document, problems = parse_yaml(file.text, file.name)
        inside = ("include", len(self._documents))
        folder = os.path.dirname(name.node.text)
        read_file = partial(_read_beside, reading, folder)
        included = Reading(document, read_file, (*self._first.prefix, *inside))
        included.problems += problems
        self._documents[inside] = document
        self._readings.append(included)
        if document.root is None:
            return []
        return self._collected(included, document.root, included.prefix, (*chain, shown))

    # -- patches -------------------------------------------------------------------------------------

    def _apply(self, patch: PlacedValue, rows: list[HarnessRow]) -> None:
        """Change every row of the patch's id. One that matches nothing is told, and harms nobody."""
        node = patch.node
        assert isinstance(node, Mapping)
        wanted = text_of(node, "id")
        matched = [row for row in rows if row.id == wanted]
        done: list[str] = []
        for row in matched:
            if "config" in node.entries:
                config = node.entries["config"].value
                row.config = PlacedValue(patch.reading, config, (*patch.path, "config"))
                done.append(f"config of {wanted}")
                row.patched.append(f"{row.place}: {wanted}: its config is replaced at {patch.place}")
            disabled = _flag(node, "disabled")
            if disabled is not None:
                row.is_disabled = disabled
                done.append(f"{wanted} {'off' if disabled else 'on'}")
                word = "switched off" if disabled else "switched on"
                row.patched.append(f"{row.place}: {wanted}: it is {word} at {patch.place}")
        told: tuple[str, ...] = ()
        if not matched:
            told = (f"{patch.place}: {wanted}: this patch matches no row, and changes nothing",)
        self._report(patch, "", "patched" if matched else "patch", tuple(dict.fromkeys(done)), told)

    def _report(
        self, value: PlacedValue, package: str, outcome: str, taken_over: tuple[str, ...], notes: tuple[str, ...]
    ) -> None:
        assert isinstance(value.node, Mapping)
        line, column = value.reading.document.place(value.node.start)
        identity = text_of(value.node, "id") or package
        self.reports.append(ConfigRow(identity, package, line, column, outcome, taken_over, notes))  # type: ignore[arg-type]


@dataclass(slots=True)
class _FileName:
    """The scalar that names a file."""

    reading: Reading
    node: Scalar
    path: Path


def is_expression(node: Node) -> bool:
    """Whether a harness would evaluate it."""
    return isinstance(node, Scalar) and node.tag == EXPRESSION_TAG


def short_name(package: str) -> str:
    """The name of a package without its vendor."""
    return package.rsplit("/", 1)[-1] if package.startswith("@") else package


def text_of(row: Mapping, key: str) -> str:
    """The text under a key; empty when there is none."""
    entry = row.entries.get(key)
    return entry.value.text if entry and isinstance(entry.value, Scalar) else ""


def _flag(row: Mapping, key: str) -> bool | None:
    entry = row.entries.get(key)
    value = entry.value.value if entry and isinstance(entry.value, Scalar) else None
    return value if isinstance(value, bool) else None


def _mappings_in(reading: Reading, rows: Node, path: Path) -> Iterator[PlacedValue]:
    if not isinstance(rows, Sequence):
        reading.report(Wrong(rows.start, "a list of rows was expected", _NO_ROW), path)
        return
    for index, row in enumerate(rows.items):
        if isinstance(row, Mapping):
            yield PlacedValue(reading, row, (*path, index))
        else:
            reading.report(Wrong(row.start, "a row was expected", _NO_ROW), (*path, index))


def _read_beside(reading: Reading, folder: str, name: str) -> TextFile:
    return reading.read_file(os.path.join(folder, name))
