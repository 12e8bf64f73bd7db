"""The sheet on which a person decides: the question in our words, those of the package in a frame of their own.

Source: docs/tui.md 11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.tui.view.details import Fact
from workbench.tui.view.frame import Bar, Region
from workbench.tui.view.packages_data import RequestData, RevisionData, TrialData
from workbench.tui.view.packages_pages import NO_PAGES, PagesData, open_words
from workbench.tui.view.packages_quote import quoted
from workbench.tui.view.packages_sources import source_parts
from workbench.tui.view.packages_trial import trial_parts
from workbench.tui.view.packages_words import LIMITS, age, halves, who
from workbench.tui.view.panel import wrapped
from workbench.tui.view.pieces import Line, Piece, outside, width_of
from workbench.tui.view.registry_document import Coloured, Facts, Part, Title, Words
from workbench.tui.view.sizes import number


@dataclass(frozen=True, slots=True)
class Ask:
    """What is to be decided: a request of a model, or a person's own start."""

    package: str
    revision: RevisionData
    session: str
    asked_by: str = ""
    request: str = ""
    """Empty: a person's own start."""
    since: float = 0.0
    nth: int = 1
    count: int = 1
    trial: TrialData | None = None
    trial_runs: bool = False
    trial_waits_for: tuple[str, ...] = ()
    can_try: bool = True
    over: str = ""
    """How it was decided elsewhere, or why it cannot be decided any more."""
    pages: PagesData = NO_PAGES
    error: str = ""
    """Why the last thing that was asked for was not done. Outside text."""

    @property
    def is_request(self) -> bool:
        return bool(self.request)


def ask_of(request: RequestData, nth: int, count: int) -> Ask:
    """A request of the queue."""
    return Ask(
        request.package,
        request.revision,
        request.session,
        request.asked_by,
        request.id,
        request.since,
        nth,
        count,
        request.trial,
        request.trial_runs,
        request.trial_waits_for,
        request.revision.code is not None,
    )


def title_of(ask: Ask, now: float) -> tuple[Line, Line]:
    """The question, in our words only: what the package calls itself stands in its frame."""
    name = outside(ask.package, "strong", bold=True)
    if not ask.is_request:
        words = Piece(f" r{ask.revision.number}: start it?", "strong", bold=True)
        return (Piece("○ ", "soft", bold=True), *name, words), ()
    where = "in a browser page" if ask.revision.client is not None else "in this process"
    left = (Piece("◆ ", "pending", bold=True), *name, Piece(f" wants to run {where}"))
    right: Line = (Piece(f"waiting {age(now - ask.since)}", "pending"),)
    if ask.count > 1:
        right = (*right, Piece(f"   {ask.nth} of {ask.count}", "soft"))
    return left, right


def sheet_parts(
    ask: Ask, *, shows_sources: bool = False, colours: Mapping[str, tuple[Coloured, ...]] | None = None
) -> tuple[Part, ...]:
    """Between question and answers: this may be scrolled, they stay."""
    return tuple(_parts(ask, shows_sources, colours or {}))


def _parts(ask: Ask, shows_sources: bool, colours: Mapping[str, tuple[Coloured, ...]]) -> Iterator[Part]:
    yield Facts(tuple(_facts(ask, shows_sources)))
    if shows_sources:
        yield from source_parts(ask.revision, colours)
        return
    yield Title((Piece("In the words of the package", "soft", bold=True),))
    yield quoted(f"{ask.revision.name}\n{ask.revision.purpose}")
    if ask.error:
        yield Title((Piece("× Not done", "failed", bold=True),))
        yield quoted(ask.error)
    yield from trial_parts(
        ask.trial,
        runs=ask.trial_runs,
        key="" if ask.over else "w",
        can_try=ask.can_try,
        waits_for=ask.trial_waits_for,
    )
    for warning in ask.revision.warnings:
        yield Words((Piece("~ warning  ", "changed", bold=True), *outside(warning)))


def _facts(ask: Ask, shows_sources: bool) -> Iterator[Fact]:
    if ask.is_request:
        asked = who(ask.asked_by or ask.session)
        yield Fact("asked by", (*asked, Piece(", whose turn waits for this answer", "soft")))
    else:
        yield Fact("owner", who(ask.session))
    if ask.revision.client is not None and not ask.over:
        yield Fact("pages", _pages(ask.pages))
    read = (Piece("v", "strong", bold=True), Piece(" back" if shows_sources else " read the code", "soft"))
    revision = (Piece(f"r{ask.revision.number}", "strong"), Piece(f"   {halves(ask.revision)}   ", "soft"))
    yield Fact("revision", (*revision, *read))


def _pages(pages: PagesData) -> Line:
    if pages.pages:
        names = ", ".join(page.browser or page.id for page in pages.pages[:4])
        more = f" and {number(len(pages.pages) - 4)} more" if len(pages.pages) > 4 else ""
        return (Piece(f"{open_words(pages)}: ", "text"), *outside(f"{names}{more}", "soft"))
    where: Line = (Piece("   o", "strong", bold=True), Piece(" open one", "soft")) if pages.url else ()
    return (Piece("none is open: once allowed it waits for one", "pending"), *where)


def foot_lines(ask: Ask, width: int) -> list[Line]:
    """Scope of the answer, in words."""
    if ask.over:
        return [(Piece("✓ ", "running", bold=True), *outside(ask.over, "strong"))]
    what = "Your answer is for this run of" if ask.is_request else "You start one run of"
    return list(wrapped((Piece(f"{what} r{ask.revision.number} only. {LIMITS}", "soft"),), max(8, width)))


def buttons(ask: Ask, width: int) -> Bar:
    """The answers look alike and none is the default."""
    if ask.over:
        choices: list[tuple[str, str, str]] = []
    elif ask.is_request:
        choices = [("a", "Allow this run", "allow"), ("d", "Deny…", "deny")]
    else:
        choices = [("s", f"Start r{ask.revision.number}", "allow")]
    line: Line = ()
    regions: list[Region] = []
    for key, words, command in choices:
        start = width_of(line)
        line = (*line, Piece(f" {key} ", "focus", True, ground="key"), Piece(f"{words} ", "strong", ground="key"))
        regions.append(Region(start, width_of(line), command))
        line = (*line, Piece("   "))
    words = (
        " back"
        if ask.over or not ask.is_request
        else " later, it keeps waiting"
        if width < 80
        else (" decide later, it keeps waiting")
    )
    if ask.trial_runs:
        words = " ends the trial"
    return Bar(line, (Piece("esc", "strong", bold=True), Piece(words, "soft")), tuple(regions))


def hints(ask: Ask, *, is_denying: bool = False) -> Line:
    """Keys of the sheet; while a reason is typed, letters are none."""
    if is_denying:
        return _hints([("enter", "deny, with or without a reason"), ("esc", "no, not yet")])
    keys = [("v", "code")]
    if not ask.over:
        keys += [("w", "what if")] if ask.can_try else []
    if ask.revision.client is not None and ask.pages.url and not ask.over:
        keys.append(("o", "open page"))
    if ask.count > 1:
        keys.append(("n", "next"))
    if ask.is_request:
        keys.append(("y", "copy report"))
    return _hints([*keys, ("↑ ↓", "scroll"), ("esc", "later" if ask.is_request else "back")])


def _hints(keys: Sequence[tuple[str, str]]) -> Line:
    line: Line = ()
    for key, word in keys:
        line = (*line, Piece(key, "strong", bold=True), Piece(f" {word}   ", "soft"))
    return line
