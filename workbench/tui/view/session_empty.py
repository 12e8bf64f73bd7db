"""What stands in Session before there is a step: what would be here, and how to get it."""

from __future__ import annotations

from typing import NamedTuple

from workbench.tui.view.detail_rows import paragraph
from workbench.tui.view.panel import key_words, opened_by
from workbench.tui.view.pieces import Line, Piece, outside

EXAMPLE = """models:
  - name: local
    endpoint:
      base_url: http://127.0.0.1:8000/v1
agents:
  - name: main
    provider: local
    model: some-model"""
SAMPLE = "session-clock"
WOULD_BE = (
    "Each request of an agent is a line here: its tokens, how much of the prefix is kept since the one before, and "
    "who broke it. Below it stand the cause, the cost, and the first difference word by word."
)


class SessionKeys(NamedTuple):
    """Keys of this person, for sentences; empty: none."""

    say: str
    step: str
    open: str
    run_on: str
    answer: str
    warnings: str


def first_step_lines(name: str, keys: SessionKeys, width: int) -> list[Line]:
    """An agent is there, and nothing was said to it. `name`: what it is called."""
    to = outside(name, "soft")
    one_by_one = "does the same, and holds the agent before the step after: one step at a time."
    return [
        *paragraph((Piece(WOULD_BE),), width),
        (),
        (Piece("How to begin", "soft", bold=True),),
        *paragraph(
            (*key_words(keys.say, "writes a message to "), *to, Piece("; its turn begins with it.", "soft")), width
        ),
        *paragraph(key_words(keys.step, one_by_one), width),
    ]


def nobody_lines(keys: SessionKeys, width: int) -> list[Line]:
    """Nobody runs here, and nothing was recorded."""
    example: list[Line] = [(Piece(f"  {line}", "value"),) for line in EXAMPLE.split("\n")]
    sample = (
        Piece("Or look at the sample ", "soft"),
        Piece(SAMPLE, "strong"),
        Piece(", or at a session log", "soft"),
    )
    return [
        *paragraph((Piece(WOULD_BE),), width),
        (),
        (Piece("How to get it", "soft", bold=True),),
        *paragraph((Piece("Give the composition a model, and an agent that uses it:", "soft"),), width),
        *example,
        (),
        *paragraph((*sample, *opened_by(keys.open, "opens either.")), width),
    ]
