"""A question to the person: what is asked, and what may be answered."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.tui.view.pieces import Line


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer."""

    key: str
    """A single letter, which is not the key that opened the question."""
    word: str
    value: bool


@dataclass(frozen=True, slots=True)
class Question:
    """The choices look alike, and none is the default."""

    title: Line
    facts: tuple[Line, ...]
    choices: tuple[Choice, ...]
