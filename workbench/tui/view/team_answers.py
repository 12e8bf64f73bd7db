"""The title of the detail and the answers that can be given, as buttons."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from workbench.tui.view.frame import Bar, Region
from workbench.tui.view.pieces import Line, Piece, width_of
from workbench.tui.view.team_entries import Listed

if TYPE_CHECKING:
    from workbench.tui.commands import Command

Answered = tuple[str, str]
"""Id of a command, and the words on its button."""


def answers_for(entry: Listed, *, short: bool) -> list[Answered]:
    """Of an entry."""
    found: list[Answered] = []
    kind = entry.id.kind
    if kind == "part":
        if entry.is_updated:
            found.append(("team.keep", "Keep" if short else "Keep yours"))
        if entry.state == "yours":
            word = "Use default" if short or not entry.is_updated else "Use new default"
            found.append(("team.use_default", word))
        word = "Edit" if short or entry.state != "yours" else "Edit yours"
        found.append(("team.edit", word))
    elif kind == "section":
        if entry.state == "yours" and entry.change != "to default":
            found.append(("team.use_default", "Use default"))
        found.append(("team.edit", "Edit"))
    elif kind == "mode":
        found.append(("team.switch", "Next mode"))
    elif entry.change == "removed":
        pass
    else:
        if kind == "rule":
            found.append(("team.switch", "Turn off" if entry.state == "on" else "Turn on"))
        found += [("team.edit", "Edit"), ("team.delete", "Remove")]
    if entry.change:
        found.append(("team.discard", "Discard" if short else "Discard the edit"))
    return found


def conflict_answers(newest: int, *, short: bool) -> list[Answered]:
    """Of a review."""
    return [
        ("team.on_top", f"Save on {newest}" if short else f"Save mine on top of {newest}"),
        ("team.edit", "Edit" if short else "Edit mine"),
        ("team.discard", "Discard" if short else "Discard this edit"),
    ]


def version_answers(revision: int, *, is_newest: bool, short: bool) -> list[Answered]:
    """Of a revision."""
    found = [] if is_newest else [("team.restore", f"Restore {revision}")]
    return [*found, ("team.mark", "Mark" if short else "Compare others with it")]


def preview_answers(*, short: bool) -> list[Answered]:
    """Of a preview."""
    return [("team.save", "Save"), ("team.role", "Other role"), ("team.leave", "Back")]


def answer_bar(answers: Iterable[Answered], commands: Iterable[Command]) -> Bar:
    """As buttons, with the keys of this person."""
    keys = {command.id: command.key_label for command in commands}
    line: Line = ()
    regions: list[Region] = []
    for id, words in answers:
        if line:
            line = (*line, Piece("  "))
        start = width_of(line)
        line = (
            *line,
            Piece(f" {keys.get(id, '')} ", "focus", True, ground="key"),
            Piece(f"{words} ", "strong", ground="key"),
        )
        regions.append(Region(start, width_of(line), id))
    return Bar(line, (), tuple(regions))
