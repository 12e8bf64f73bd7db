"""Readers: a node of the file becomes a value of the model, or a problem at its place.

A reader raises `Wrong`; whoever put readers together reports it with the path and goes on with the rest,
so that one pass finds every error. Source: docs/compositions.md 12.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as MappingOf
from types import MappingProxyType
from typing import Any, TypeVar

from workbench.config.mistakes import braces
from workbench.config.model import Text
from workbench.config.nodes import (
    COMPLEX_KEY,
    Document,
    Entry,
    Mapping,
    Node,
    Path,
    Scalar,
    Sequence,
    plain_data,
)
from workbench.config.problems import LoadError, LoadProblem, did_you_mean
from workbench.config.textfile import TextFile
from workbench.prompt.source import TextSource

T = TypeVar("T")


class Wrong(Exception):
    """The node cannot be read as what was asked for."""

    def __init__(self, offset: int, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.offset, self.message, self.remedy = offset, message, remedy


class Reading:
    """One pass over one document."""

    def __init__(self, document: Document, read_file: Callable[[str], TextFile], prefix: Path = ()) -> None:
        self.document = document
        self.read_file = read_file
        """Reads a file that is named in the document. Raises `LoadError`."""
        self.prefix = prefix
        """Begins the path of everything in it: where the document is included from; () for the first one."""
        self.problems: list[LoadProblem] = []

    def report(self, wrong: Wrong, path: Path) -> None:
        """Keep the problem and go on."""
        if not isinstance(wrong, NotWhole):
            inside = path[len(self.prefix) :]
            self.problems.append(self.document.problem(wrong.offset, inside, wrong.message, wrong.remedy))


Reader = Callable[[Reading, Node, Path], T]


def string(reading: Reading, node: Node, path: Path) -> str:
    """A text of any kind."""
    if not isinstance(node, Scalar):
        raise Wrong(node.start, *_not_a_text(reading, node))
    if node.value is None:
        rest = reading.document.text[node.start :].split("\n", 1)[0]
        remedy = 'quote it: "#" begins a comment' if "#" in rest else 'write "" for an empty text'
        raise Wrong(node.start, "a text was expected, and nothing stands here", remedy)
    if not node.is_text:
        remedy = f'quote it: "{node.text}"'
        raise Wrong(node.start, f"a text was expected, and this is {kind_of(node)}", remedy)
    if not node.text.isascii() and not _is_encodable(node.text):
        raise Wrong(node.start, "the text holds half of a surrogate pair", "write the whole character")
    return node.text


def line(reading: Reading, node: Node, path: Path) -> str:
    """A text that names something: not empty."""
    text = string(reading, node, path)
    if not text:
        raise Wrong(node.start, "a name cannot be empty")
    return text


def text(reading: Reading, node: Node, path: Path) -> Text:
    """A text, or the file that holds it: `{file: path}`."""
    if isinstance(node, Scalar):
        return Text(string(reading, node, path), reading.document.source(node))
    if not isinstance(node, Mapping) or set(node.entries) | node.twice != {"file"}:
        raise Wrong(node.start, *_not_a_text(reading, node))
    if node.twice:
        raise NotWhole
    name = node.entries["file"].value
    try:
        file = reading.read_file(line(reading, name, path))
    except LoadError as error:
        [problem] = error.problems
        place = f"{problem.line}:{problem.column}: " if problem.line else ""
        message = f"{problem.file}: {place}{problem.message}"
        raise Wrong(name.start, message, problem.remedy) from None
    return Text(file.text, TextSource(file.name, 1, 1))


def flag(reading: Reading, node: Node, path: Path) -> bool:
    """`true` or `false`."""
    if not isinstance(node, Scalar) or not isinstance(node.value, bool):
        raise Wrong(node.start, f"true or false was expected, and this is {kind_of(node)}")
    return node.value


def data(reading: Reading, node: Node, path: Path) -> Any:
    """Any value, as it is."""
    return plain_data(node)


def mapping_data(reading: Reading, node: Node, path: Path) -> dict[str, Any]:
    """Any mapping, as it is."""
    if not isinstance(node, Mapping):
        raise Wrong(node.start, f"a mapping was expected, and this is {kind_of(node)}")
    plain: dict[str, Any] = plain_data(node)
    return plain


def optional(read: Reader[T]) -> Reader[T | None]:
    """The same, where nothing (`null`) is an answer, too."""

    def read_optional(reading: Reading, node: Node, path: Path) -> T | None:
        return None if is_nothing(node) else read(reading, node, path)

    return read_optional


def listing(read: Reader[T]) -> Reader[tuple[T, ...]]:
    """A list; wrong items are reported and left out."""

    def read_listing(reading: Reading, node: Node, path: Path) -> tuple[T, ...]:
        if is_nothing(node):
            return ()
        if not isinstance(node, Sequence):
            remedy = "begin each entry with `- `"
            raise Wrong(node.start, f"a list was expected, and this is {kind_of(node)}", remedy)
        items = []
        for index, item in enumerate(node.items):
            try:
                items.append(read(reading, item, (*path, index)))
            except Wrong as wrong:
                reading.report(wrong, (*path, index))
        return tuple(items)

    return read_listing


def shape(model: type[T], advice: MappingOf[str, str] = MappingProxyType({}), /, **keys: Reader[Any]) -> Reader[T]:
    """A mapping whose keys are the fields of `model`, a named tuple.

    `advice` has a remedy for keys that people write by mistake. An entry with a wrong value is kept with
    None there, so that what else is wrong with it is found, too; one that cannot be named is left out.
    """
    model_fields: tuple[str, ...] = model._fields  # type: ignore[attr-defined]
    required = set(model_fields) - set(model._field_defaults)  # type: ignore[attr-defined]
    has_place = "at" in model_fields

    def read_shape(reading: Reading, node: Node, path: Path) -> T:
        if not isinstance(node, Mapping):
            message = f"a mapping was expected, and this is {kind_of(node)}"
            raise Wrong(node.start, message, _KNOWN + ", ".join(keys))
        values: dict[str, Any] = {}
        for name, entry in node.entries.items():
            if name not in keys or entry.key.style == COMPLEX_KEY:
                reading.report(_unknown_key(name, entry, keys, advice), (*path, name))
                continue
            try:
                values[name] = keys[name](reading, entry.value, (*path, name))
            except Wrong as wrong:
                reading.report(wrong, (*path, name))
        for name in sorted(required - node.entries.keys() - node.twice):
            reading.report(Wrong(node.start, f'key "{name}" is missing', f"add `{name}:`"), path)
        unusable = required - values.keys()
        if unusable & NAMING:
            raise NotWhole
        values.update(dict.fromkeys(unusable))
        return model(**values, **({"at": path} if has_place else {}))

    return read_shape


NAMING = frozenset({"name", "use", "scope"})
"""Required keys without which nothing more can be said about an entry."""


class NotWhole(Wrong):
    """An entry is left out because of problems that have been reported."""

    def __init__(self) -> None:
        super().__init__(0, "")


def kind_of(node: Node) -> str:
    """What stands there, for a message."""
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    if node.value is None:
        return "nothing"
    if isinstance(node.value, bool):
        return f"{node.text}, a truth value"
    return f"the text {_shortened(node.text)}" if node.is_text else f"the number {node.text[:_SHORT]}"


def is_nothing(node: Node) -> bool:
    """Whether the key stands there without a value, or with `null`."""
    return isinstance(node, Scalar) and node.value is None


_KNOWN = "known here: "
_SHORT = 24


def _not_a_text(reading: Reading, node: Node) -> tuple[str, str]:
    written = reading.document.text
    if isinstance(node, Mapping) and written.startswith("{{", node.start):
        return braces(written, node.start)[1:]
    remedy = "quote a text that begins with a bracket" if written[node.start] in "[{" else ""
    return f"a text was expected, and this is {kind_of(node)}", remedy


def _unknown_key(name: str, entry: Entry, keys: MappingOf[str, Any], advice: MappingOf[str, str]) -> Wrong:
    if entry.key.style == COMPLEX_KEY:
        return Wrong(entry.key.start, "a key must be a text, and braces or brackets stand here", "quote it")
    remedy = advice.get(name) or did_you_mean(name, keys, _KNOWN + ", ".join(keys))
    return Wrong(entry.key.start, f'unknown key "{name}"', remedy)


def _shortened(written: str) -> str:
    beginning = written.split("\n", 1)[0][:_SHORT]
    return f'"{written}"' if beginning == written else f'"{beginning}…"'


def _is_encodable(written: str) -> bool:
    try:
        written.encode()
    except UnicodeEncodeError:
        return False
    return True
