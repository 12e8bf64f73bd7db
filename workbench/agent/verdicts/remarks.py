"""What is worth a warning about a whole session: values that change at every step, growth, repeated text.

Source: docs/sessions.md 13.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from workbench.agent.verdicts.as_entries import entries_of
from workbench.agent.verdicts.parts import Part, RecordedParts
from workbench.agent.verdicts.verdict import NO_OWNER, Verdict
from workbench.prompt.growth import LEAST, Growth, Parts, grown
from workbench.prompt.repeats import Repeat, repeats_in
from workbench.prompt.views import Owner

Subject = Literal["changes at every step", "grows at every step", "repeated text", "order ignored"]
SERIES = 10
"""Requests that growth is looked for in."""
MOST_WARNINGS = 20
"""Of repeated text."""
MOST_REPEATS = 200_000
"""Characters of a system text in which repeated text is looked for."""


@dataclass(frozen=True, slots=True)
class Remark:
    """One warning."""

    subject: Subject
    words: str
    """One sentence. Names in it are outside text."""
    owners: tuple[str, ...]
    """Whom it is about; `owner not recorded` for nobody that is known."""
    step: str
    """The first request that it is true of."""
    part: str = ""
    """The part that it is about, where it is one."""


class RemarkFold:
    """Gathers what the requests of a session have to be warned of."""

    def __init__(self) -> None:
        self._steps = 0
        self._names: list[str] = []
        """Of the last requests, as many as growth is looked for in."""
        self._latest: tuple[Part, ...] = ()
        self._changed: Counter[tuple[str, str]] = Counter()
        """How often each part has changed from one request to the next."""
        self._first: dict[tuple[str, str], str] = {}
        self._sizes: list[int] = []
        self._by_owner: list[Parts] = []
        self._grown: tuple[str, Growth] | None = None
        self._repeated: dict[tuple[tuple[str, str], ...], Remark] = {}
        self._ordered: dict[tuple[str, str], Remark] = {}

    def add(self, name: str, verdict: Verdict, parts: tuple[Part, ...], recorded: RecordedParts | None) -> None:
        """One more request, with its system text and tools."""
        self._names.append(name)
        self._steps += 1
        before, self._latest = self._latest, parts
        if before is not parts and self._steps > 1:
            old = {(part.kind, part.name): part.text for part in before}
            for part in parts:
                key = part.kind, part.name
                if key in old and old[key] != part.text:
                    self._changed[key] += 1
                    self._first.setdefault(key, name)
        if before is not parts or self._steps == 1:
            self._look(name, parts, recorded)
        elif self._sizes:
            self._sizes.append(self._sizes[-1])
            self._by_owner.append(self._by_owner[-1])
        del self._sizes[:-SERIES], self._by_owner[:-SERIES], self._names[: -SERIES - 1]
        self._look_for_growth(name)

    def remarks(self) -> list[Remark]:
        """All of them, what costs most first."""
        found = list(self._always_changing())
        if self._grown is not None:
            found.append(_growth_remark(*self._grown))
        return [*found, *self._repeated.values(), *self._ordered.values()]

    def _look(self, name: str, parts: tuple[Part, ...], recorded: RecordedParts | None) -> None:
        sections = [part for part in parts if part.kind == "section"]
        self._sizes.append(sum(len(part.text) for part in sections))
        self._by_owner.append(_characters(sections))
        if self._sizes[-1] <= MOST_REPEATS:
            for repeat in repeats_in(entries_of(sections)):
                key = tuple(dict.fromkeys((place.name, place.owner.plugin) for place in repeat.places))
                known = self._repeated.get(key)
                if known is not None or len(self._repeated) < MOST_WARNINGS:
                    self._repeated[key] = _repeat_remark(known.step if known is not None else name, repeat)
        for owner, words in recorded.remarks if recorded is not None else ():
            remark = Remark("order ignored", f"{owner.plugin}: {words}", (owner.plugin,), name)
            self._ordered.setdefault((owner.plugin, words), remark)

    def _look_for_growth(self, name: str) -> None:
        run = 1
        while run < len(self._sizes) and self._sizes[-run] > self._sizes[-run - 1]:
            run += 1
        if run >= LEAST:
            growth = grown(self._sizes[-run:], self._by_owner[-run:])
            if growth is not None:
                first = self._grown[0] if self._grown is not None else self._names[-run + 1]
                self._grown = first, growth

    def _always_changing(self) -> list[Remark]:
        """Parts that were another one in every request, before text that never is."""
        steps = self._steps - 1
        if steps < 2:
            return []
        always = {key for key, count in self._changed.items() if count >= steps}
        found = []
        for index, part in enumerate(self._latest):
            if (part.kind, part.name) not in always:
                continue
            behind = [each for each in self._latest[index + 1 :] if (each.kind, each.name) not in self._changed]
            if not behind:
                continue
            owner = _owner_words(part)
            last = [each for each in behind if each.kind == part.kind] or behind
            characters = sum(len(each.text) for each in behind)
            words = (
                f"{part.name} of {owner} changes at every step and stands before {characters:,} characters that "
                f"never change; behind {last[-1].name}, or as runtime context, it would cost least"
            )
            first = self._first[part.kind, part.name]
            found.append(Remark("changes at every step", words, (owner,), first, part.name))
        return found


def _owner_words(part: Part) -> str:
    """Who wrote what changes in it: the first value or listener's words, else its owner."""
    for span in part.spans:
        if span.variable:
            return span.owner.plugin
    return NO_OWNER if part.owner is None else part.owner.plugin


def _characters(sections: Sequence[Part]) -> Parts:
    found: dict[tuple[str, str, bool], tuple[Owner, int]] = {}
    for part in sections:
        at = 0
        if not part.spans:
            owner = part.owner or Owner(f"{part.name} ({NO_OWNER})", 0)
            key = owner.plugin, owner.kind, False
            found[key] = owner, found.get(key, (owner, 0))[1] + len(part.text)
        for span in part.spans:
            key = span.owner.plugin, span.owner.kind, span.is_listener
            found[key] = span.owner, found.get(key, (span.owner, 0))[1] + span.end - at
            at = span.end
    return found


def _growth_remark(name: str, growth: Growth) -> Remark:
    who = []
    for grower in growth.growers:
        steps = [after - before for before, after in pairwise(grower.sizes)]
        if grower.grows:
            who.append(f"{grower.owner.plugin} by {_range(steps)}")
        else:
            who.append(f"{grower.owner.plugin} adds {_range(grower.sizes)} each time")
    words = f"the system text grows at every step, by {_range(growth.steps)} characters: {'; '.join(who)}"
    return Remark("grows at every step", words, tuple(grower.owner.plugin for grower in growth.growers), name)


def _range(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def _repeat_remark(name: str, repeat: Repeat) -> Remark:
    places = [f"{place.name} line {place.line} ({place.owner.plugin})" for place in repeat.places[:4]]
    more = f" and {len(repeat.places) - 4} more places" if len(repeat.places) > 4 else ""
    text = repeat.text if len(repeat.text) <= 60 else f"{repeat.text[:59]}…"
    words = (
        f"“{text}” and what goes with it, {repeat.characters:,} characters, stand in {' and '.join(places)}{more}"
    )
    owners = tuple(dict.fromkeys(place.owner.plugin for place in repeat.places))
    return Remark("repeated text", words, owners, name, repeat.places[0].name)
