"""Text that stands twice inside one prompt: the places, and who wrote each of them.

Compared are sentences, list items, headings and runs of short lines, whatever their case, white space and
leading marks. Each is looked up once, so that a long prompt takes little longer than reading it.
Source: docs/prompt-assembly.md 15.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from workbench.prompt.views import EntryView, Owner, Preview

MIN_WORDS = 8
MIN_CHARACTERS = 40
"""A shorter sentence says too little to be owned."""

_END = re.compile(r"(?<=[.!?])[\"')\]*_`]*\s+|\n\s*\n|\n(?=\s*(?:[-*+•#>|]|\d+[.)])\s)")
_MARKS = " \t\n-*+•#>|.!?:;\"'`_()[]0123456789"


@dataclass(frozen=True, slots=True)
class RepeatPlace:
    """One of the places."""

    kind: Literal["section", "context"]
    name: str
    owner: Owner
    """Of the text there: a listener's or a variable's, where one of them wrote it."""
    line: int
    """In the rendered text of the entry, from 1."""
    start: int
    """Offset in the rendered text of the entry, in code points; `end` is exclusive."""
    end: int


@dataclass(frozen=True, slots=True)
class Repeat:
    """Text that stands in the same entries, or twice in one of them."""

    text: str
    """The first of it, on one line."""
    places: tuple[RepeatPlace, ...]
    """Of `text`: at least two, in prompt order."""
    characters: int
    """Of everything that the prompt says again there, beyond the first time."""
    pieces: int
    """How many sentences, or runs of lines, there are."""


def repeats(preview: Preview) -> tuple[Repeat, ...]:
    """Everything that is said more than once in the sections and contexts in force, the longest first."""
    return repeats_in((*preview.sections, *preview.contexts))


def repeats_in(views: Iterable[EntryView]) -> tuple[Repeat, ...]:
    """The same, of these entries."""
    entries = [entry for entry in views if entry.state == "effective" and entry.rendered]
    found: dict[str, list[tuple[int, int, int]]] = {}
    for index, entry in enumerate(entries):
        for unit, start, end in _units(entry.rendered or ""):
            found.setdefault(unit, []).append((index, start, end))
    groups: dict[tuple[int, ...], list[list[tuple[int, int, int]]]] = {}
    for places in found.values():
        if len(places) > 1:
            groups.setdefault(tuple(index for index, _, _ in places), []).append(places)
    made = [_repeat(entries, group) for group in groups.values()]
    return tuple(sorted(made, key=lambda repeat: -repeat.characters))


def sentences(text: str) -> Iterator[tuple[str, int, int]]:
    """Each sentence of some length: as it is compared, and from where to where it stands."""
    start = 0
    for end in _END.finditer(text):
        yield from _one(text, start, end.start())
        start = end.end()
    yield from _one(text, start, len(text))


def _one(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    if end - start >= MIN_CHARACTERS:
        words = text[start:end].strip(_MARKS).split()
        if len(words) >= MIN_WORDS:
            sentence = " ".join(words).casefold()
            if len(sentence) >= MIN_CHARACTERS:
                yield sentence, start + len(text[start:end]) - len(text[start:end].lstrip()), end


def _units(text: str) -> Iterator[tuple[str, int, int]]:
    """Sentences, and what short lines say together: a list of short rules has no sentence of any length."""
    covered = 0
    for sentence, start, end in sentences(text):
        yield from _runs(text, covered, start)
        yield sentence, start, end
        covered = end
    yield from _runs(text, covered, len(text))


def _runs(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """From each line on, as few lines as make a text of some length."""
    if end - start < MIN_CHARACTERS:
        return
    lines: list[tuple[str, int, int]] = []
    at = start
    for line in text[start:end].split("\n"):
        words = line.strip(_MARKS[:-10]).split()  # a number tells one short line from the next
        if words:
            lines.append((" ".join(words).casefold(), at, at + len(line)))
        at += len(line) + 1
    last = 0
    length, words_there = 0, 0
    for first, (line, first_start, _) in enumerate(lines):
        while last < len(lines) and (length < MIN_CHARACTERS or words_there < MIN_WORDS):
            length += len(lines[last][0]) + 1
            words_there += lines[last][0].count(" ") + 1
            last += 1
        if length < MIN_CHARACTERS or words_there < MIN_WORDS:
            return
        yield "\n".join(each for each, _, _ in lines[first:last]), first_start, lines[last - 1][2]
        length -= len(line) + 1
        words_there -= line.count(" ") + 1


def _repeat(entries: list[EntryView], group: list[list[tuple[int, int, int]]]) -> Repeat:
    first = min(group, key=lambda places: places[0])
    again = 0
    for nth in range(1, len(first)):
        reached = -1
        for start, end in sorted((places[nth][1], places[nth][2]) for places in group):
            again += max(0, end - max(start, reached))  # runs of lines overlap
            reached = max(reached, end)
    index, start, end = first[0]
    text = " ".join((entries[index].rendered or "")[start:end].split())
    return Repeat(text, tuple(_place(entries[index], start, end) for index, start, end in first), again, len(group))


def _place(entry: EntryView, start: int, end: int) -> RepeatPlace:
    owner = entry.owner
    if entry.spans:
        span = entry.spans[max(0, bisect_right(entry.spans, start, key=lambda span: span.start) - 1)]
        owner = span.owner
    line = (entry.rendered or "").count("\n", 0, start) + 1
    return RepeatPlace(entry.kind, entry.name, owner, line, start, end)
