"""`workbench cache`: what a session has cost the prefix cache, in a few lines, with a limit that fails."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.cli.diagnostics import print_error
from workbench.cli.exit_codes import ExitCode
from workbench.cli.output import Output, standard_error, standard_output
from workbench.cli.session import say_what_is_wrong
from workbench.visible import visible_line

if TYPE_CHECKING:
    from workbench.agent.log.rows import RequestRow
    from workbench.agent.log.timeline import Timeline

_SIGNS = ("", "≈", "~")
FAILING = ("changed", "drift", "route", "shortened", "warning")
"""What `--fail-on` may name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the command line asks for."""

    log: str
    max_lost: str | None
    fail_on: Sequence[str]
    format: str


def run(wanted: Wanted) -> ExitCode:
    """0 within the limits; 1 beyond them, or a bad line; 2 when the log cannot be used."""
    from workbench.agent.log import LogError
    from workbench.config.sessions.story import Unusable, open_story, words_of

    output, errors = standard_output(), standard_error()
    limit = _percent(wanted.max_lost)
    unknown = [word for word in wanted.fail_on if word not in FAILING]
    if unknown or (wanted.max_lost is not None and limit is None):
        what = (
            f"--fail-on {unknown[0]}: known are {', '.join(FAILING)}"
            if unknown
            else f"--max-lost {wanted.max_lost}: a number from 0 to 100 was expected, such as 10%"
        )
        print_error(what, errors)
        return ExitCode.UNUSABLE
    try:
        story = open_story(wanted.log)
    except Unusable as error:
        print_error(words_of(error, wanted.log), errors)
        return ExitCode.UNUSABLE
    with closing(story):
        try:
            line = story.timeline()
        except LogError as error:
            print_error(words_of(error, wanted.log), errors)
            return ExitCode.FOUND
        summary = Summary.of(line)
        failures = list(_failures(summary, limit, wanted.fail_on))
        if line.broken is not None:
            failures.append(line.broken)
        if wanted.format == "json":
            output.json(_json(summary, failures))
        else:
            output.lines(_lines(summary, output))
        for failure in failures:
            print_error(failure, errors)
        return max(ExitCode.FOUND if failures else ExitCode.OK, say_what_is_wrong(story, errors))


@dataclass(frozen=True, slots=True)
class Summary:
    """A session, as far as a prefix cache is concerned."""

    line: Timeline
    sent: int
    """Tokens of all requests; `could` were in the request before each, and `lost` of them were not reusable."""
    could: int
    lost: int
    sign: str
    """Before a number of tokens, so that an estimate is read as one."""
    provider: dict[str, int]
    """What the provider says of the same requests."""

    @classmethod
    def of(cls, line: Timeline) -> Summary:
        provider: Counter[str] = Counter()
        sent = could = lost = 0
        sign = ""
        for row in line.requests:
            sent, could, lost = sent + row.verdict.total, could + row.verdict.before, lost + row.verdict.lost
            sign = max(sign, row.verdict.label.sign, key=_SIGNS.index)
            for key in ("inputTokens", "cacheReadTokens"):
                if type(row.usage.get(key)) is int:
                    provider[key] += row.usage[key]
        return cls(line, sent, could, lost, sign, dict(provider))

    @property
    def breaks(self) -> Iterator[RequestRow]:
        """The requests that broke the prefix, in order."""
        return (self.line.requests[index] for index in self.line.requests.breaks)

    @property
    def lost_share(self) -> float:
        """Of what stood in the request before each, the part that could not be reused, 0 to 1."""
        return self.lost / self.could if self.could else 0.0


def _failures(summary: Summary, limit: float | None, fail_on: Sequence[str]) -> Iterator[str]:
    if limit is not None and summary.lost_share * 100 > limit:
        yield f"{summary.lost_share:.1%} of what could have been reused was lost, and {limit:g} % is the limit"
    wanted = set(fail_on)
    for row in summary.line.requests:
        verdict = row.verdict
        part = (
            ""
            if verdict.part is None
            else f": {verdict.part.kind} {verdict.part.name} of {verdict.part.owner_words}"
        )
        if verdict.word == "changed" and ("changed" in wanted or ("drift" in wanted and verdict.is_drift)):
            yield f"step {row.name} changed the prefix{part}; {verdict.cause_words}"
        elif verdict.word == "another route" and "route" in wanted:
            yield f"step {row.name} went another route"
        elif verdict.word == "shortened" and "shortened" in wanted:
            yield f"step {row.name} was shortened"
    if "warning" in wanted:
        for remark in summary.line.remarks:
            yield f"{remark.subject}, from step {remark.step} on: {remark.words}"


def _lines(summary: Summary, output: Output) -> Iterator[str]:
    from workbench.cli.formats.as_verdicts import break_lines, remark_lines

    rows, count = summary.line.requests, len(summary.line.requests.breaks)
    yield output.styled(f"{count} cache break{'' if count == 1 else 's'} in {len(rows)} requests", "bold")
    sign = summary.sign
    yield (
        f"{sign}{summary.lost:,} of {sign}{summary.could:,} tokens that could have been reused were not "
        f"({summary.lost_share:.1%}): our own count of what the requests say"
    )
    if "cacheReadTokens" in summary.provider:
        read, fresh = summary.provider["cacheReadTokens"], summary.provider.get("inputTokens", 0)
        share = read / (read + fresh) if read + fresh else 0.0
        yield f"the provider counted {read:,} cached and {fresh:,} other input tokens ({share:.1%} cached)"
    for row in summary.breaks:
        yield ""
        yield output.styled(f"step {row.name}: {row.verdict.word}", "red")
        for each in break_lines(row.verdict):
            yield f"  {visible_line(each)}"
    if summary.line.remarks:
        yield ""
        yield from remark_lines(summary.line, output)


def _json(summary: Summary, failures: Sequence[str]) -> Iterator[str]:
    from workbench.cli.formats.as_verdicts import remark_json, verdict_json
    from workbench.cli.formats.json_pieces import json_pieces

    document: dict[str, Any] = {
        "format": 1,
        "ok": not failures,
        "failures": list(failures),
        "requests": len(summary.line.requests),
        "breaks": (verdict_json(row) for row in summary.breaks),
        "tokens": {
            "label": {"": "exact", "≈": "close", "~": "estimate"}[summary.sign],
            "sent": summary.sent,
            "reusable": summary.could,
            "lost": summary.lost,
            "lostShare": summary.lost_share,
        },
        "provider": summary.provider or None,
        "warnings": [remark_json(remark) for remark in summary.line.remarks],
    }
    return json_pieces(document)


def _percent(written: str | None) -> float | None:
    """A share in percent; None for none, and for what is none."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*%?", written.strip()) if written is not None else None
    value = float(found[1]) if found is not None else None
    return value if value is not None and value <= 100 else None
