"""What a package would change: what it registers, the difference to the next request, its cost, the proof.

Source: docs/tui.md 11.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from workbench.tui.view.difference import difference_lines
from workbench.tui.view.packages_data import PartChange, TrialData
from workbench.tui.view.packages_quote import framed, quoted
from workbench.tui.view.packages_words import EXECUTES, clock, registered_line, residue_line
from workbench.tui.view.panel import key_words
from workbench.tui.view.pieces import Line, Piece, Role, outside
from workbench.tui.view.registry_document import Drawn, Part, Rows, Title, Words
from workbench.tui.view.sizes import counted, number

SIGNS: Final[dict[str, tuple[str, Role]]] = {
    "added": ("+", "added"),
    "removed": ("−", "removed"),
    "changed": ("~", "changed"),
    "moved": ("~", "changed"),
}


def trial_parts(
    trial: TrialData | None, *, runs: bool, key: str, can_try: bool, waits_for: Sequence[str] = ()
) -> tuple[Part, ...]:
    """The section *What it would change*; `key` tries it, `runs`: it is being tried now.

    `waits_for`: what keeps that from beginning.
    """
    return tuple(_parts(trial, runs, key, can_try, waits_for))


def _parts(
    trial: TrialData | None, runs: bool, key: str, can_try: bool, waits_for: Sequence[str]
) -> Iterator[Part]:
    again: Line = (Piece(key, "strong", bold=True), Piece(" try again", "soft")) if can_try and key else ()
    title: Line = (Piece("What it would change", "soft", bold=True),)
    if runs:
        yield Title(title, (Piece("◐ ", "pending"), Piece("waits" if waits_for else "being tried", "text")))
        if waits_for:
            yield Words((Piece("It begins after ", "soft"), *outside(", ".join(waits_for), "strong"), Piece(".")))
            yield Words((Piece("Nothing was executed yet. esc calls it off.", "soft"),))
        else:
            yield Words((Piece("Its code is executed now. esc ends it, and undoes it.", "soft"),))
        return
    if trial is None:
        yield Title(title)
        if not can_try:
            yield Words((Piece("It has no host half, so that nothing in the request is another one.", "soft"),))
            return
        yield Words((Piece("Not tried. ", "strong", bold=True), *_offer(key)))
        return
    yield Title(title, (Piece(f"r{trial.revision} tried {clock(trial.at)} and undone   ", "soft"), *again))
    if trial.residue is not None:
        yield Words(residue_line(trial.residue))
    yield from _outcome(trial)


def _offer(key: str) -> Line:
    if not key:
        return (Piece(EXECUTES, "soft"),)
    return key_words(key, f"tries it: {EXECUTES[0].lower()}{EXECUTES[1:]}")


def _outcome(trial: TrialData) -> Iterator[Part]:
    if trial.outcome == "did not settle":
        yield Words(
            (
                Piece("× Did not settle: ", "failed", bold=True),
                Piece("what it awaits did not come within the budget."),
            )
        )
    elif trial.outcome == "failed":
        yield Words((Piece("× It would fail.", "failed", bold=True), Piece(" What it said:", "soft")))
        yield quoted(trial.message)
    elif trial.outcome == "cancelled":
        how = "Called off before it began." if trial.residue is None else "Ended before it was over, and undone."
        yield Words((Piece(f"– {how}", "soft"),))
    elif trial.outcome == "waiting":
        missing = ", ".join(trial.waiting_for)
        yield Words((Piece("◌ It would wait for ", "waiting"), *outside(missing, "strong"), Piece(".")))
    yield Rows(
        tuple((registered_line(each, (Piece("+ ", "added", bold=True),)), ()) for each in trial.registrations)
    )
    if not trial.is_compared:
        if trial.outcome in ("active", "waiting"):
            yield Words((Piece("The next request cannot be made, with it or without it: no difference.", "soft"),))
        return
    yield Words(cost_line(trial))
    yield from differences(trial.parts)


def cost_line(trial: TrialData) -> Line:
    """The first changed token, and what is read anew."""
    if trial.first_token is None:
        if not trial.parts:
            return (Piece("✓ prefix    ", "running"), Piece("the next request stays the same"))
        return (Piece("✓ prefix    ", "running"), Piece("stays whole: the change is appended"))
    about = "" if trial.is_exact else "≈ "
    return (
        Piece("╳ ", "broken", bold=True),
        Piece("prefix".ljust(10), "soft"),
        Piece("the next request breaks at token "),
        Piece(f"{about}{number(trial.first_token)}", "strong", bold=True),
        Piece(" and reads "),
        Piece(f"{about}{counted(trial.read_anew, 'token')}", "strong", bold=True),
        Piece(" anew, once"),
    )


def differences(parts: Sequence[PartChange]) -> Iterator[Part]:
    """Each part that is another one, in the order of the request."""
    for part in parts:
        yield Words(())
        yield framed(Drawn(_drawn(part)))


def _drawn(part: PartChange) -> Callable[[int], Sequence[Line]]:
    def draw(width: int) -> list[Line]:
        sign, role = SIGNS.get(part.action, ("~", "changed"))
        fact: Line = (Piece(f"{sign} ", role, bold=True), Piece(f"{part.kind} {part.action}", "soft"))
        return difference_lines(
            part.before, part.after, width, owner=part.owner, name=part.name, facts=fact, side_by_side=False
        )

    return draw
