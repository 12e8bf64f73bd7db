"""`workbench session`: what a session log tells, and any request that its model was sent."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.cli.diagnostics import print_error, print_notes
from workbench.cli.exit_codes import ExitCode
from workbench.cli.output import Output, standard_error, standard_output

if TYPE_CHECKING:
    from workbench.agent.log import LoggedEvent, RebuiltRequest
    from workbench.config.sessions.story import Story


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the command line asks for."""

    log: str
    step: str | None
    diff: Sequence[str]
    rebuild: bool
    stats: bool
    format: str


def run(wanted: Wanted) -> ExitCode:
    """0 when the log tells what was asked; 1 for a bad line, a request that differs; 2 when it cannot be used."""
    from workbench.agent.log import LogError
    from workbench.config.sessions.story import Unusable, open_story, words_of

    output, errors = standard_output(), standard_error()
    asked = [name for name, is_asked in _asked(wanted).items() if is_asked]
    if len(asked) > 1:
        print_error(f"{asked[0]} and {asked[1]} are different questions: ask one", errors)
        return ExitCode.UNUSABLE
    if wanted.format == "openai" and wanted.step is None:
        print_error("--format openai is a request body: name its step with --step", errors)
        return ExitCode.UNUSABLE
    try:
        story = open_story(wanted.log)
    except Unusable as error:
        print_error(words_of(error, wanted.log), errors)
        return ExitCode.UNUSABLE
    with closing(story):
        try:
            code = _answer(story, wanted, output, errors)
        except LogError as error:
            print_error(words_of(error, wanted.log), errors)
            return ExitCode.FOUND
        return max(code, say_what_is_wrong(story, errors))


def _asked(wanted: Wanted) -> dict[str, bool]:
    return {
        "--step": wanted.step is not None,
        "--diff": bool(wanted.diff),
        "--rebuild": wanted.rebuild,
        "--stats": wanted.stats,
    }


def _answer(log: Story, wanted: Wanted, output: Output, errors: Output) -> ExitCode:
    if wanted.step is not None:
        return _step(log, wanted.step, wanted.format, output, errors)
    if wanted.diff:
        return _diff(log, wanted.diff, wanted.format, output, errors)
    if wanted.rebuild:
        return _rebuild(log, wanted.format, output)
    from workbench.agent.verdicts.judging import quarter

    line = log.timeline(None if wanted.stats else quarter)
    if line.broken is not None:
        print_error(line.broken, errors)
    if wanted.stats:
        from workbench.cli.formats.as_session import stats_json, stats_lines

        if wanted.format == "json":
            output.json(stats_json(line))
        else:
            output.lines(stats_lines(line, output))
    else:
        from workbench.cli.formats.as_session import timeline_json, timeline_lines

        if wanted.format == "json":
            output.json(timeline_json(line))
        else:
            output.lines(timeline_lines(line, output))
    return ExitCode.OK if line.broken is None else ExitCode.FOUND


def _step(log: Story, name: str, format: str, output: Output, errors: Output) -> ExitCode:
    rebuilt = _found(log, [name], errors)
    if rebuilt is None:
        return ExitCode.UNUSABLE
    from workbench.cli.formats.as_session_request import openai_json, print_request, request_json
    from workbench.models.errors import ModelError

    (one,) = rebuilt
    missing = " and ".join(sorted(one.header.not_recorded))
    if missing:
        print_notes([f"the log holds placeholders for {missing}, and no file beside it has the text"], errors)
    match format:
        case "json":
            output.json(request_json(one))
        case "openai":
            try:
                output.json(openai_json(one))
            except (ModelError, KeyError, TypeError, AttributeError) as error:  # blocks of foreign logs
                print_error(f"request {name} cannot be said in chat completions: {error}", errors)
                return ExitCode.FOUND
        case _:
            print_request(one, output)
    if one.mismatch is not None:
        print_error(f"request {name} is not the one that was sent: {one.mismatch}", errors)
        return ExitCode.FOUND
    return ExitCode.OK


def _diff(log: Story, names: Sequence[str], format: str, output: Output, errors: Output) -> ExitCode:
    rebuilt = _found(log, names, errors)
    if rebuilt is None:
        return ExitCode.UNUSABLE
    from workbench.cli.formats.as_session_difference import compared, difference_json, difference_lines

    before, after = rebuilt
    difference = compared(before, after, _events(log))
    if format == "json":
        output.json(difference_json(difference))
    else:
        output.lines(difference_lines(difference, output))
    return ExitCode.OK if difference.is_same else ExitCode.FOUND


def _rebuild(log: Story, format: str, output: Output) -> ExitCode:
    from workbench.agent.log import LogError, rebuild_all
    from workbench.agent.verdicts.judging import quarter
    from workbench.cli.formats.as_session import Check, checks_json, checks_lines
    from workbench.config.sessions.story import LogStory

    checks: list[Check] = []
    broken: LogError | None = None
    if isinstance(log, LogStory):
        try:
            for one in rebuild_all(log.log.events):
                checks.append(Check.of(one))
        except LogError as error:  # what stood before it is told all the same
            broken = error
    else:
        checks = [Check.of(log.rebuilt(row.sent)) for row in log.timeline(quarter).requests]
    if format == "json":
        output.json(checks_json(checks))
    else:
        output.lines(checks_lines(checks, output))
    if broken is not None:
        raise broken
    return ExitCode.FOUND if any(check.mismatch for check in checks) else ExitCode.OK


def _found(log: Story, names: Sequence[str], errors: Output) -> list[RebuiltRequest] | None:
    """The requests of these names, rebuilt; None when there is none of such a name."""
    from workbench.agent.log import sent_requests
    from workbench.agent.log.rebuild import named
    from workbench.agent.verdicts.judging import quarter
    from workbench.config.sessions.story import LogStory

    if isinstance(log, LogStory):
        sent = list(sent_requests(log.log.events))
    else:
        sent = [row.sent for row in log.timeline(quarter).requests]
    wanted = [named(sent, name) for name in names]
    for name, one in zip(names, wanted, strict=True):
        if one is None:
            known = ", ".join(each.name for each in sent[:8]) + (", …" if len(sent) > 8 else "")
            print_error(
                f"there is no request {name!r} in this log; "
                + (f"there are {known}" if known else "it tells of no request at all"),
                errors,
            )
            return None
    return [log.rebuilt(one) for one in wanted if one is not None]


def _events(log: Story) -> Sequence[LoggedEvent]:
    from workbench.config.sessions.story import LogStory

    return log.log.events if isinstance(log, LogStory) else ()


def say_what_is_wrong(story: Story, errors: Output) -> ExitCode:
    """What is wrong with the file, behind everything else. A bad line is found; what was passed over is a note."""
    from workbench.config.sessions.story import LogStory

    bad = story.log.bad if isinstance(story, LogStory) else None
    for problem in story.problems:
        if bad is not None and problem.startswith(f"{story.path}:{bad.line}: "):
            print_error(problem, errors)
        else:
            print_notes([problem], errors)
    return ExitCode.OK if bad is None else ExitCode.FOUND
