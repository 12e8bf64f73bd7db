"""A prompt that becomes longer with every assembly, and the owners whose text does it.

Source: docs/prompt-assembly.md 15.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from workbench.prompt.views import Owner, Preview

LEAST = 3
"""Prompts that a series needs: two that differ may differ for any reason."""
SHARE = 0.1
"""Of the growth: a listener that adds less at each step is not named."""


@dataclass(frozen=True, slots=True)
class Grower:
    """An owner who has a part in it."""

    owner: Owner
    is_listener: bool
    sizes: tuple[int, ...]
    """Characters that are there by it, in each prompt: what its listeners add, or its own texts and values."""

    @property
    def grows(self) -> bool:
        """There was more of it at each step; False: it adds the same again and again."""
        return all(after > before for before, after in pairwise(self.sizes))


@dataclass(frozen=True, slots=True)
class Growth:
    """The last prompts of a series, each longer than the one before."""

    sizes: tuple[int, ...]
    """Characters of system text and runtime context."""
    growers: tuple[Grower, ...]
    """In call order of their listeners, then owners of entries; at least one of them grows."""

    @property
    def steps(self) -> tuple[int, ...]:
        """Characters that each prompt has more than the one before."""
        return tuple(after - before for before, after in pairwise(self.sizes))


def growth(previews: Sequence[Preview]) -> Growth | None:
    """What makes the last prompts of the series, oldest first, grow at every step; None: nothing does.

    All must be of one scope. One that cannot be rendered ends the series.
    """
    run: list[Preview] = []
    sizes: list[int] = []
    for preview in reversed(previews):
        if preview.system is None or preview.context is None:
            break
        size = len(preview.system) + len(preview.context)
        if sizes and size >= sizes[-1]:
            break
        run.append(preview)
        sizes.append(size)
    if len(run) < LEAST:
        return None
    run.reverse()
    sizes.reverse()
    return grown(sizes, [_parts(preview) for preview in run])


def grown(sizes: Sequence[int], parts: Sequence[Parts]) -> Growth | None:
    """Who makes a series of prompts grow, by the characters that are there by each owner; None: nobody does."""
    if len(sizes) < LEAST or any(after <= before for before, after in pairwise(sizes)):
        return None
    least = SHARE * min(after - before for before, after in pairwise(sizes))
    growers = []
    for (_, _, is_listener), (owner, _) in parts[-1].items():
        key = (owner.plugin, owner.kind, is_listener)
        grower = Grower(owner, is_listener, tuple(part[key][1] if key in part else 0 for part in parts))
        if grower.grows or (is_listener and min(grower.sizes) >= max(1, least)):
            growers.append(grower)
    if not any(grower.grows for grower in growers):
        return None
    return Growth(tuple(sizes), tuple(growers))


Parts = Mapping[tuple[str, str, bool], tuple[Owner, int]]
"""Characters by plugin, class of owner, and whether a listener wrote them; with the owner."""
_Key = tuple[str, str, bool]


def _parts(preview: Preview) -> dict[_Key, tuple[Owner, int]]:
    """How much of the prompt is there by whom. A plugin is the same one after it was loaded anew."""
    parts: dict[_Key, tuple[Owner, int]] = {}

    def add(owner: Owner, is_listener: bool, characters: int) -> None:
        key = (owner.plugin, owner.kind, is_listener)
        parts[key] = (owner, parts[key][1] + characters if key in parts else characters)

    for listener in preview.trace.listeners:
        for change in listener.changes:
            if change.kind in ("section", "context") and change.action != "moved":
                add(listener.owner, True, len(change.after or "") - len(change.before or ""))
    for entry in (*preview.sections, *preview.contexts):
        if entry.state == "effective" and entry.added_by is None:
            is_code = entry.source is None or entry.source.file.endswith(".py")
            if entry.registered_text is not None:
                add(entry.owner, False, len(entry.registered_text) if is_code else 0)
                continue
            for span in entry.spans:
                if span.variable is not None:
                    add(span.owner, False, span.end - span.start)
                elif is_code:  # a text in a file grows because a person writes it
                    add(entry.owner, False, span.end - span.start)
    return parts
