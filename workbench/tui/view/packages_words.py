"""Words and signs of packages: states are verbs with a fact, and each has a sign.

Source: docs/tui.md 11.
"""

from __future__ import annotations

import time
from datetime import datetime
from typing import Final

from workbench.tui.view.packages_data import (
    RECORDS,
    PackageCard,
    PackageRow,
    Registration,
    ResidueData,
    RevisionData,
    State,
)
from workbench.tui.view.pieces import Line, Piece, Role, outside
from workbench.tui.view.sizes import counted, number

OWN_TURN_SECONDS: Final = 10.0
"""After which a start is said to wait inside the turn that asked for it."""
SIGNS: Final[dict[State, tuple[str, Role]]] = {
    "defined": ("○", "soft"),
    "awaiting-approval": ("◆", "pending"),
    "starting": ("◐", "pending"),
    "delivering": ("◐", "pending"),
    "running": ("●", "running"),
    "waiting": ("◌", "waiting"),
    "stopping": ("◐", "pending"),
    "stopped": ("○", "soft"),
    "failed": ("×", "failed"),
    "unloaded": ("–", "soft"),
    "lost": ("–", "soft"),
    "refused": ("×", "failed"),
}
LONGEST_ID: Final = 20
"""Characters of the id of a session that is shown whole."""
LIMITS: Final = (
    "The package acts with the rights of this process, on all sessions; the sandbox keeps honest code tidy and is "
    "not a security boundary."
)
EXECUTES: Final = "It executes the code of its host half, and undoes it; a file or a request of its own stays."


def monotonic() -> float:
    """The clock of ages."""
    return time.monotonic()


def clock(at: float) -> str:
    """A moment, as a person's clock says it: `14:08:40`."""
    return datetime.fromtimestamp(at).strftime("%H:%M:%S")


def moment(at: float) -> str:
    """The same of any day: with its date, unless it is today."""
    day = datetime.fromtimestamp(at)
    return clock(at) if day.date() == datetime.now().date() else f"{day:%Y-%m-%d} {clock(at)}"


def age(seconds: float) -> str:
    """`41 s`, `2 min`, `3 h`, `2 d`."""
    whole = max(0, int(seconds))
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if whole >= size * (1 if unit != "min" else 2):
            return f"{number(whole // size)} {unit}"
    return f"{whole} s"


def state_word(row: PackageRow, now: float, *, short: bool = False) -> str:
    """`running 2 min`; short: without the age, but of what a person waits for."""
    if row.request and row.state == "awaiting-approval":
        return f"waiting {age(now - row.asked_since)}"
    if row.state in ("starting", "delivering", "stopping", "waiting"):
        return f"{row.state} {age(now - row.since)}"
    if row.state == "running":
        return row.state if short else f"running {age(now - row.since)}"
    return row.state


def state_line(row: PackageRow, now: float, *, short: bool = False) -> Line:
    """The word in the colour of its state."""
    _, role = SIGNS[row.state]
    return (Piece(state_word(row, now, short=short), role),)


def sign_piece(row: PackageRow) -> Piece:
    """Of a pending request before that of its state."""
    sign, role = SIGNS["awaiting-approval" if row.request else row.state]
    return Piece(sign, role, bold=True)


def fact_line(row: PackageRow, now: float) -> Line:
    """The one fact that matters now, for the second line of a row."""
    if row.request and row.state == "awaiting-approval":
        return (Piece("wants a browser page" if row.has_browser_half else "wants to run"),)
    if row.request:
        return (Piece(f"r{row.revision} runs; another run waits for you"),)
    if row.state == "starting" and now - row.since >= OWN_TURN_SECONDS:
        return (Piece("waiting inside the turn that started it", "failed"),)
    if row.state == "waiting":
        return (
            (Piece("waits for ", "soft"), *outside(row.fact))
            if row.fact
            else (Piece("is being activated", "soft"),)
        )
    if row.state == "failed":
        return outside(row.fact)
    if row.state == "stopped" and row.is_clean is not None:
        return _proof(row)
    if row.state in RECORDS:
        return outside(row.fact, "soft") if row.fact else (Piece("its id is invalid from now on", "soft"),)
    if row.state == "delivering" and row.fact:
        return outside(row.fact)
    if row.state == "stopping" and row.fact:
        return (Piece("still running: ", "soft"), *outside(row.fact))
    if row.slips:
        return (Piece("× ", "failed", bold=True), *outside(row.fact or counted(row.slips, "slip")))
    return _running(row)


def _proof(row: PackageRow) -> Line:
    if row.is_clean:
        return (Piece("✓ ", "running"), Piece("nothing left"))
    return (Piece("× ", "failed", bold=True), *outside(row.fact, "failed"))


def _running(row: PackageRow) -> Line:
    line: Line = (Piece(f"r{row.revision}"),)
    if row.state in ("running", "stopping"):
        line = (*line, Piece(f", {_of_both_halves(row)}"))
    if row.newest > row.revision:
        line = (*line, Piece("   ↑ ", "changed"), Piece(f"r{row.newest} defined"))
    if row.last_outcome in ("rejected", "cancelled"):
        line = (*line, Piece(f"   last run {row.last_outcome}", "soft"))
    return line


def _of_both_halves(row: PackageRow) -> str:
    if not row.has_browser_half:
        return counted(row.registrations, "registration")
    return f"{number(row.registrations)} registered, browser half" if row.registrations else "browser half"


def residue_line(residue: ResidueData) -> Line:
    """The proof in one sentence."""
    searched = Piece(f", {counted(residue.searched, 'entry').replace('entrys', 'entries')} searched", "soft")
    at = Piece(f", {clock(residue.at)}", "soft")
    if not residue.left:
        return (Piece("✓ ", "running"), Piece("nothing left", "strong"), searched, at)
    found: Line = (Piece("× ", "failed", bold=True), Piece("left: ", "failed"))
    for index, (kind, name) in enumerate(residue.left):
        found = (*found, Piece(", " if index else ""), Piece(f"{kind} ", "soft"), *outside(name))
    return (*found, at)


def halves(revision: RevisionData) -> str:
    """`host half 38 lines, browser half 52 lines`."""
    parts = []
    for word, source in (("host half", revision.code), ("browser half", revision.client)):
        if source is not None:
            parts.append(f"{word} {counted(source.count(chr(10)) + (not source.endswith(chr(10))), 'line')}")
    return ", ".join(parts)


def registered_line(entry: Registration, sign: Line = ()) -> Line:
    """Kind and name, below one another."""
    return (*sign, Piece(entry.kind.ljust(10), "soft"), *outside(entry.name))


def who(session: str) -> Line:
    """A session by its id."""
    return (Piece("session "), *outside(short_id(session), "strong"))


def short_id(session: str) -> str:
    """The beginning of a long id, as in the place Session."""
    return session if len(session) <= LONGEST_ID else session[:8]


def trouble_count(card: PackageCard) -> int:
    """Hazards beside those that only say what a stop would do."""
    return sum(1 for hazard in card.hazards if hazard.kind != "depended on")
