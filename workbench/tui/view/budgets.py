"""How much of a budget is used: a bar, numbers and a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.tui.view.pieces import Line, Piece, Role
from workbench.tui.view.sizes import number

if TYPE_CHECKING:
    from workbench.tokens import BudgetUse

BAR = 8
"""Cells of a bar that is full."""
_ROLES: dict[str, Role] = {"within": "running", "near": "pending", "over": "failed", "unknown": "soft"}
_WORDS = {"within": "within budget", "near": "nearly used up", "over": "over budget", "unknown": "not counted"}


def budget_line(use: BudgetUse, unit: str) -> Line:
    """`━━━━━━━━── 84 of 100 tok, within budget`; words say it without the bar and its colour."""
    filled = min(BAR, round(BAR * use.share)) if use.state != "over" else BAR
    role = _ROLES[use.state]
    used = "–" if use.count is None else number(use.count.tokens)
    word = f"over by {number(use.excess)}" if use.state == "over" else _WORDS[use.state]
    return (
        Piece("━" * filled, role),
        Piece("─" * (BAR - filled), "rule"),
        Piece(f" {used} of {number(use.limit)} {unit}, "),
        Piece(word, role, bold=use.state == "over"),
    )


def budget_remark(use: BudgetUse | None) -> Line:
    """For a heading: nothing while there is no reason to look."""
    if use is None or use.state in {"within", "unknown"}:
        return ()
    word = "over budget" if use.state == "over" else "near budget"
    sign = "× " if use.state == "over" else ""
    return (Piece(f"{sign}{word}", _ROLES[use.state]),)


def is_over(use: BudgetUse | None) -> bool:
    """More is used than the limit allows."""
    return use is not None and use.state == "over"
