"""The way that a person has come: where to go back to, and forward again."""

from __future__ import annotations

from dataclasses import dataclass

LIMIT = 100
"""Spots that are remembered; the oldest go first."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Something that was looked at."""

    title: str
    """Of the place."""
    scope: str
    target: object = None
    """As the place knows it; None: the place as a whole."""


class Trail:
    """Spots that were left by a jump, in order. Small steps, such as to the next row, leave no spot."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._spots: list[Spot] = []
        self._at = 0
        """Where the person is: behind the last spot, unless they went back."""
        self._limit = limit

    @property
    def can_go_back(self) -> bool:
        """There is a spot before this one."""
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        """The person has gone back."""
        return self._at + 1 < len(self._spots)

    def leave(self, here: Spot) -> None:
        """The person jumps away from here: what was ahead is forgotten."""
        del self._spots[self._at :]
        if not self._spots or self._spots[-1] != here:
            self._spots.append(here)
        del self._spots[: -self._limit]
        self._at = len(self._spots)

    def back(self, here: Spot) -> Spot | None:
        """The spot before; `here` stays ahead. None: there is none."""
        if self._at == len(self._spots):
            self._spots.append(here)
        else:
            self._spots[self._at] = here
        if self._at and self._spots[self._at - 1] == here:  # left and come back by other ways
            del self._spots[self._at]
            self._at -= 1
        if not self._at:
            return None
        self._at -= 1
        return self._spots[self._at]

    def forward(self, here: Spot) -> Spot | None:
        """The spot that the person went back from; None: there is none."""
        if not self.can_go_forward:
            return None
        self._spots[self._at] = here
        self._at += 1
        return self._spots[self._at]
