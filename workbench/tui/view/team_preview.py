"""What a role would read with a draft in it, beside what it reads now, and the first token that changes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from workbench.tui.view.panel import key_words
from workbench.tui.view.pieces import Line, Piece, outside
from workbench.tui.view.registry_document import Drawn, Part, Text, Title, Words
from workbench.tui.view.sizes import NOT_EXACT, number
from workbench.tui.view.team_texts import DifferenceOf
from workbench.tui.view.team_words import DEFAULT_KEYS, TeamKeys

if TYPE_CHECKING:
    from workbench.team.compose import RuntimePart
    from workbench.team.parts import Role
    from workbench.tokens import TokenDifference

ROLE_NAMES: dict[str, str] = {"orchestrator": "main Session", "worker": "Executor"}


class Placed(NamedTuple):
    """A part of a prompt, and where its text begins."""

    name: str
    start: int


@dataclass(frozen=True, slots=True)
class Assembled:
    """The system text of one role."""

    text: str
    parts: tuple[Placed, ...]
    """In their order."""
    model: str | None = None
    failure: str = ""
    """Why it cannot be sent; empty when it can."""

    def part_at(self, offset: int) -> str:
        """The name of the part that the character belongs to; a separator belongs to the part before it."""
        index = bisect_right(self.parts, offset, key=lambda part: part.start) - 1
        return self.parts[max(0, index)].name if self.parts else ""


@dataclass(frozen=True, slots=True)
class RolePreview:
    """Both texts of one role, compared."""

    role: Role
    before: Assembled
    after: Assembled
    first: TokenDifference | None
    """None: one of them cannot be sent."""


def placed_parts(parts: Iterable[RuntimePart]) -> Iterator[Placed]:
    """Where parts begin that are joined by a blank line."""
    start = 0
    for part in parts:
        yield Placed(part.name, start)
        start += len(part.text) + 2


def preview_answer(preview: RolePreview) -> Line:
    """The first changed token, in one sentence."""
    reader = f"The {ROLE_NAMES[preview.role]}"
    failure = preview.after.failure or preview.before.failure
    if failure or preview.first is None:
        lead = Piece("× ", "failed", bold=True)
        return (lead, Piece(f"{reader} cannot be sent: ", "strong", bold=True), *outside(failure))
    if preview.first.is_none:
        return (
            Piece("✓ ", "running", bold=True),
            Piece(f"{reader} reads the same, byte for byte.", "strong", bold=True),
        )
    first = preview.first
    sign = f"{NOT_EXACT} " if first.label.sign else ""
    part = preview.after.part_at(first.offset)
    return (
        Piece("~ ", "changed", bold=True),
        Piece(
            f"{reader} reads another text from token {sign}{number(first.position + 1)} on",
            "strong",
            True,
        ),
        Piece(", in ", "soft"),
        *outside(part),
        Piece(f"; {sign}{number(first.tokens_after)} tokens from there.", "soft"),
    )


def preview_parts(preview: RolePreview, keys: TeamKeys = DEFAULT_KEYS) -> tuple[Part, ...]:
    """The whole document."""
    other = "worker" if preview.role == "orchestrator" else "orchestrator"
    head: list[Part] = [
        Words(preview_answer(preview)),
        Words(
            (
                Piece("Nothing is saved yet. ", "soft"),
                *key_words(keys.role, f"shows the {ROLE_NAMES[other]}."),
            )
        ),
    ]
    if preview.after.failure:
        return tuple(head)
    if preview.before.text == preview.after.text:
        return (*head, Title((Piece("The prompt", "soft", bold=True),)), Text(preview.after.text))
    return (
        *head,
        Title((Piece("Now, and with the draft", "soft", bold=True),)),
        Drawn(DifferenceOf(preview.before.text, preview.after.text)),
        Title((Piece("With the draft, whole", "soft", bold=True),)),
        Text(preview.after.text),
    )
