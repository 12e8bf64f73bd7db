"""Revisions: the list of them, and everything that differs between any two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from workbench.tui.view.details import Fact
from workbench.tui.view.pieces import Line, Piece, cut, outside
from workbench.tui.view.registry_document import Drawn, Facts, Part, Title, Words
from workbench.tui.view.sizes import counted
from workbench.tui.view.team_texts import DifferenceOf, counts_of
from workbench.tui.view.team_words import size_word, what_of, when

if TYPE_CHECKING:
    from workbench.team.config import TeamConfig
    from workbench.team.version import Version, VersionLine


NARROW = 44
"""Cells below which a row says nothing of the origin: the page does."""


@dataclass(frozen=True, slots=True)
class RevisionPair:
    """Two revisions with their texts."""

    before: Version
    after: Version


def config_texts(config: TeamConfig) -> dict[str, str]:
    """Everything that a version says, by the name of what it is; rules with their order and state."""
    texts = {f"section {name}": text for name, text in config.sections.model_dump().items()}
    texts |= {key: override.text for key, override in sorted(config.overrides.items())}
    texts |= {f"base of {key}": override.base.text for key, override in sorted(config.overrides.items())}
    texts |= {f"skill {each.name}": f"{each.description}\n\n{each.content}" for each in config.skills}
    texts["accept mode"] = config.policy.accept_mode
    lines = [
        f"{'on ' if rule.enabled else 'off'} {rule.id}: {rule.name}: {rule.instruction}"
        for rule in config.policy.rules
    ]
    return {**texts, "rules": "\n".join(lines)}


def changed_texts(before: TeamConfig, after: TeamConfig) -> list[tuple[str, str | None, str | None]]:
    """What differs; None where one of the two does not have it."""
    old, new = config_texts(before), config_texts(after)
    names = [*old, *(name for name in new if name not in old)]
    return [(name, old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)]


def revision_line(
    line: VersionLine | int, digits: int, now: datetime, width: int, *, look: tuple[bool, bool, bool]
) -> Line:
    """A row of the list; a number alone for one that has not been read yet. `look`: chosen, focused, marked."""
    is_chosen, has_focus, is_marked = look
    bar = Piece("▌", "focus") if is_chosen and has_focus else Piece(" ")
    mark = Piece("• " if is_marked else "  ", "focus", bold=True)
    if isinstance(line, int):
        return cut((bar, mark, Piece(f"{line:>{digits}}  ", "strong", bold=is_chosen), Piece("…", "faint")), width)
    return cut(
        (
            bar,
            mark,
            Piece(f"{line.revision:>{digits}}  ", "strong", bold=is_chosen),
            Piece(f"{when(line.created_at, now):<15} ", "soft"),
            Piece(f"{line.origin or '':<5} " if width >= NARROW else "", "soft"),
            *outside(what_of(line)),
        ),
        width,
    )


def pair_parts(pair: RevisionPair, chosen: int, now: datetime, *, in_columns: bool) -> tuple[Part, ...]:
    """Facts of the chosen one of the two, and each text that differs."""
    return tuple(_pair(pair, chosen, now, in_columns))


def _pair(pair: RevisionPair, chosen: int, now: datetime, in_columns: bool) -> Iterator[Part]:
    before, after = pair.before, pair.after
    yield Facts(tuple(_facts(after if after.revision == chosen else before, now)), 11)
    changed = changed_texts(before.config, after.config)
    if before.revision == after.revision:
        return
    lead = f"From {before.revision} to {after.revision}"
    if not changed:
        yield Title((Piece(f"{lead}: no text differs", "soft", bold=True),))
        return
    yield Title((Piece(lead, "soft", bold=True),), (Piece(counted(len(changed), "change"), "faint"),))
    for name, old, new in changed:
        facts = counts_of(old or "", new or "")
        word = "added" if old is None else "removed" if new is None else ""
        title: Line = (*outside(name, "strong", bold=True), Piece(f"  {word}" if word else "", "soft"))
        yield Title(title, facts)
        yield Drawn(DifferenceOf(old or "", new or "", in_columns))


def _facts(version: Version, now: datetime) -> Iterator[Fact]:
    yield Fact(
        "revision", (Piece(str(version.revision), "strong", bold=True), *outside(f", {what_of(version)}", "soft"))
    )
    if version.origin is not None:
        by = "from this panel or the command line" if version.origin == "panel" else "by the main Session's tool"
        yield Fact("saved", (Piece(when(version.created_at, now)), Piece(f", {by}", "soft")))
    yield Fact("on top of", (Piece("nothing" if version.predecessor is None else str(version.predecessor)),))
    policy = str(version.policy_version) if version.policy_version else "never changed"
    yield Fact("policy", (Piece(f"as of revision {policy}" if version.policy_version else policy),))
    yield Fact("size", (Piece(size_word(version.bytes)),))


def waiting_parts(revision: int) -> tuple[Part, ...]:
    """While its texts are being read."""
    return (Words((Piece(f"Reading revision {revision} …", "soft"),)),)
