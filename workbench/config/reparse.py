"""An edited file parsed anew only where it was edited.

Parsing is nearly all of the work of loading a long composition, and an edit touches a line or two. What is
parsed by itself is the smallest run of list items, or of keys at the top, that the edit lies inside; the rest
of the tree is taken over with its places moved. Whatever is not plain (anchors, tags on keys, flow style at the
top, a mistake) is parsed as a whole. Source: docs/compositions.md 11 and 13.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from workbench.config.difference.first_change import common_prefix
from workbench.config.nodes import (
    COMPLEX_KEY,
    Document,
    Entry,
    Mapping,
    Node,
    Scalar,
    Sequence,
    line_starts_of,
)

ParsePart = Callable[[str, int], "Node | None"]
"""Parses a text that stands so many levels deep; None when there is anything in it that is not plain."""
T = TypeVar("T", Mapping, Sequence)

_DASH = re.compile(r" *- +")
_MARKER = re.compile(r"^(?:---|\.\.\.)(?:\s|\Z)", re.MULTILINE)
_BLOCK = 4096


class _Edit(NamedTuple):
    """What differs between two texts: one stretch."""

    start: int
    old_end: int
    new_end: int

    @property
    def growth(self) -> int:
        return self.new_end - self.old_end


def reparsed(old: Document, text: str, parse: ParsePart, most_nodes: int) -> Document | None:
    """The document of `text`, made from that of an earlier one; None when it has to be parsed as a whole."""
    root = old.root
    if not old.is_plain or not isinstance(root, Mapping):
        return None
    if old.text == text:
        return old
    if _MARKER.search(old.text):
        return None
    edit = _edit(old.text, text)
    starts = [entry.key.start for entry in root.entries.values()]
    at_line_starts = set(old.line_starts)
    if any(start not in at_line_starts for start in starts):
        return None
    if any(entry.key.style == COMPLEX_KEY for entry in root.entries.values()):
        return None
    new_root = _with_edited_item(old, root, starts, text, edit, parse)
    if new_root is None:
        new_root = _with_edited_keys(old, root, starts, text, edit, parse)
    if new_root is None or new_root.size > most_nodes:
        return None
    return Document(old.file, text, new_root, line_starts_of(text), is_plain=True)


def _with_edited_keys(
    old: Document, root: Mapping, starts: list[int], text: str, edit: _Edit, parse: ParsePart
) -> Mapping | None:
    """The top of the file with the keys parsed anew that the edit lies in."""
    first, behind = _touched(starts, starts, edit)
    if first < 0:
        return None
    start = starts[first]
    end = starts[behind] if behind < len(starts) else len(old.text)
    part = _part(text, start, end + edit.growth, 0, parse)
    if not isinstance(part, Mapping) or part.start != start or text[start] in "{[":
        return None
    names = list(root.entries)
    taken = {*names[:first], *names[behind:]}
    if not part.entries or taken & part.entries.keys():
        return None
    entries = {name: root.entries[name] for name in names[:first]}
    entries.update(part.entries)
    entries.update((name, _moved_entry(root.entries[name], edit.growth)) for name in names[behind:])
    return _resized(Mapping(root.start, root.end + edit.growth, entries), [e.value for e in entries.values()])


def _with_edited_item(
    old: Document, root: Mapping, starts: list[int], text: str, edit: _Edit, parse: ParsePart
) -> Mapping | None:
    """The same for the items of a list at the top, when the edit lies inside of that list."""
    first, behind = _touched(starts, starts, edit)
    if first < 0 or behind != first + 1:
        return None
    names = list(root.entries)
    edited = root.entries[names[first]]
    items = edited.value
    if not isinstance(items, Sequence):
        return None
    places = _places_of_items(old, items)
    if places is None:
        return None
    lines, dashes = places
    first_item, behind_item = _touched(dashes, lines, edit)
    if first_item < 0:
        return None
    end_of_list = starts[behind] if behind < len(starts) else len(old.text)
    start = lines[first_item]
    is_last = behind_item == len(lines)
    end = end_of_list if is_last else lines[behind_item]
    # The item that follows ends what is open before it, so an empty one has to stand there.
    next_item = "" if is_last else old.text[lines[behind_item] : dashes[behind_item] + 1]
    part = _part(text, start, end + edit.growth, 1, parse, next_item)
    if not isinstance(part, Sequence) or part.start != dashes[first_item] or text[part.start] != "-":
        return None
    if not is_last:
        part.items.pop()
    new_items = [
        *items.items[:first_item],
        *part.items,
        *(_moved(item, edit.growth) for item in items.items[behind_item:]),
    ]
    new_list = _resized(Sequence(items.start, items.end + edit.growth, new_items), new_items)
    entries = {name: root.entries[name] for name in names[:first]}
    entries[names[first]] = Entry(edited.key, new_list)
    entries.update((name, _moved_entry(root.entries[name], edit.growth)) for name in names[behind:])
    return _resized(Mapping(root.start, root.end + edit.growth, entries), [e.value for e in entries.values()])


def _edit(old: str, new: str) -> _Edit:
    start = common_prefix(old, new)
    most = min(len(old), len(new)) - start
    same = 0
    while (
        same < most
        and old[max(0, len(old) - same - _BLOCK) : len(old) - same]
        == (new[max(0, len(new) - same - _BLOCK) : len(new) - same])
    ):
        same += _BLOCK
    same = min(same, most)
    while same < most and old[-1 - same] == new[-1 - same]:
        same += 1
    return _Edit(start, len(old) - same, len(new) - same)


def _touched(marks: list[int], begins: list[int], edit: _Edit) -> tuple[int, int]:
    """The first part whose mark stands before the edit, and the first one that begins behind it."""
    return bisect_left(marks, edit.start) - 1, bisect_right(begins, edit.old_end)


def _places_of_items(document: Document, items: Sequence) -> tuple[list[int], list[int]] | None:
    """Where the lines of the items begin, and where their dashes stand; None unless all are in one column."""
    lines: list[int] = []
    dashes: list[int] = []
    columns: set[int] = set()
    for item in items.items:
        line = document.line_starts[bisect_right(document.line_starts, item.start) - 1]
        dash = _DASH.fullmatch(document.text, line, item.start)
        if dash is None:
            return None
        lines.append(line)
        dashes.append(document.text.index("-", line))
        columns.add(dashes[-1] - line)
    return (lines, dashes) if len(columns) == 1 else None


def _part(text: str, start: int, end: int, depth: int, parse: ParsePart, behind: str = "") -> Node | None:
    """The nodes of a stretch of the text, as if `behind` followed it, with their places in the whole."""
    written = text[start:end] + behind
    if _MARKER.search(written):
        return None
    node = parse(written, depth)
    return None if node is None else _moved(node, start)


def _moved(node: Node, by: int) -> Node:
    """A copy that stands so many characters further on."""
    if isinstance(node, Scalar):
        return Scalar(node.start + by, node.end + by, node.text, node.style, node.tag, node.size)
    if isinstance(node, Sequence):
        items = [_moved(item, by) for item in node.items]
        return Sequence(node.start + by, node.end + by, items, node.tag, node.size)
    entries = {name: _moved_entry(entry, by) for name, entry in node.entries.items()}
    return Mapping(node.start + by, node.end + by, entries, set(), node.tag, node.size)


def _moved_entry(entry: Entry, by: int) -> Entry:
    key = entry.key
    moved = Scalar(key.start + by, key.end + by, key.text, key.style, key.tag, key.size)
    return Entry(moved, _moved(entry.value, by))


def _resized(node: T, children: list[Node]) -> T:
    node.size = 1 + sum(child.size for child in children)
    return node
