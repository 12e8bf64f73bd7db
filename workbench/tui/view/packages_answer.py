"""The answer to the question of Packages, and what stands there without any.

Source: docs/tui.md 11.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from workbench.tui.view.answer import Answer
from workbench.tui.view.packages_data import PackageRow
from workbench.tui.view.packages_pages import PageKeys, PagesData, how_to_open, open_words
from workbench.tui.view.packages_words import OWN_TURN_SECONDS, age
from workbench.tui.view.panel import key_words, opened_by
from workbench.tui.view.pieces import Line, Piece, outside
from workbench.tui.view.registry_document import Part, Text, Title, Words
from workbench.tui.view.sizes import counted, number

EXAMPLE = """plugins:
  - package_runner     # runs them; like shell access
  - package_tools      # the tools of the model
  - package_page       # the page of browser halves; needs the extra `page`"""
LIKE_SHELL = "dynamic packages are like shell access"


def packages_answer(rows: Sequence[PackageRow], said: Line, pages: PagesData, now: float, *, short: bool) -> Answer:
    """What waits, what runs, what does not; `said`: what was done last."""
    fact = _fact(rows, pages, short=short)
    if said:
        return Answer(said, fact)
    counts = {"Waiting for you": 0, "Running": 0, "Not running": 0, "Records": 0}
    for row in rows:
        counts[row.group] += 1
    waiting, running, resting = counts["Waiting for you"], counts["Running"], counts["Not running"]
    failed = sum(1 for row in rows if row.state == "failed")
    if not waiting + running + resting:
        if counts["Records"]:
            gone = Piece(" Nothing that was defined is here any more.")
            return Answer((Piece("No packages any more.", "strong", bold=True), gone), fact)
        none = Piece(" Nothing was defined in this process.")
        return Answer((Piece("No packages.", "strong", bold=True), none), fact)
    stuck = next((row for row in rows if row.state == "starting" and now - row.since >= OWN_TURN_SECONDS), None)
    if stuck is not None and not waiting:
        what = Piece(f" waits inside the turn that started it, {age(now - stuck.since)}.", "strong", bold=True)
        return Answer((Piece("◐ ", "pending", bold=True), *outside(stuck.id, "strong", bold=True), what), fact)
    homeless = next((row for row in rows if row.state == "delivering" and not pages.pages), None)
    if homeless is not None and not waiting:
        what = Piece(" waits for a page: none is open.", "strong", bold=True)
        return Answer((Piece("◐ ", "pending", bold=True), *outside(homeless.id, "strong", bold=True), what), fact)
    lead = f"{number(running)} running"
    rest = f", {number(resting)} not running"
    rest += f", {number(failed)} of them failed." if failed and not short else "."
    if not waiting:
        return Answer((Piece(lead, "strong", bold=True), Piece(rest)), fact)
    verb = "waits" if waiting == 1 else "wait"
    asked: Line = (
        Piece("◆ ", "pending", bold=True),
        Piece(f"{number(waiting)} {verb} for your answer.", "strong", bold=True),
    )
    return Answer((*asked, Piece(f"  {lead}{rest}")), fact)


def _fact(rows: Sequence[PackageRow], pages: PagesData, *, short: bool) -> Line:
    """Pages where they matter, else what it means to have packages at all."""
    if pages.url or pages.pages or any(row.has_browser_half for row in rows if row.group != "Records"):
        return (Piece(open_words(pages), "soft"),)
    return () if short else (Piece(LIKE_SHELL, "soft"),)


def past_answer(rows: Sequence[PackageRow], said: Line, *, short: bool) -> Answer:
    """Of a log: what was defined in it, and what became of that."""
    fact: Line = () if short else (Piece("records: nothing of them runs", "soft"),)
    if said:
        return Answer(said, fact)
    defined = sum(row.state != "refused" for row in rows)
    if not rows:
        return Answer((Piece("No packages.", "strong", bold=True), Piece(" Nothing was defined in this session.")))
    counts = [(sum(row.state == state for row in rows), word) for state, word in _ENDS]
    rest = ", ".join(f"{number(count)} {word}" for count, word in counts if count)
    return Answer((Piece(f"{counted(defined, 'package')} defined", "strong", bold=True), Piece(f": {rest}.")), fact)


_ENDS = (("unloaded", "undefined"), ("lost", "lost with the process"), ("refused", "refused"))


def off_answer() -> Answer:
    """Without a runner."""
    return Answer(
        (Piece("No packages.", "strong", bold=True), Piece(" Dynamic packages are off in this composition."))
    )


def off_parts(sample: str = "", open_key: str = "") -> tuple[Part, ...]:
    """What would be here, and how to get it. `open_key`: opens a sample."""
    found: list[Part] = [
        Words(
            (
                Piece(
                    "With them a model extends the running harness with packages that it writes itself. Here you "
                    "would see each of them: what it has registered, what it changes in the request, what it "
                    "prints; you allow it or not, stop it, and read the proof that nothing of it is left."
                ),
            )
        ),
        Words(()),
        Words(
            (
                Piece("Off by default: ", "strong", bold=True),
                Piece("a package acts with the rights of this process. Treat it like shell access."),
            )
        ),
        Title((Piece("How to get it", "soft", bold=True),)),
        Words((Piece("Name the plugins in the composition, the last one only for browser pages:", "soft"),)),
        Text(EXAMPLE, has_numbers=False),
    ]
    if sample:
        named = (Piece("Or look at the sample ", "soft"), *outside(sample, "strong"))
        found += [Words(()), Words((*named, *opened_by(open_key, "opens it.")))]
    return tuple(found)


class TalkKeys(NamedTuple):
    """Keys of this person that lead to talking with the agent; empty: none."""

    session: str
    """To the place Session."""
    say: str
    """There."""


def none_parts(
    pages: PagesData, keys: PageKeys, talk: TalkKeys | None = None, *, is_past: bool = False
) -> tuple[Part, ...]:
    """A runner without packages, or a log in which none was defined. `talk` None: nobody can be talked to."""
    if is_past:
        words = "A package that was defined in this session would stand here, with what was done with it."
        return (Words((Piece(words),)),)
    return (
        Words(
            (
                Piece(
                    "A model defines one with the tool cordis_define, and starts it with cordis_run. It appears "
                    "here with its code and all that it registers. One that runs in a page waits for your answer."
                ),
            )
        ),
        *_how_to_ask(talk),
        Title((Piece("The page", "soft", bold=True),), (Piece(open_words(pages), "faint"),)),
        *how_to_open(pages, keys),
    )


def _how_to_ask(talk: TalkKeys | None) -> Iterator[Part]:
    if talk is None:
        return
    key: Line = (Piece(" ("), Piece(talk.session, "strong", bold=True), Piece(")")) if talk.session else ()
    yield Title((Piece("To have one defined", "soft", bold=True),))
    yield Words(
        (
            Piece("Talk to the agent in the place Session"),
            *key,
            Piece(": "),
            *key_words(talk.say, "begins a message. Ask for what it lacks, and it may write a package for it."),
        )
    )
