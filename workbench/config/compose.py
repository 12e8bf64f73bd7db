"""YAML text to nodes, with limits, with duplicate keys found, and with every mistake explained.

The events come from ruamel.yaml. The tree is built here, because a composition must know the place of
every value, must refuse what is given twice, and must not write out an alias a million times.
Source: docs/compositions.md 11 and 12.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    MappingEndEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)
from ruamel.yaml.reader import ReaderError

from workbench.config.mistakes import explain
from workbench.config.nodes import (
    COMPLEX_KEY,
    TEXT_TAGS,
    Document,
    Entry,
    Mapping,
    Node,
    Path,
    Scalar,
    Sequence,
    line_starts_of,
)
from workbench.config.problems import LoadError, LoadProblem

MAX_NODES = 100_000
"""Values of one file, every alias written out."""
MAX_DEPTH = 60
"""Lists and mappings inside each other."""


def parse_yaml(text: str, file: str, earlier: Document | None = None) -> tuple[Document, list[LoadProblem]]:
    """The document and what is wrong inside it. Raises `LoadError` when it is no YAML at all.

    A value that is wrong in itself (a key given twice, say) is left out of the tree and reported, so that
    everything else can still be checked. With an `earlier` document of the file, only what differs is parsed.
    """
    text = text.replace("\r", "\n")  # The only line ends that are left; YAML reads them so, too.
    if earlier is not None:
        from workbench.config.reparse import reparsed  # only for those who edit

        edited = reparsed(earlier, text, _plain_part, MAX_NODES)
        if edited is not None:
            return edited, []
    composer = _Composer(text, file)
    try:
        root = composer.document()
    except ReaderError as error:
        raise LoadError([composer.unreadable(error)]) from None
    except MarkedYAMLError as error:
        raise LoadError([*composer.problems, composer.mistake(error)]) from None
    except YAMLError as error:
        raise LoadError([composer.place.problem(0, (), f"this is not YAML: {error}")]) from None
    place = composer.place
    is_plain = not composer.problems and not composer.has_anchors
    return Document(file, text, root, place.line_starts, is_plain=is_plain), composer.problems


def _plain_part(text: str, depth: int) -> Node | None:
    """A part of a document that stands so deep in it; None when it is wrong or not plain."""
    composer = _Composer(text, "")
    try:
        root = composer.document(("",) * depth)
    except (LoadError, YAMLError):
        return None
    return None if composer.problems or composer.has_anchors else root


class _Composer:
    """Builds the tree of one document from its events."""

    def __init__(self, text: str, file: str) -> None:
        self.place = Document(file, text, None, line_starts_of(text))
        self.problems: list[LoadProblem] = []
        self._text = text
        self._anchors: dict[str, Node | None] = {}  # None: still being built.
        self._events: Iterator[Any] = iter(())

    @property
    def has_anchors(self) -> bool:
        """Whether anything refers, or could refer, to another place."""
        return bool(self._anchors)

    def document(self, path: Path = ()) -> Node | None:
        """The root of the only document; None for an empty file. `path` leads to it, where it is a part."""
        self._events = iter(YAML(typ="safe", pure=True).parse(self._text))
        next(self._events)  # the stream starts
        if isinstance(next(self._events), StreamEndEvent):
            return None
        root = self._node(next(self._events), path)
        next(self._events)  # the document ends
        event = next(self._events)
        if not isinstance(event, StreamEndEvent):
            offset = event.start_mark.index
            self._stop(offset, (), "a second document begins here", "keep one document in a file")
        return root

    def _node(self, event: Any, path: Path) -> Node:
        if isinstance(event, AliasEvent):
            return self._alias(event, path)
        if len(path) > MAX_DEPTH:
            message = f"values are nested more than {MAX_DEPTH} levels deep"
            self._stop(event.start_mark.index, path, message, "flatten them")
        anchor = event.anchor
        if anchor is not None:
            self._anchors[anchor] = None
        tag = event.tag
        start = event.start_mark.index
        if tag in TEXT_TAGS and (anchor or tag):  # Any other tag is itself what will be complained about.
            properties = _PROPERTIES.match(self._text, start)
            start = properties.end() if properties else start
        node: Node
        if isinstance(event, ScalarEvent):
            text = _with_joined_surrogates(event.value)
            node = Scalar(start, event.end_mark.index, text, event.style or "", tag)
        elif isinstance(event, SequenceStartEvent):
            node = self._sequence(start, tag, path)
        else:
            node = self._mapping(start, tag, path)
        if anchor is not None:
            self._anchors[anchor] = node
        return node

    def _sequence(self, start: int, tag: str | None, path: Path) -> Sequence:
        node = Sequence(start, start, tag=tag)
        while not isinstance(event := next(self._events), SequenceEndEvent):
            item = self._node(event, (*path, len(node.items)))
            node.items.append(item)
            self._grow(node, item, event, path)
        node.end = event.end_mark.index
        return node

    def _mapping(self, start: int, tag: str | None, path: Path) -> Mapping:
        node = Mapping(start, start, tag=tag)
        keys: dict[str, Scalar] = {}
        while not isinstance(event := next(self._events), MappingEndEvent):
            key = self._node(event, (*path, "?"))
            name = key.text if isinstance(key, Scalar) else ""
            value_event = next(self._events)
            value = self._node(value_event, (*path, name))
            self._grow(node, value, value_event, path)
            if not isinstance(key, Scalar):
                node.entries.setdefault("", Entry(Scalar(key.start, key.end, "", COMPLEX_KEY), value))
                continue
            if isinstance(value, Scalar) and value.start == value.end and value_event.anchor is None:
                value.start = value.end = min(key.end + 1, len(self._text))
            if name == "<<" and not key.style:
                message = "merge keys (<<) are not read"
                self.problems.append(self.place.problem(key.start, path, message, "write the values out"))
                continue
            if name in keys:
                self._given_twice(keys[name], key, path)
                node.twice.add(name)
            keys.setdefault(name, key)
            node.entries[name] = Entry(key, value)
        for name in node.twice:
            del node.entries[name]
        node.end = event.end_mark.index
        return node

    def _alias(self, event: Any, path: Path) -> Node:
        offset, name = event.start_mark.index, event.anchor
        if name not in self._anchors:
            remedy = f'quote a text that begins with "*", or define &{name} above'
            self._stop(offset, path, f"*{name} refers to an anchor that does not exist", remedy)
        target = self._anchors[name]
        if target is None:
            self._stop(offset, path, f"*{name} stands inside the value that it refers to", "write the value out")
        return target

    def _grow(self, node: Sequence | Mapping, child: Node, event: Any, path: Path) -> None:
        node.size += child.size
        if node.size > MAX_NODES:
            message = f"with every alias written out the file has more than {MAX_NODES:,} values"
            self._stop(event.start_mark.index, path, message, "remove aliases of aliases")

    def _given_twice(self, first: Scalar, second: Scalar, path: Path) -> None:
        line, column = self.place.place(first.start)
        message = f'key "{second.text}" is given twice, first at {line}:{column}; neither value is used'
        self.problems.append(self.place.problem(second.start, (*path, second.text), message, "keep one of them"))

    def _stop(self, offset: int, path: Path, message: str, remedy: str) -> NoReturn:
        raise LoadError([*self.problems, self.place.problem(offset, path, message, remedy)])

    def unreadable(self, error: ReaderError) -> LoadProblem:
        """A character that YAML does not allow anywhere."""
        code = ord(error.character) if isinstance(error.character, str) else error.character
        message = f"the character U+{code:04X} cannot stand in YAML"
        escape = f'"\\x{code:02X}"' if code < 256 else f'"\\u{code:04X}"'
        remedy = f"write {escape} in a double-quoted text, or put the text into a file of its own"
        return self.place.problem(error.position, (), message, remedy)

    def mistake(self, error: MarkedYAMLError) -> LoadProblem:
        """A syntax error, explained."""
        mark = error.problem_mark or error.context_mark
        offset, message, remedy = explain(self.place, error, mark.index if mark else 0)
        return self.place.problem(offset, (), message, remedy)


_PROPERTIES = re.compile(r"(?:[&!]\S*\s*)*")


def _with_joined_surrogates(text: str) -> str:
    r"""`"\uD83D\uDE00"`, as JSON writes it, is one character."""
    if text.isascii() or not _HIGH_SURROGATE.search(text):
        return text
    return _SURROGATE_PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)


_HIGH_SURROGATE = re.compile("[\ud800-\udbff]")
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
