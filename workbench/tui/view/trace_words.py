"""What a trace means, in sentences: the answer of the place, and the consequence of each stage and listener."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from workbench.prompt.growth import Growth
from workbench.prompt.listener_words import ListenerChange
from workbench.prompt.repeats import Repeat, RepeatPlace
from workbench.prompt.trace import ListenerSpan
from workbench.prompt.views import Owner, Preview
from workbench.tui.view.answer import Answer, cannot_be_sent
from workbench.tui.view.file_place import with_place
from workbench.tui.view.pieces import OWNER_ROLES, Line, Piece, cut, cut_text, outside
from workbench.tui.view.sizes import counted, number
from workbench.tui.view.trace import Marks, failed_stage, is_order_ignored, label_of
from workbench.tui.view.trace_lines import milliseconds

MOST_REPEATS: Final = 20
"""Texts that stand twice, of which is told."""


def trace_answer(preview: Preview, marks: Marks, fact: Line = ()) -> Answer:
    """How it came to be: what a person should act on first, else who changed it."""
    trace = preview.trace
    if preview.failures and trace.error is None:
        return cannot_be_sent(preview.failures)._replace(fact=fact)
    took = (Piece(f"Assembled in {milliseconds(trace.duration_ns)} ms. ", "strong", bold=True),)
    stage = failed_stage(preview)
    if stage is not None:
        lead = (Piece(f"× The assembly failed in “{stage}”: ", "failed", bold=True),)
        return Answer((*lead, *outside((trace.error or "").split("\n")[0])), fact)
    for said in (_ended(preview), _growth(marks.growth), _repeats(marks.repeats), _ignored(preview)):
        if said:
            return Answer((*took, *said), fact)
    return Answer((*took, *_listeners(preview)), fact)


def _listeners(preview: Preview) -> Line:
    listeners = preview.trace.listeners
    if not listeners:
        return (Piece("No listener ran: the waterfall is empty."),)
    changing = [listener for listener in listeners if listener.changes]
    ran = f"{counted(len(listeners), 'listener')} ran"
    if not changing:
        return (Piece(f"{ran}, and changed nothing."),)
    if len(changing) == 1:
        of = changing[0]
        return Piece(f"{ran}; "), *_label(of), Piece(" changed it.")
    return (Piece(f"{ran}, {number(len(changing))} changed it."),)


def _ended(preview: Preview) -> Line:
    """A listener that kept others out."""
    missed = preview.trace.not_reached
    ender = ender_of(preview)
    if not missed or ender is None:
        return ()
    how = _HOW.get(ender.outcome, "did not call next")
    return (
        Piece("× ", "failed", bold=True),
        *_label(ender),
        Piece(f" {how}: {counted(len(missed), 'listener')} never ran."),
    )


_HOW: Final = {"raised": "raised", "not awaited": "did not await next"}


def _label(listener: ListenerSpan) -> Line:
    """Its name, and never so long that what is said of it does not fit."""
    return cut(outside(label_of(listener), "strong", bold=True), LONGEST_NAME)


LONGEST_NAME: Final = 32


def ender_of(preview: Preview) -> ListenerSpan | None:
    """The listener behind which nothing ran: the last one that was reached."""
    reached = [listener for listener in preview.trace.listeners if listener.outcome != "skipped"]
    return reached[-1] if reached else None


def _growth(growth: Growth | None) -> Line:
    if growth is None:
        return ()
    return Piece("~ ", "changed", bold=True), *growth_words(growth)


def growth_words(growth: Growth) -> Line:
    """`It grows at every step, by 1,204 characters now: keep-kit and tail-kit.`"""
    steps = growth.steps
    line: Line = (
        Piece("It grows at every step", "strong", bold=True),
        Piece(f", by {number(steps[-1])} characters now: "),
    )
    for index, grower in enumerate(growth.growers):
        if index:
            line = (*line, Piece(" and " if index == len(growth.growers) - 1 else ", "))
        line = (*line, *outside(grower.owner.plugin, OWNER_ROLES.get(grower.owner.kind, "owner-plugin")))
    return (*line, Piece("."))


def growth_lines(growth: Growth) -> list[Line]:
    """The same step by step, and what each owner adds."""
    steps = ", ".join(f"+{number(step)}" for step in growth.steps[-8:])
    lines: list[Line] = [
        growth_words(growth),
        (
            Piece(f"{number(growth.sizes[0])} to {number(growth.sizes[-1])} characters in "),
            Piece(f"{counted(len(growth.steps), 'step')}: {steps}", "soft"),
        ),
    ]
    for grower in growth.growers:
        who = outside(grower.owner.plugin, OWNER_ROLES.get(grower.owner.kind, "owner-plugin"))
        what = "a listener" if grower.is_listener else "its own entries"
        first, last = grower.sizes[0], grower.sizes[-1]
        how = f"from {number(first)} to {number(last)}" if grower.grows else f"{number(last)} every time"
        lines.append((Piece("  "), *who, Piece(f"  {what}: "), Piece(how)))
    return lines


def _repeats(repeats: Sequence[Repeat]) -> Line:
    if not repeats:
        return ()
    total = sum(repeat.characters for repeat in repeats)
    first, second = _two_places(repeats[0])
    return (
        Piece("~ ", "changed", bold=True),
        Piece("It repeats itself", "strong", bold=True),
        Piece(f", {number(total)} characters: "),
        *outside(first.name),
        Piece(" and "),
        *outside(second.name),
        Piece("."),
    )


def _two_places(repeat: Repeat) -> tuple[RepeatPlace, RepeatPlace]:
    """The first one, and the next by another owner or in another entry if there is one."""
    first = repeat.places[0]
    others = [place for place in repeat.places[1:] if (place.name, place.owner) != (first.name, first.owner)]
    return first, (others or list(repeat.places[1:]))[0]


def repeat_lines(repeat: Repeat) -> list[Line]:
    """The words, and each place with its owner."""
    words = repeat.text if len(repeat.text) <= 72 else repeat.text[:71] + "…"
    more = f", {repeat.pieces:,} such pieces" if repeat.pieces > 1 else ""
    lines: list[Line] = [
        (
            Piece("~ ", "changed", bold=True),
            Piece("“", "soft"),
            *outside(words),
            Piece("”", "soft"),
            Piece(f"  {number(repeat.characters)} characters again{more}", "soft"),
        )
    ]
    there: dict[tuple[str, str, Owner], list[RepeatPlace]] = {}
    for place in repeat.places:
        there.setdefault((place.kind, place.name, place.owner), []).append(place)
    for (kind, name, owner), places in list(there.items())[:MOST_PLACES]:
        role = OWNER_ROLES.get(owner.kind, "owner-plugin")
        again = f", and {counted(len(places) - 1, 'time')} more" if len(places) > 1 else ""
        lines.append(
            (
                Piece(f"    {kind} "),
                *outside(name, role),
                Piece(" by "),
                *outside(owner.plugin, role),
                Piece(f", line {number(places[0].line)}{again}", "soft"),
            )
        )
    if len(there) > MOST_PLACES:
        lines.append((Piece(f"    and {number(len(there) - MOST_PLACES)} more places", "soft"),))
    return lines


MOST_PLACES: Final = 6


def _ignored(preview: Preview) -> Line:
    for listener in preview.trace.listeners:
        for change in listener.changes:
            if is_order_ignored(change):
                return (
                    Piece("∅ ", "pending", bold=True),
                    *_label(listener),
                    Piece(" set an order that nobody reads: "),
                    *outside(change.name),
                    Piece(" stands where it was put."),
                )
    return ()


def consequence(listener: ListenerSpan, preview: Preview) -> Line:
    """What follows from how it treated `next`."""
    missed = preview.trace.not_reached
    who = _names(missed)
    match listener.outcome:
        case "short-circuited":
            if not missed:
                return (Piece("It returned an assembly without calling next; no listener stood behind it."),)
            return (Piece("It returned an assembly without calling next, so "), *who, Piece(" never ran."))
        case "not awaited":
            lead = Piece("It called next and neither awaited nor returned it, which runs nothing")
            return (lead, *((Piece(": "), *who, Piece(" never ran.")) if missed else (Piece("."),)))
        case "raised":
            went_on = preview.trace.error is None
            words = (
                "It raised, and a listener further out went on without it: "
                if went_on
                else "It raised, and so there is no prompt: "
            )
            return (Piece(words), *outside((listener.error or "").split("\n")[0], "failed"))
        case "skipped":
            return (Piece("It was stopped before its turn came, and was passed over."),)
        case "not reached":
            return _why_not_reached(preview)
        case "passed":
            return (Piece(_passed(listener)),)


def remedy(listener: ListenerSpan, preview: Preview) -> str:
    """What its author would do; empty where nothing is wrong."""
    if listener.outcome == "not awaited" or (listener.outcome == "short-circuited" and preview.trace.not_reached):
        return "If it does not mean to keep the others out: return await next()"
    return ""


def _why_not_reached(preview: Preview) -> Line:
    ender = ender_of(preview)
    if ender is None:
        return (Piece("It never ran."),)
    verb = _HOW.get(ender.outcome, "did not call next")
    return (
        Piece("It never ran: "),
        *_label(ender),
        Piece(" of "),
        *outside(ender.owner.plugin, OWNER_ROLES.get(ender.owner.kind, "owner-plugin")),
        Piece(f", in front of it, {verb}."),
    )


def _passed(listener: ListenerSpan) -> str:
    before = sum(1 for change in listener.changes if change.phase == "before next")
    after = len(listener.changes) - before
    twice = ""
    if listener.next_calls > 1:
        twice = f" {listener.next_calls} times: the first call ran the rest, each later one what was left of it"
    if not listener.changes:
        return f"It called next{twice}, and changed nothing."
    parts = []
    if before:
        parts.append(f"{counted(before, 'change')} before it")
    if after:
        parts.append(f"{counted(after, 'change')} to what came back")
    return f"It called next{twice}; it made {' and '.join(parts)}."


def _names(listeners: Sequence[ListenerSpan]) -> Line:
    line: Line = ()
    for index, listener in enumerate(listeners[:2]):
        if index:
            line = (*line, Piece(" and " if len(listeners) == 2 else ", "))
        role = OWNER_ROLES.get(listener.owner.kind, "owner-plugin")
        line = (
            *line,
            *_label(listener),
            Piece(" of "),
            *outside(listener.owner.plugin, role),
        )
    if len(listeners) > 2:
        line = (*line, Piece(f" and {number(len(listeners) - 2)} more"))
    return line


def seen_words(position: int, newest: int, scope: str, follows: bool, *, short: bool) -> Line:
    """Which of the assemblies that were made is shown."""
    if follows and short:
        return ()
    words = f"assembly {number(position)}" if follows else f"assembly {number(position)} of {number(newest)}"
    line: Line = (Piece(words, "soft"),)
    if not short:
        line = (*line, Piece(", scope ", "soft"), *outside(scope, "soft"))
    return line if follows else (Piece("◂ ", "pending", bold=True), *line)


def found_words(query: str, hit: ListenerChange | None, preview: Preview, count: tuple[int, int]) -> Line:
    """Who put the words in or took them out."""
    quoted: Line = (Piece("“"), *outside(cut_text(query, 30)), Piece("”"))
    if hit is None:
        missed = preview.trace.not_reached
        never = f" {counted(len(missed), 'listener')} never ran." if missed else ""
        in_it = any(query in text for text in (preview.system, preview.context) if text)
        where = " It is in the prompt as it was registered." if in_it else ""
        lead = Piece("No listener", "strong", bold=True)
        return (lead, Piece(" put in or took out "), *quoted, Piece(f".{where}{never}"))
    listener, change = hit.listener, hit.change
    role = OWNER_ROLES.get(listener.owner.kind, "owner-plugin")
    more = f" ({count[0] + 1} of {count[1]})" if count[1] > 1 else ""
    return (
        Piece("+ " if hit.wrote else "− ", "added" if hit.wrote else "removed", bold=True),
        *_label(listener),
        Piece(" of "),
        *outside(listener.owner.plugin, role),
        Piece(" put in " if hit.wrote else " took out "),
        *quoted,
        Piece(f" in {change.kind} "),
        *outside(change.name),
        Piece(f"{more}."),
    )


def missed_lines(listener: ListenerSpan, since: str, width: int) -> list[Line]:
    """A listener that did not run. `since`: when it last did."""
    role = OWNER_ROLES.get(listener.owner.kind, "owner-plugin")
    words: Line = (
        Piece("– ", "soft", bold=True),
        *cut(outside(label_of(listener)), max(16, width // 3)),
        Piece("  listener of ", "soft"),
        *cut(outside(listener.owner.plugin, role), max(16, width // 3)),
    )
    behind: Line = (Piece(f"; {since}", "soft"),) if since else ()
    return with_place(words, listener.source, width, behind=behind)
