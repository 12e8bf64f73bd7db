"""Verdicts on the requests of a session, as lines for people and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.agent.log.rows import RequestRow
from workbench.agent.log.timeline import Timeline
from workbench.agent.verdicts.remarks import Remark
from workbench.agent.verdicts.verdict import ChangedPart, Verdict
from workbench.cli.output import Output, Style
from workbench.visible import visible_line

_STYLES: dict[str, Style] = {"changed": "red", "another route": "red", "shortened": "yellow"}


def verdict_lines(line: Timeline, output: Output) -> Iterator[str]:
    """A table of all requests; below each that broke the prefix where, whose it is, why, and what it costs."""
    if not line.requests:
        return
    yield output.styled(
        f"{'step':8}{'verdict':14}{'tokens':>10}{'kept':>8}{'lost':>10}{'provider cached':>17}  from", "bold"
    )
    for row in line.requests:
        verdict = row.verdict
        share = "" if verdict.share is None else f"{verdict.share:.1%}"
        lost = str(verdict.count(verdict.lost)) if verdict.lost else ""
        word = (
            output.styled(f"{verdict.word:14}", _STYLES[verdict.word])
            if verdict.word in _STYLES
            else f"{verdict.word:14}"
        )
        cached = row.usage.get("cacheReadTokens")
        theirs = f"{cached:,}" if type(cached) is int else ""
        about = visible_line(row_words(row))
        total = str(verdict.count(verdict.total))
        yield f"{row.name:8}{word}{total:>10}{share:>8}{lost:>10}{theirs:>17}  {about}".rstrip()
        if verdict.is_break:
            for each in break_lines(verdict):
                yield f"{'':8}{visible_line(each)}"


def row_words(row: RequestRow) -> str:
    """What is worth saying of any request: why its header was recorded, what is new, what failed."""
    verdict = row.verdict
    facts = []
    if row.header_reason is not None:
        changes = f" ({', '.join(row.header_changes)})" if row.header_changes else ""
        facts.append(f"header {row.header_reason}{changes}")
    if verdict.new_messages:
        facts.append(f"+ {verdict.new_messages} message{'s' if verdict.new_messages > 1 else ''}")
    if row.is_partial:
        facts.append(f"{' and '.join(sorted(row.not_recorded))} not recorded")
    if verdict.pinned:
        facts.append(f"accepted from here on: {verdict.pinned}")
    elif verdict.drift and not verdict.is_break:
        facts.append(f"still drifted: {', '.join(verdict.drift[:3])}")
    if row.failure is not None:
        facts.append(
            "failed: " + " ".join(str(row.failure[key]) for key in ("code", "message") if row.failure.get(key))
        )
    return " · ".join(facts)


def break_lines(verdict: Verdict) -> Iterator[str]:
    """Where it broke, whose it is, why, and what it costs."""
    part = verdict.part
    if part is not None:
        yield f"first {part.action}: {part_words(part)}"
        if part.key_order_only:
            yield "key order only: the content is equal, the bytes that the provider caches are not"
    yield f"cause: {verdict.cause_words}"
    yield (
        f"cost: {verdict.count(verdict.lost)} tokens cannot be reused any more, {verdict.lost_share:.1%} of the "
        f"request before; {verdict.count(verdict.kept)} are kept"
    )
    if verdict.others:
        others = ", ".join(f"{kind} {name} {action}" for action, kind, name in verdict.others[:6])
        yield f"also: {others}" + (", …" if len(verdict.others) > 6 else "")
    if verdict.equal:
        yield f"still equal: {', '.join(verdict.equal[:6])}" + (", …" if len(verdict.equal) > 6 else "")
    if verdict.drift and not verdict.pinned:
        names = ", ".join(verdict.drift[:6]) + (", …" if len(verdict.drift) > 6 else "")
        yield f"drifted from the first request, undeclared: {names}"


def part_words(part: ChangedPart) -> str:
    """A part with place and owner."""
    return f"{part.kind} {part.name} at {part.place} ({part.owner_words})"


def remark_lines(line: Timeline, output: Output) -> Iterator[str]:
    """What is worth a warning."""
    for remark in line.remarks:
        said = output.styled("warning:", "yellow")
        yield f"{said} {remark.subject}, from step {remark.step} on: {visible_line(remark.words)}"


def remark_json(remark: Remark) -> dict[str, Any]:
    """One warning."""
    return {
        "warning": remark.subject,
        "from": remark.step,
        "owners": list(remark.owners),
        "part": remark.part or None,
        "message": remark.words,
    }


def verdict_json(row: RequestRow) -> dict[str, Any]:
    """Everything about one request. Tokens are ours; `provider` is what the provider counted."""
    verdict = row.verdict
    part = verdict.part
    return {
        "name": row.name,
        "seq": row.sent.seq,
        "verdict": verdict.word,
        "isBreak": verdict.is_break,
        "tokens": {
            "label": verdict.label.value,
            "total": verdict.total,
            "kept": verdict.kept,
            "lost": verdict.lost,
            "keptShare": verdict.share,
            "lostShare": verdict.lost_share,
            **{group.name: group.tokens for group in verdict.groups},
        },
        "provider": dict(row.usage) or None,
        "firstChanged": None
        if part is None
        else {
            "kind": part.kind,
            "name": part.name,
            "action": part.action,
            "owner": None if part.owner is None else part.owner.plugin,
            "line": part.line,
            "column": part.column,
            "keyOrderOnly": part.key_order_only,
        },
        "alsoChanged": [{"action": action, "kind": kind, "name": name} for action, kind, name in verdict.others],
        "equal": list(verdict.equal),
        "causes": [{"kind": cause.kind, "words": cause.words, "seq": cause.seq} for cause in verdict.causes],
        "undeclaredDrift": verdict.is_drift,
        "notAsAgreed": list(verdict.drift),
        "agreedAnew": verdict.pinned or None,
        "headerReason": row.header_reason,
        "headerChanges": list(row.header_changes),
    }
