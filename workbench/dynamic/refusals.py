"""Refusals: every no that a verb can say, with its reason and a message that teaches.

Source: docs/dynamic-packages.md 4.
"""

from __future__ import annotations

from typing import Literal

Reason = Literal[
    "invalid-arguments",
    "syntax",
    "forbidden-source",
    "definition-missing",
    "revision-missing",
    "transition-in-flight",
    "host-half-failed",
    "client-half-failed",
    "rejected",
    "cancelled",
    "not-running",
]


class Refusal(Exception):
    """A verb said no. The last three reasons are answers, not defects."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason: Reason = reason
        self.message = message


def missing(package_id: str) -> Refusal:
    """What an unknown id, and another session's, is answered with."""
    return Refusal(
        "definition-missing",
        f"there is no package {package_id!r}: definitions live in this process's memory only; "
        "cordis_inspect with what=temporary lists yours, cordis_define makes one",
    )
