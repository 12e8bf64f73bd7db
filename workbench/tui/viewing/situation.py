"""What the lines around the panes say in every place: the state of what is looked at, in words."""

from __future__ import annotations

from workbench.tui.view import answer as answers
from workbench.tui.view import frame
from workbench.tui.view.details import SAVED
from workbench.tui.viewing.viewing import Viewing


def name_of(viewing: Viewing) -> str:
    """What is looked at."""
    return viewing.subject.name if viewing.subject else viewing.opening


def size_of(viewing: Viewing) -> str:
    """Of what is sent: all of it in tokens, or the system text in characters."""
    if viewing.preview is None:
        return ""
    total = viewing.sizes.request(viewing.preview)
    return "– no request" if total is None or viewing.problems else str(total)


def status_of(viewing: Viewing) -> frame.Status:
    """The worst that is the case."""
    subject = viewing.subject
    if subject is None:
        return frame.OPENING if viewing.opening else frame.NOTHING
    if viewing.past is not None:
        return frame.PAST
    if viewing.assembling.is_slow:
        return frame.busy(viewing.assembling.seconds)
    if subject.is_past:
        return frame.PAST
    if viewing.preview is None and viewing.assembling.is_running:
        return frame.OPENING
    if subject.problems:
        return frame.REFUSED
    if viewing.preview is not None and viewing.preview.failures:
        return frame.ERROR
    if subject.edits is not None and subject.edits.are_held:
        return frame.HOLDING
    return frame.LIVE if subject.is_watched else frame.STILL


def following(viewing: Viewing, reload_key: str) -> str:
    """How what is mended comes to the screen, as the end of a sentence. `reload_key`: empty when there is none."""
    subject = viewing.subject
    if subject is None or subject.edits is None:
        return "this view follows"
    if subject.is_watched:
        return SAVED
    return f"{reload_key} reads it again" if reload_key else "Reload reads it again"


def interruption(viewing: Viewing) -> answers.Answer | None:
    """What has to be said before any answer: work that goes on, an error, an edit that waits. None: nothing."""
    subject = viewing.subject
    if subject is None:
        return answers.opening(viewing.opening or "…")
    if viewing.past is not None:
        return None
    if viewing.assembling.is_slow:
        waiting = answers.waiting(subject.waiting(), viewing.assembling.seconds)
        return waiting if viewing.preview is not None else waiting._replace(fact=())
    if viewing.assembling.error is not None:
        return answers.broken(viewing.assembling.error)
    if viewing.checking.is_running:
        return answers.checking()
    if viewing.checking.error:
        return answers.not_checked(viewing.checking.error)
    if viewing.editing.error:
        return answers.failed_edit(viewing.editing.error)
    if subject.problems and not subject.is_past:
        return answers.refused(subject.problems, subject.is_loaded)
    if viewing.editing.waiting is not None:
        return answers.edit_waits(viewing.editing.waiting)
    if viewing.preview is None:
        return answers.opening(subject.name)
    return None


def facts(viewing: Viewing) -> frozenset[str]:
    """What is the case, for key hints that help only then."""
    subject = viewing.subject
    waits = viewing.editing.waiting is not None
    known = {
        "travel": viewing.past is not None,
        "failing": viewing.preview is not None and bool(viewing.preview.failures),
        "pending": waits,
        "noted": subject is not None and bool(subject.problems or subject.notes or waits),
    }
    return frozenset(fact for fact, is_so in known.items() if is_so)
