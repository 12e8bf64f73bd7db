"""Failures as views: what is wrong, where it stands, and what was probably meant.

Source: docs/prompt-assembly.md 14.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import replace

from workbench.prompt.errors import PromptError, RenderError, blamed
from workbench.prompt.owners import owner_of, owner_of_listener
from workbench.prompt.recording import Recorder
from workbench.prompt.source import Position, line_and_column
from workbench.prompt.views import Failure, Owner


def render_failure(error: RenderError, text: str, owner: Owner, place: Callable[[int], Position | None]) -> Failure:
    """A reference that cannot be resolved. `place` maps offsets of the raw text to positions in files."""
    line, column = line_and_column(text, error.offset)
    return Failure(
        stage="render",
        code=error.code,
        message=str(error),
        part=error.part,
        name=error.name,
        owner=owner,
        group=error.group,
        offset=error.offset,
        length=len(error.group),
        line=line,
        column=column,
        position=place(error.offset),
        suggestion=_suggestion(error),
        known=error.known,
    )


def assemble_failure(error: BaseException, recorder: Recorder) -> Failure:
    """What made an assembly fail, with the owner of the code that raised."""
    failure = Failure(
        stage="assemble",
        code=error.code if isinstance(error, PromptError) else "raised",
        message=str(error) or type(error).__name__,
        part="",
        name="",
        owner=None,
    )
    contribution = blamed(error)
    if contribution is not None:
        place = contribution.place()
        return replace(
            failure,
            part=contribution.kind,
            name=contribution.name,
            owner=owner_of(contribution),
            position=raised_at(error) or (None if place is None else place.position("", 0)),
        )
    raised = next(
        (
            notes.record
            for notes in recorder.listeners
            if notes.record.outcome == "raised" and notes.record.error is error
        ),
        None,
    )
    if raised is not None:
        return replace(
            failure,
            part="listener",
            name=raised.label,
            owner=owner_of_listener(raised.listener),
            position=raised_at(error),
        )
    return failure


def raised_at(error: BaseException) -> Position | None:
    """The innermost line of code that an exception came from."""
    trace = error.__traceback__
    if trace is None:
        return None
    while trace.tb_next is not None:
        trace = trace.tb_next
    return Position(trace.tb_frame.f_code.co_filename, trace.tb_lineno, 1)


def _suggestion(error: RenderError) -> str:
    wanted = error.group.strip("{} \t\n").lower().replace("-", "_").replace(".", "_")
    others = [name for name in error.known if name != wanted]
    near = difflib.get_close_matches(wanted, others, n=1, cutoff=0.5) if error.code != "no value" else []
    return near[0] if near else ""
