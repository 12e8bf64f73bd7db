"""The first line under the tabs: the answer to the question of the place, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from workbench.prompt.views import Failure, Preview
from workbench.tui.view.edits import Change, Waiting, change_fact, waiting_line
from workbench.tui.view.entries import PluginTrouble, sign_of
from workbench.tui.view.notes import headline
from workbench.tui.view.pieces import Line, Piece, outside
from workbench.tui.view.sizes import CHARACTERS, Sizes, counted, number


class Answer(NamedTuple):
    """The sentence, and at the right end one fact about change."""

    sentence: Line
    fact: Line = ()


class InForce(NamedTuple):
    """How many entries of each kind are in force."""

    sections: int
    contexts: int
    tools: int


def count_in_force(preview: Preview) -> InForce:
    """Of one prompt."""
    kinds = preview.sections, preview.contexts, preview.tools
    return InForce(*(sum([entry.state == "effective" for entry in entries]) for entries in kinds))


class Waits(Protocol):
    """Work of a plugin that has not come back."""

    @property
    def label(self) -> str: ...
    @property
    def seconds(self) -> float: ...


def answer(
    preview: Preview,
    changed: int,
    *,
    notes: int = 0,
    troubles: Sequence[PluginTrouble] = (),
    short: bool = False,
    sizes: Sizes = CHARACTERS,
    first: Change | None = None,
    found: Line = (),
    notes_key: str = "",
    in_force: InForce | None = None,
) -> Answer:
    """What the model will read, or why it will read nothing. `notes_key` lists the notes.

    `in_force`: as counted before; of thousands of entries, not for each word around the panes.
    """
    if preview.failures:
        failed = cannot_be_sent(preview.failures)
        return failed._replace(fact=found or failed.fact)
    counts = _counts(preview, short, sizes, in_force or count_in_force(preview))
    if not counts:
        return Answer(
            (
                Piece("Nothing to read.", "strong", bold=True),
                Piece(" No section, no context and no tool is in force here."),
            )
        )
    return Answer(counts, found or _fact(changed, notes, notes_key, troubles, first, short))


def _fact(
    changed: int, notes: int, key: str, troubles: Sequence[PluginTrouble], first: Change | None, short: bool
) -> Line:
    if troubles:
        worst = min(troubles, key=lambda trouble: trouble.state != "failed")
        sign, role = sign_of(worst)
        count = sum(1 for trouble in troubles if trouble.state == worst.state)
        return Piece(f"{sign} ", role, bold=True), Piece(f"{counted(count, 'plugin')} {worst.state}", "soft")
    if first is not None:
        return change_fact(first, changed, short=short)
    if changed:
        return Piece("~ ", "changed"), Piece(f"{number(changed)} changed just now", "soft")
    if notes:
        return Piece(counted(notes, "note"), "soft"), Piece(
            f" on the file: {key}" if key else " on the file", "soft"
        )
    return ()


def past(preview: Preview, words: str, check: str, is_equal: bool, sizes: Sizes, *, short: bool = False) -> Answer:
    """What the model has read once. `short`: how it is known gives way to which step it is."""
    size = sizes.system(preview)
    sections = sum(1 for section in preview.sections if section.state == "effective")
    amount = f"{size.short} {sizes.unit_word}" if size is not None else "Nothing"
    sentence = (Piece(amount, "strong", bold=True), Piece(f" in {counted(sections, 'section')}, {words}."))
    sign: Line = (Piece("✓ ", "running"),) if is_equal else (Piece("– ", "soft"),)
    said = check.removeprefix("rebuilt from the log, ") if short else check
    return Answer(sentence, (*sign, *outside(said, "soft")))


def opening(name: str) -> Answer:
    """While a file is being opened."""
    return Answer((Piece("◐ ", "pending"), Piece("Opening ", "strong", bold=True), *outside(name), Piece(" …")))


def edit_waits(waiting: Waiting) -> Answer:
    """An edit that is not in force yet."""
    return Answer(waiting_line(waiting))


def checking() -> Answer:
    """While every rule is asked."""
    return Answer((Piece("◐ ", "pending"), Piece("Checking", "strong", bold=True), Piece(" all scopes …")))


def not_checked(error: str) -> Answer:
    """A check that gave no findings."""
    return Answer((Piece("× Not checked: ", "failed", bold=True), *outside(error.split("\n")[0])))


def refused(problems: Sequence[object], has_good_state: bool) -> Answer:
    """A file that could not be read as it stands now."""
    place, colon, what = str(problems[0]).split("\n")[0].partition(": ")
    first = f"{place.rpartition('/')[2]}{colon}{what}"  # the whole path stands with the problem itself
    more = f"1 of {len(problems)}, " if len(problems) > 1 else ""
    fact = f"{more}{'last good state stays' if has_good_state else 'nothing is loaded'}"
    return Answer((Piece("× ", "failed", bold=True), *outside(first)), (Piece(fact, "soft"),))


def broken(error: BaseException) -> Answer:
    """An error that no plugin is to blame for, as far as is known."""
    what = f"{type(error).__name__}: {error}".split("\n")[0]
    return Answer((Piece("× No preview: ", "failed", bold=True), *outside(what)))


def failed_edit(error: str) -> Answer:
    """An edit that could not be put in force at all."""
    return Answer((Piece("× The edit was not applied: ", "failed", bold=True), *outside(error.split("\n")[0])))


def waiting(what: Sequence[Waits], seconds: float) -> Answer:
    """While an assembly has not come back: who is being waited for."""
    lead = (Piece("◐ ", "pending"), Piece(f"Assembling for {seconds:.0f} s", "strong", bold=True))
    if not what:
        return Answer((*lead, Piece(" …")))
    longest = max(what, key=lambda wait: wait.seconds)
    return Answer(
        (*lead, Piece(": waiting for "), *outside(longest.label, "strong", bold=True), Piece(".")),
        (Piece("what is shown was true before", "soft"),),
    )


def cannot_be_sent(failures: Sequence[Failure]) -> Answer:
    """Why there is no request, and how much is wrong."""
    failure = failures[0]
    where = " ".join(part for part in (failure.part, failure.name) if part)
    if failure.line is not None:
        where += f", line {failure.line}"
    what = _in_a_sentence(failure)
    sentence: Line = (
        Piece("× This prompt cannot be sent: ", "failed", bold=True),
        *outside(what),
        *(outside(f" in {where}") if where else ()),
        Piece("."),
    )
    fact = (Piece(counted(len(failures), "problem"), "soft"),) if len(failures) > 1 else ()
    return Answer(sentence, fact)


def _in_a_sentence(failure: Failure) -> str:
    match failure.code:
        case "unknown":
            return "unknown variable"
        case "no value":
            return "variable without a value"
        case "malformed":
            return "malformed variable"
        case _:
            return headline(failure).rstrip(".")


def _counts(preview: Preview, short: bool, sizes: Sizes, in_force: InForce) -> Line:
    parts = [
        (sizes.system(preview), in_force.sections, "section"),
        (sizes.context(preview), in_force.contexts, "context"),
        (sizes.tools(preview), in_force.tools, "tool"),
    ]
    line: Line = ()
    for size, count, word in parts:
        if count == 0:
            continue
        where = f" in {counted(count, word)}"
        written = size.short if size is not None else "0"
        if line:
            line = (*line, Piece(f", {written}{where}"))
        else:
            unit = sizes.unit if short else sizes.unit_word
            line = (Piece(f"{written} {unit}", "strong", bold=True), Piece(where))
    return (*line, Piece(".")) if line else ()
