"""What is said of one request: how it goes on from the one before, and what that costs.

Source: docs/sessions.md 13.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from workbench.agent.verdicts.parts import PartKind
from workbench.prompt.views import Owner
from workbench.tokens.count import Count, Label

if TYPE_CHECKING:
    from workbench.agent.verdicts.causes import Cause

Word = Literal["first", "same", "appended", "changed", "shortened", "another route", "not recorded"]
Action = Literal["added", "removed", "changed", "moved"]
NO_OWNER = "owner not recorded"


@dataclass(frozen=True, slots=True)
class ChangedPart:
    """A part that is another one than in the request before."""

    kind: PartKind
    name: str
    action: Action
    owner: Owner | None
    """Who wrote the first character that differs; None: not recorded."""
    line: int
    """Of that character inside the part, from 1; `column` too."""
    column: int
    characters: int
    """Of the whole part, as it was and as it is, together."""
    key_order_only: bool = False
    """Of a tool: the content is equal, the bytes that a provider caches are not."""

    @property
    def owner_words(self) -> str:
        """Whose it is, as far as that is known. Outside text."""
        return NO_OWNER if self.owner is None else self.owner.plugin

    @property
    def place(self) -> str:
        """Line and column inside the part."""
        return f"{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class ComparedPart(ChangedPart):
    """The same while both texts are at hand."""

    before: str = ""
    """The whole part; empty where there was none."""
    after: str = ""

    @property
    def kept(self) -> ChangedPart:
        """Without the texts, which are as long as a prompt."""
        return ChangedPart(
            self.kind,
            self.name,
            self.action,
            self.owner,
            self.line,
            self.column,
            self.characters,
            self.key_order_only,
        )


@dataclass(frozen=True, slots=True)
class Group:
    """System text, tools or messages of one request, in tokens."""

    name: Literal["system", "tools", "messages"]
    tokens: int
    kept: int
    """Of them, those before the first that is another one."""
    is_broken: bool = False
    """The prefix breaks here."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One request compared with the one before it."""

    word: Word
    groups: tuple[Group, ...]
    """In the order of the request."""
    label: Label
    """How far the tokens can be trusted."""
    lost: int = 0
    """Tokens of the request before from the break to its end: they cannot be reused any more."""
    before: int = 0
    """Tokens of the request before."""
    part: ChangedPart | None = None
    """The first one that differs; None without a break, and where the route alone is another one."""
    others: tuple[tuple[Action, PartKind, str], ...] = ()
    """Further parts of system text and tools that differ."""
    equal: tuple[str, ...] = ()
    """Where the prefix broke: names of the parts of system text and tools that are still the same."""
    causes: tuple[Cause, ...] = ()
    """What was declared since the request before and explains the change."""
    drift: tuple[str, ...] = ()
    """Parts of system text and tools that are not as agreed, in request order."""
    pinned: str = ""
    """Why what was agreed is from here on what this request says; empty: it stays what it was."""
    is_back: bool = False
    """Nobody declared it, but the part that changed first is as agreed again."""
    new_messages: int = 0
    """Messages behind those of the request before."""

    @property
    def total(self) -> int:
        """Tokens of this request."""
        return sum(group.tokens for group in self.groups)

    @property
    def kept(self) -> int:
        """Tokens that a prefix cache can give back."""
        return sum(group.kept for group in self.groups)

    @property
    def share(self) -> float | None:
        """Of this request that is kept, 0 to 1; None for the first one."""
        return None if self.word in ("first", "not recorded") or not self.total else self.kept / self.total

    @property
    def lost_share(self) -> float:
        """Of the request before that cannot be reused any more, 0 to 1."""
        return self.lost / self.before if self.before else 0.0

    @property
    def is_break(self) -> bool:
        """Tokens that were in a cache have to be read anew."""
        return self.word in ("changed", "another route")

    @property
    def is_drift(self) -> bool:
        """It breaks, nobody has declared why, and it leads away from what was agreed."""
        return self.is_break and not self.causes and not self.is_back

    @property
    def cause_words(self) -> str:
        """Why, in a few words; empty where nothing broke. Outside text."""
        if not self.is_break:
            return ""
        undeclared = "undeclared, but back to what was sent at first" if self.is_back else "undeclared drift"
        return "; ".join(cause.words for cause in self.causes) or undeclared

    def count(self, tokens: int) -> Count:
        """A number of this verdict, with its label."""
        return Count(tokens, self.label)
