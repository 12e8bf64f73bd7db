"""The detail of a package: what it is, what it has registered, what it does to the request, what a stop would do.

Source: docs/tui.md 11.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.tui.view.details import Fact
from workbench.tui.view.packages_data import RECORDS, Effect, ErrorData, PackageCard
from workbench.tui.view.packages_effect import effect_parts, stop_parts
from workbench.tui.view.packages_pages import DEFAULT_KEYS, NO_PAGES, PageKeys, PagesData, card_pages
from workbench.tui.view.packages_quote import framed, quoted
from workbench.tui.view.packages_record import record_parts
from workbench.tui.view.packages_trial import trial_parts
from workbench.tui.view.packages_words import (
    OWN_TURN_SECONDS,
    SIGNS,
    age,
    clock,
    halves,
    registered_line,
    residue_line,
    state_word,
    who,
)
from workbench.tui.view.panel import key_words
from workbench.tui.view.pieces import Line, Piece, outside
from workbench.tui.view.registry_document import Facts, Part, Rows, Title, Words
from workbench.tui.view.sizes import counted, number
from workbench.tui.view.team_answers import Answered

SLOW_STOP_SECONDS = 2.0
"""After which a stop is said to be slow, with who is still running."""


@dataclass(frozen=True, slots=True)
class Keys:
    """Keys of this person, for sentences; empty: none."""

    answer: str = "!"
    what_if: str = "w"
    difference: str = "d"
    older: str = "e"
    pages: PageKeys = DEFAULT_KEYS


def title_lines(card: PackageCard, now: float) -> tuple[Line, Line]:
    """Id and name, and the state at the right end."""
    sign, role = SIGNS[card.state]
    left = (
        Piece(""),
        *outside(card.id, "strong", bold=True),
        Piece("  "),
        *outside(card.row.name, "strong", bold=True),
    )
    return left, (Piece(f"{sign} ", role, bold=True), Piece(state_word(card.row, now)))


def buttons_of(card: PackageCard, *, short: bool) -> list[Answered]:
    """The controls that can be used now, as buttons."""
    found: list[Answered] = []
    controls, newest = card.controls, card.newest.number
    if card.row.request:
        found.append(("app.answer", "Answer…"))
    if "stop" in controls:
        found.append(("packages.stop", "Stop"))
    if "start" in controls:
        again = card.state in ("stopped", "failed") and newest == card.row.revision
        found.append(("packages.start", "Run again" if again else f"Start r{newest}"))
    if "what-if" in controls:
        found.append(("packages.what_if", "What if"))
    if "undefine" in controls:
        found.append(("packages.undefine", "Undefine"))
    if "start older" in controls:
        found.append(("packages.older", "Older"))
    if "deliver again" in controls:
        found.append(("packages.deliver", "Deliver again"))
    return found[:3] if short else found


def detail_parts(
    card: PackageCard, effect: Effect, now: float, keys: Keys = Keys(), pages: PagesData = NO_PAGES
) -> tuple[Part, ...]:
    """All that is known, most wanted first."""
    return tuple(_detail(card, effect, now, keys, pages))


def _detail(card: PackageCard, effect: Effect, now: float, keys: Keys, pages: PagesData) -> Iterator[Part]:
    if card.revision.purpose:
        yield quoted(card.revision.purpose)
    yield Facts(tuple(_facts(card, keys)))
    if card.state in RECORDS:
        yield from record_parts(card)
        return
    yield from _hazards(card, now)
    if card.error is not None and card.last_error_matters:
        yield from _error(card, card.error, keys)
    if card.row.request:
        yield Title((Piece("It waits for your answer", "strong", bold=True),))
        yield Words(
            (
                Piece("◆ ", "pending", bold=True),
                *key_words(
                    keys.answer,
                    "shows what it asks for. Nothing was executed yet, and looking executes nothing.",
                ),
            )
        )
    yield from card_pages(card, pages, keys.pages)
    yield from _registered(card)
    if not card.run:
        can_try = "what-if" in card.controls or card.trial_runs or card.trial is not None
        if can_try or card.newest.code is not None:
            yield from trial_parts(
                card.trial,
                runs=card.trial_runs,
                key=keys.what_if,
                can_try=can_try,
                waits_for=card.trial_waits_for,
            )
    yield from effect_parts(card, effect)
    yield from _prints(card)
    if "stop" in card.controls:
        yield from stop_parts(card, effect)
    if card.residue is not None and not card.run:
        yield Title((Piece("After the last stop", "soft", bold=True),))
        yield Words(residue_line(card.residue))
    for warning in card.revision.warnings:
        yield Title((Piece("Warning at define", "soft", bold=True),))
        yield Words((Piece("~ ", "changed", bold=True), *outside(warning)))


def _facts(card: PackageCard, keys: Keys) -> Iterator[Fact]:
    row, revision = card.row, card.revision
    if card.run:
        since = f", since {clock(card.started_at)}" if card.started_at else ""
        of = Piece(f" of r{row.revision}, {halves(revision)}{since}", "soft")
        yield Fact("run", (*outside(card.run, "strong"), of))
    elif revision.number:
        what = halves(revision)
        told = f", {what}" if what else ""
        yield Fact("revision", (Piece(f"r{revision.number}", "strong"), Piece(told, "soft")))
    yield Fact("owner", who(row.session))
    if row.newest > row.revision > 0:
        made = card.newest.made_at
        at = f" defined {clock(made)}" if made else " defined"
        newer: Line = (Piece("↑ ", "changed"), Piece(f"r{row.newest}", "strong"), Piece(at, "soft"))
        yield Fact("newer", (*newer, Piece("   "), *key_words(keys.difference, "difference")))
    elif len(card.revisions) > 1:
        yield Fact("earlier", (Piece(", ".join(f"r{each.number}" for each in card.revisions[:-1][-8:])),))
    if card.provides:
        yield Fact("provides", outside(", ".join(card.provides), "strong"))
    if card.waiting_for:
        yield Fact("waits for", (Piece("◌ ", "waiting"), *outside(", ".join(card.waiting_for), "strong")))
    if card.dependents:
        yield Fact("used by", outside(", ".join(card.dependents)))
    if card.host_methods:
        yield Fact("methods", outside(", ".join(card.host_methods)))
    for remark in card.remarks:
        if not remark.startswith("r"):
            yield Fact("remark", outside(remark, "soft"))


def _hazards(card: PackageCard, now: float) -> Iterator[Part]:
    told = [hazard for hazard in card.hazards if hazard.kind != "depended on"]
    waits = now - card.row.since
    is_slow = card.state == "stopping" and waits >= SLOW_STOP_SECONDS
    if not told and not is_slow and not (card.state == "starting" and waits >= OWN_TURN_SECONDS):
        return
    yield Title((Piece("Look here", "failed", bold=True),))
    if card.state == "starting" and waits >= OWN_TURN_SECONDS:
        yield Words(
            (
                Piece("◐ ", "pending", bold=True),
                Piece(f"Waiting inside the turn that started it, {age(waits)}. ", "strong"),
                Piece("What it awaits may only happen after the turn: stop it, or cancel the turn.", "soft"),
            )
        )
    if is_slow:
        yield Words(
            (
                Piece("◐ ", "pending", bold=True),
                Piece(f"The stop takes {age(waits)}. ", "strong"),
                Piece("It ends when what still runs has ended:", "soft"),
            )
        )
    for hazard in told:
        if hazard.kind == "own turn":
            continue
        line: Line = (Piece("× ", "failed", bold=True), Piece(f"{hazard.kind}: ", "strong"), *outside(hazard.text))
        if hazard.seconds is not None:
            line = (*line, Piece(f", {age(hazard.seconds)}", "soft"))
        if hazard.times:
            line = (*line, Piece(", once" if hazard.times == 1 else f", {number(hazard.times)} times", "soft"))
        yield Words(line)


def _error(card: PackageCard, error: ErrorData, keys: Keys) -> Iterator[Part]:
    stage = f", {error.stage}" if error.stage else ""
    half = {"host-half-failed": "host half", "client-half-failed": "browser half"}.get(error.reason, error.reason)
    lead = (Piece("× ", "failed", bold=True), Piece(f"Failed: {half}{stage}", "strong", bold=True))
    yield Title(lead, (Piece(f"r{error.revision}", "soft"),))
    yield quoted(error.message)
    if card.last_good is not None and card.last_good != error.revision:
        yield Words(
            (
                Piece(f"r{card.last_good} was the last that ran. ", "soft"),
                *key_words(keys.older, "starts an older one."),
            )
        )


def _registered(card: PackageCard) -> Iterator[Part]:
    if not card.run:
        return
    right = "undone last first" if len(card.registrations) > 1 else "a stop undoes it"
    yield Title((Piece("Registered", "soft", bold=True),), (Piece(right if card.registrations else "", "faint"),))
    if not card.registrations:
        yield Words((Piece("Nothing.", "soft"),))
    yield Rows(
        tuple(
            (registered_line(each), (Piece(counted(each.children, "part"), "faint"),) if each.children else ())
            for each in reversed(card.registrations)
        )
    )


def _prints(card: PackageCard) -> Iterator[Part]:
    if not card.prints and not card.prints_dropped:
        return
    count = len(card.prints) + card.prints_dropped
    dropped = f", the first {number(card.prints_dropped)} dropped" if card.prints_dropped else ""
    yield Title((Piece("Prints", "soft", bold=True),), (Piece(f"{number(count)}{dropped}", "faint"),))
    yield framed(
        Rows(tuple(((Piece(f"{clock(each.at)}  ", "faint"), *outside(each.text)), ()) for each in card.prints))
    )
