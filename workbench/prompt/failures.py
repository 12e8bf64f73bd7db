"""Failures as views: what is wrong, where it stands, and what was probably meant.

Source: docs/prompt-assembly.md 14.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from traceback import walk_tb
from types import CodeType

from workbench.core import CoreError
from workbench.prompt.assembly import PromptAssembly
from workbench.prompt.errors import PromptError, RenderError, blamed, in_words
from workbench.prompt.owners import owner_of, owner_of_listener
from workbench.prompt.recording import Recorder
from workbench.prompt.rendering import render_context_snapshot, render_prompt
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
        suggestion=error.suggestion,
        known=error.known,
    )


def assemble_failure(error: BaseException, recorder: Recorder) -> Failure:
    """What made an assembly fail, with the owner of the code that raised."""
    failure = Failure(
        stage="assemble",
        code=error.code if isinstance(error, PromptError) else "raised",
        message=in_words(error),
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
            position=raised_at(error, contribution.provider_code())
            or (None if place is None else place.position("", 0)),
        )
    raised = next(
        (
            record
            for record in recorder.records
            if record.outcome == "raised" and record.error in (error, error.__cause__)
        ),
        None,
    )
    if raised is not None:
        return replace(
            failure,
            part="listener",
            name=raised.label,
            owner=owner_of_listener(raised.listener),
            position=raised_at(error, getattr(raised.listener.function, "__code__", None)),
        )
    return failure


def request_failures(assembly: PromptAssembly, told: Sequence[Failure]) -> list[Failure]:
    """What else would keep a request from being made: entries and tools that a listener has made none."""
    failures: list[Failure] = []
    messages = [failure.message for failure in told]
    parts: tuple[tuple[str, Callable[[], object]], ...] = (
        ("section", lambda: render_prompt(assembly)),
        ("context", lambda: render_context_snapshot(assembly)),
        ("tools", lambda: assembly.tools_json),
    )
    for part, made in parts:
        try:
            made()
        except Exception as error:
            message = in_words(error)
            if message not in messages:
                code = error.code if isinstance(error, PromptError) else "raised"
                failures.append(Failure("render", code, message, part=part, name="", owner=None))
    return failures


def raised_at(error: BaseException, code: CodeType | None = None) -> Position | None:
    """The line that an exception came from: the innermost one of the file that `code` stands in, if any."""
    if isinstance(error, CoreError) and error.__cause__ is not None:
        error = error.__cause__  # a bare BaseException that was made an ordinary error
    places = [Position(frame.f_code.co_filename, line, 1) for frame, line in walk_tb(error.__traceback__)]
    own = [place for place in places if code is not None and place.file == code.co_filename]
    return next(reversed(own or places), None)
