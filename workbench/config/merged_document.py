"""Several files that are one composition: places of entries, whichever file they stand in.

What is included has a path that begins with `include` and its index, as in `("include", 0, "sections", 3)`,
and offsets behind those of the files before it. Source: docs/compositions.md 17.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass

from workbench.config.nodes import Document, Node, Path
from workbench.config.problems import LoadProblem
from workbench.prompt.source import Position


@dataclass(frozen=True, slots=True)
class MergedDocument(Document):
    """The including file, and those that it includes. `file`, `text` and `root` are those of the former."""

    included: MappingOf[Path, Document]
    """By the path of what includes them."""
    bases: tuple[int, ...]
    """Where the offsets of each file begin: of the including one, then of `included`, in its order."""

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, from 1, in whichever file the offset lies."""
        document, inside = self._document_at(offset)
        return document.place(inside)

    def position(self, offset: int) -> Position:
        """The same with the file."""
        document, inside = self._document_at(offset)
        return document.position(inside)

    def problem(self, offset: int, path: Path, message: str, remedy: str = "") -> LoadProblem:
        """A problem at a place of the file in which the offset lies."""
        document, inside = self._document_at(offset)
        return document.problem(inside, self._inside(path)[1], message, remedy)

    def at(self, path: Path) -> Node | None:
        """The value at `path`; None when nothing stands there."""
        including, inside = self._inside(path)
        return self._documents[including].at(inside)

    def offset(self, path: Path) -> int:
        """Where the value at `path` begins; that of the nearest value around it when it is absent."""
        including, inside = self._inside(path)
        return self._base(including) + self._documents[including].offset(inside)

    def key_offset(self, path: Path) -> int:
        """Where the key at the end of `path` is written; as `offset` for anything else."""
        including, inside = self._inside(path)
        return self._base(including) + self._documents[including].key_offset(inside)

    @property
    def files(self) -> tuple[Document, ...]:
        """The including file, then those that it includes."""
        return tuple(file for document in self._documents.values() for file in document.files)

    @property
    def own(self) -> Document:
        """The including file alone."""
        return Document(self.file, self.text, self.root, self.line_starts, is_plain=self.is_plain)

    @property
    def _documents(self) -> dict[Path, Document]:
        return {(): self.own, **self.included}

    def _inside(self, path: Path) -> tuple[Path, Path]:
        """The path of the file that `path` leads into, and the rest of it."""
        including: Path = ()
        while (longer := path[: len(including) + 2]) in self.included:
            including = longer
        return including, path[len(including) :]

    def _base(self, including: Path) -> int:
        return self.bases[list(self._documents).index(including)]

    def _document_at(self, offset: int) -> tuple[Document, int]:
        index = bisect_right(self.bases, offset) - 1
        return list(self._documents.values())[index], offset - self.bases[index]


def merged_document(including: Document, included: MappingOf[Path, Document]) -> Document:
    """One document of all; `including` itself when it includes nothing."""
    if not included:
        return including
    bases = [0]
    for document in (including, *included.values()):
        bases.append(bases[-1] + _extent(document))
    return MergedDocument(
        including.file,
        including.text,
        including.root,
        including.line_starts,
        included,
        tuple(bases[:-1]),
        is_plain=including.is_plain,
    )


def _extent(document: Document) -> int:
    """How many offsets the document has, with those of all that it includes itself."""
    if isinstance(document, MergedDocument):
        return document.bases[-1] + _extent(list(document.included.values())[-1])
    return len(document.text) + 1
