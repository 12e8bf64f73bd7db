"""What the editor of Team tells. A place that has not opened it yet needs no more of it."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from workbench.tui.view.team_entries import EntryId


@dataclass
class Edited(Message):
    """Something was typed."""

    id: EntryId
    text: str
    values: dict[str, str]
    """Fields that are another than they were given."""


@dataclass
class Moved(Message):
    """The cursor is somewhere else."""

    id: EntryId
    place: tuple[int, int]
    """Row and column, from 0."""
