"""Text that stands in two contributions: a fact has one owner.

Compared are sentences, list items and headings of some length, whatever their line breaks, case and
leading marks. Each is looked up once, so that thousands of sections take no longer than reading them.
Source: docs/prompt-assembly.md 15.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from workbench.check.checked_text import CheckedText
from workbench.check.finding import Finding
from workbench.check.rule import Rule
from workbench.check.subject import Subject, is_one_owner
from workbench.prompt.repeats import MIN_WORDS, sentences


class Place(NamedTuple):
    """One sentence in one contribution."""

    text: CheckedText
    start: int
    end: int


def repeated_text(subject: Subject) -> Iterator[Finding]:
    """One finding for each run of sentences that stands in the same contributions."""
    places: dict[str, list[Place]] = {}
    for text in (*subject.texts, *subject.descriptions):
        for sentence, start, end in sentences(text.text):
            places.setdefault(sentence, []).append(Place(text, start, end))
    runs: dict[tuple[int, ...], list[list[Place]]] = {}
    for found in places.values():
        if len(found) > 1:
            together = _together(found)
            if together:
                runs.setdefault(tuple(id(place.text) for place in together), []).append(together)
    for run in runs.values():
        yield _finding(run)


def _together(places: list[Place]) -> list[Place]:
    """Those that meet in one assembly, one for each contribution.

    Nothing without a section or context: descriptions of tools must be complete each by itself.
    """
    by_text: dict[int, Place] = {}
    for place in places:
        by_text.setdefault(id(place.text), place)
    first_ones = sorted(by_text.values(), key=lambda place: place.text.part == "tool")
    kept: list[Place] = []
    seen: set[str] = set()
    for place in first_ones:
        if place.text.part == "tool" and not kept:
            return []
        if not kept or seen.intersection(place.text.scopes):
            kept.append(place)
            seen.update(place.text.scopes)
    return kept if len(kept) > 1 else []


def _finding(run: list[list[Place]]) -> Finding:
    together = run[0]
    owner, second = together[0], together[1]
    words = " ".join(second.text.text[second.start : second.end].split())
    quoted = words if len(words) <= 60 else words[:59] + "…"
    more = f" and in {len(together) - 2:,} more" if len(together) > 2 else ""
    further = f" ({len(run)} sentences)" if len(run) > 1 else ""
    length = second.end - second.start
    scopes = tuple(label for label in owner.text.scopes if label in second.text.scopes) or second.text.scopes
    return second.text.finding(
        f"“{quoted}”{further} stands in {owner.text.title} and in {second.text.title}{more}",
        offset=second.start,
        length=length,
        remedy="say it once, in the part that owns the fact",
        severity="note" if is_one_owner(place.text.owner for place in together) else "warning",
        scopes=scopes,
    )


REPEATED_TEXT = Rule(
    "repeated-text",
    repeated_text,
    f"The same sentence, of {MIN_WORDS} words and more, stands in two contributions of one assembly. "
    "A note where one plugin wrote all of them.",
)
