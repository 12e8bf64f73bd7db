"""The answer to the question of Team, what to do next, and what stands there without a team."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from workbench.tui.view.answer import Answer
from workbench.tui.view.entries import PluginTrouble
from workbench.tui.view.panel import key_words, opened_by
from workbench.tui.view.pieces import Line, Piece, outside
from workbench.tui.view.registry_document import Part, Text, Title, Words
from workbench.tui.view.sizes import counted
from workbench.tui.view.team_conflict import edited_entries
from workbench.tui.view.team_words import DEFAULT_KEYS, TeamKeys, when

if TYPE_CHECKING:
    from workbench.team.drafts import Draft
    from workbench.team.snapshot import TeamSnapshot
    from workbench.team.version import VersionLine

EXAMPLE = """plugins:
  - use: workbench.team.plugin:TeamPrompts
    config:
      store: team.db        # left out: one for each person"""
EMPTY: Line = (Piece("No team prompts.", "strong", bold=True), Piece(" No plugin provides them here.", "text"))


@dataclass(frozen=True, slots=True)
class TeamFacts:
    """What the answer is made of."""

    snapshot: TeamSnapshot
    draft: Draft | None
    newest_line: VersionLine | None
    error: str = ""
    """Why the store cannot do what was asked."""
    draft_error: str = ""
    """Why the draft is not on the disk."""
    is_refused: bool = False
    """The last save was refused for what is in the draft."""
    is_saving: bool = False
    said: str = ""
    """What was done last, until something else is done."""


def team_answer(facts: TeamFacts, now: datetime, *, short: bool) -> Answer:
    """One sentence, and at the right end the revision."""
    return Answer(_sentence(facts, short), _revision(facts, now, short))


def _sentence(facts: TeamFacts, short: bool) -> Line:
    snapshot, draft = facts.snapshot, facts.draft
    edits = 0 if draft is None or draft.is_empty else len(edited_entries(draft))
    if facts.is_saving:
        return (Piece("◐ ", "pending"), Piece("Saving …", "strong", bold=True))
    if facts.error:
        kept = " Your draft is kept. " if edits else " "
        return (Piece("× ", "failed", bold=True), Piece(f"Not done.{kept}", "strong", True), *outside(facts.error))
    if facts.draft_error:
        lead = (Piece("× ", "failed", bold=True), Piece("The draft is not on the disk: ", "strong", bold=True))
        return (*lead, *outside(facts.draft_error.rpartition(".json: ")[2]))
    if facts.said:
        return (Piece("✓ ", "running", bold=True), *outside(facts.said, "strong", bold=True))
    if draft is not None and edits:
        if draft.base_revision != snapshot.revision:
            return (
                Piece("◆ ", "pending", bold=True),
                Piece(
                    f"Revision {snapshot.revision} is newer than your draft's base, {draft.base_revision}. ",
                    "strong",
                    True,
                ),
                Piece("Your draft is kept.", "text"),
            )
        if facts.is_refused:
            lead = (Piece("× ", "failed", bold=True), Piece("Refused, nothing was stored. ", "strong", bold=True))
            return (*lead, Piece("Your draft is kept; mend it and save again."))
        lead = (
            Piece("~ ", "changed", bold=True),
            Piece(f"{counted(edits, 'edit')} not saved", "strong", bold=True),
        )
        rest = "." if short else ", and kept for you, also when you leave."
        return (*lead, Piece(rest))
    updated, yours = len(snapshot.default_changed), len(snapshot.overridden)
    total = len(snapshot.builtins.parts)
    counts = f"{yours} of {counted(total, 'part')} {'is' if yours == 1 else 'are'} yours."
    if updated:
        return (
            Piece("↑ ", "changed", bold=True),
            Piece(f"{counted(updated, 'default')} updated", "strong", bold=True),
            Piece(" since you wrote yours.  ", "text"),
            Piece(counts),
        )
    if not yours:
        return (Piece(f"All {counted(total, 'part')} follow their defaults.", "strong", bold=True),)
    return (Piece(counts, "strong", bold=True),)


def _revision(facts: TeamFacts, now: datetime, short: bool) -> Line:
    revision = facts.snapshot.revision
    if short:
        return (Piece(f"rev {revision}", "soft"),)
    line = facts.newest_line
    at = f", {when(line.created_at, now)}" if line is not None and line.revision == revision else ""
    return (Piece(f"revision {revision}{at}", "soft"),)


def empty_parts(troubles: Sequence[PluginTrouble], keys: TeamKeys = DEFAULT_KEYS) -> tuple[Part, ...]:
    """What would be here, and how to get it."""
    return tuple(_empty(troubles, keys))


def failed_team(troubles: Sequence[PluginTrouble]) -> PluginTrouble | None:
    """The plugin that should provide a team's prompts, and cannot."""
    return next((each for each in troubles if each.state == "failed" and _is_of_a_team(each)), None)


def unusable(trouble: PluginTrouble) -> Line:
    """The answer where that plugin has failed."""
    reason = trouble.reason.removeprefix("StoreError: ")
    return (
        Piece("× ", "failed", bold=True),
        Piece("The team's prompts cannot be read. ", "strong", bold=True),
        *outside(reason),
    )


def _is_of_a_team(trouble: PluginTrouble) -> bool:
    return "team" in trouble.owner.plugin.lower()


def _empty(troubles: Sequence[PluginTrouble], keys: TeamKeys) -> Iterator[Part]:
    failed = failed_team(troubles)
    if failed is not None:
        reason = failed.reason.removeprefix("StoreError: ")
        yield Words((Piece("× ", "failed", bold=True), *outside(f"{failed.owner.plugin}: {reason}")))
    others = (each.reason for each in troubles if _is_of_a_team(each) and each is not failed)
    waiting = Counter(reason.removeprefix("pending (").removesuffix(")") for reason in others)
    for reason, count in waiting.items():
        yield Words((Piece("◌ ", "soft"), *outside(f"{counted(count, 'role')}: {reason}", "soft")))
    if failed is not None:
        yield Words(())
        yield Words(
            (
                Piece("Mend that; then ", "text"),
                *key_words(keys.read_again, "starts it again. No version is lost by it, and no draft."),
            )
        )
        return
    yield Words(
        (
            Piece(
                "Here a team changes the prompts of its agents part by part: what is default and what is its own, "
                "what a new default changed, sections, skills, the policy, and every revision."
            ),
        )
    )
    yield Title((Piece("How to get it", "soft", bold=True),))
    yield Words((Piece("Put the plugin into the composition:", "soft"),))
    yield Text(EXAMPLE, role="value", has_numbers=False)
    yield Words(())
    yield Words(
        (
            Piece("Or look at the sample ", "soft"),
            Piece("team-orchestrator", "strong"),
            *opened_by(keys.open, "opens it."),
        )
    )
