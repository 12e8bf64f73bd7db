"""A session log as lines for people and as JSON for programs: its timeline, its figures, its rebuilt requests."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from workbench.agent.log import Divergence, RebuiltRequest
from workbench.agent.log.rows import RequestRow, TurnRow
from workbench.agent.log.timeline import Timeline
from workbench.cli.formats.json_pieces import json_pieces
from workbench.cli.output import Output, Style
from workbench.visible import visible_line

_STYLES: dict[str, Style] = {"changed": "red", "another route": "red", "shortened": "yellow"}
_COUNTED = ("inputTokens", "cacheReadTokens", "cacheWriteTokens", "outputTokens", "reasoningTokens")
_LINE = 60
"""Characters of a text that a line of the timeline shows."""


def timeline_lines(line: Timeline, output: Output) -> Iterator[str]:
    """The session, its turns and their requests."""
    yield from _header_lines(line)
    for turn in line.turns:
        yield ""
        opened_by = visible_line(_short(turn.opened_by))
        seed = " · from the parent" if turn.is_seed else ""
        yield output.styled(f"turn {turn.number}", "bold") + (f" · {opened_by}" if opened_by else "") + seed
        for row in line.requests_of(turn):
            yield from _request_lines(row, output)
        yield f"  {_ending(turn)}"


def _header_lines(line: Timeline) -> Iterator[str]:
    header = line.header
    facts = [f"session {header.id}"]
    if header.created_at:
        facts.append(_time(header.created_at))
    if header.cwd is not None:
        facts.append(header.cwd)
    requests = len(line.requests)
    facts += [_counted(line.length, "event"), _counted(len(line.turns), "turn"), _counted(requests, "request")]
    yield visible_line(" · ".join(facts))
    if header.parent_session is not None:
        facts = [f"child of {header.parent_session}"]
        if header.origin is not None:
            facts.append(header.origin)
        facts.append(f"depth {header.delegation_depth}")
        if header.seed_length:
            facts.append(f"its first {_counted(header.seed_length, 'event')} copied")
        yield visible_line(" · ".join(facts))


def _time(milliseconds: int) -> str:
    try:
        return f"{datetime.fromtimestamp(milliseconds / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (OverflowError, ValueError, OSError):
        return f"{milliseconds} ms"


def _request_lines(row: RequestRow, output: Output) -> Iterator[str]:
    config = row.config
    route = visible_line(f"{config.provider}/{config.model}")
    facts = [route, _counted(row.message_count, "message"), f"{row.byte_length:,} bytes" + "+" * row.is_partial]
    facts += [_usage(row.usage)] if row.usage else []
    shown = "not recorded" if row.divergence is None else row.divergence.shown
    word = output.styled(f"{shown:13}", _STYLES[shown]) if shown in _STYLES else f"{shown:13}"
    yield f"  {row.name:7} {word} {' · '.join(facts)}"
    if row.divergence is not None and (row.divergence.is_break or row.divergence.logged_cause):
        yield f"          {visible_line(_sentence(row.divergence))}"
    if row.failure is not None:
        yield f"          failed: {visible_line(_failure(row.failure))}"
    answer = [f"calls {', '.join(row.tool_calls)}"] if row.tool_calls else []
    answer += [_short(row.text)] if row.text else []
    answer += ["interrupted"] if row.is_interrupted else []
    if answer:
        yield f"          {visible_line(' · '.join(answer))}"


def _sentence(found: Divergence) -> str:
    """Where the prefix broke, what is kept, and what the log says of it."""
    cause = f"; {found.logged_cause}" if found.logged_cause else ""
    if found.kind == "route":
        return f"nothing is reused: another route{cause}"
    if not found.is_break:
        return found.logged_cause or ""
    about = "about " if found.is_estimate else ""
    return (
        f"{found.segment} differs at byte {found.byte_offset:,}: "
        f"{about}{found.reused_tokens:,} tokens are reused{cause}"
    )


def _ending(turn: TurnRow) -> str:
    if turn.reason is None:
        return "open"
    kind = str(turn.reason.get("kind", "ended"))
    error = turn.reason.get("error")
    if isinstance(error, dict):
        return visible_line(f"{kind}: {_failure(error)}")
    why = turn.reason.get("reason")
    if isinstance(why, dict) and why.get("kind"):
        return visible_line(f"{kind} ({why['kind']})")
    return visible_line(kind)


def _failure(failure: dict[str, Any]) -> str:
    return " ".join(str(failure[key]) for key in ("code", "message") if failure.get(key))


def _usage(usage: dict[str, Any]) -> str:
    cached = usage.get("cacheReadTokens")
    kept = f" + {cached:,} cached" if isinstance(cached, int) else ""
    return f"{_number(usage.get('inputTokens'))}{kept} in, {_number(usage.get('outputTokens'))} out"


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else "?"


def timeline_json(line: Timeline) -> Iterator[str]:
    """Everything that the timeline knows, in pieces."""
    turns = (
        {
            "turn": turn.number,
            "seq": turn.seq,
            "time": turn.time,
            "fromSeed": turn.is_seed,
            "openedBy": turn.opened_by,
            "steps": turn.steps,
            "reason": turn.reason,
            "requests": [_row_json(row) for row in line.requests_of(turn)],
        }
        for turn in line.turns
    )
    return json_pieces({"format": 1, "session": line.header.to_json(), "events": line.length, "turns": turns})


def _row_json(row: RequestRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "seq": row.sent.seq,
        "turn": row.sent.turn,
        "step": row.sent.step,
        "attempt": row.sent.attempt,
        "headerSeq": row.sent.header_seq,
        "headerReason": row.header_reason,
        "headerChanges": list(row.header_changes),
        "config": row.config.to_json(),
        "notRecorded": sorted(row.not_recorded),
        "messageCount": row.message_count,
        "bytes": row.byte_length,
        "digest": row.sent.digest,
        "time": row.time,
        "divergence": None if row.divergence is None else divergence_json(row.divergence),
        "usage": row.usage,
        "finish": row.finish,
        "failure": row.failure,
        "toolCalls": list(row.tool_calls),
        "text": row.text,
        "interrupted": row.is_interrupted,
    }


def divergence_json(found: Divergence) -> dict[str, Any]:
    """All fields of a divergence."""
    return {
        "kind": found.kind,
        "shown": found.shown,
        "isBreak": found.is_break,
        "byteOffset": found.byte_offset,
        "charOffset": found.char_offset,
        "segment": found.segment,
        "segmentStart": found.segment_start,
        "reusedTokens": found.reused_tokens,
        "isEstimate": found.is_estimate,
        "loggedCause": found.logged_cause,
    }


# -- figures ---------------------------------------------------------------------------------------


def stats_json(line: Timeline) -> Iterator[str]:
    """The figures of a session, in pieces."""
    from workbench.cli.formats.as_verdicts import remark_json, verdict_json

    steps = (verdict_json(row) for row in line.requests)
    remarks = [remark_json(remark) for remark in line.remarks]
    return json_pieces({"format": 1, **_stats(line), "requestsByStep": steps, "warnings": remarks})


def stats_lines(line: Timeline, output: Output) -> Iterator[str]:
    """The same for people: every request with its verdict, what is worth a warning, then sums."""
    from workbench.cli.formats.as_verdicts import remark_lines, verdict_lines

    yield from verdict_lines(line, output)
    yield from remark_lines(line, output)
    if line.requests or line.remarks:
        yield ""
    stats = _stats(line)
    for key in ("events", "turns", "steps", "requests", "retries", "failures", "replacements"):
        yield f"{key:22}{stats[key]:>12,}"
    for heading, key in (
        ("turns that ended", "endings"),
        ("prefix", "prefix"),
        ("tokens", "tokens"),
        ("events", "types"),
    ):
        if stats[key]:
            yield ""
            yield heading
            for name, count in stats[key].items():
                yield f"  {visible_line(name):30}{count:>12,}"


def _stats(line: Timeline) -> dict[str, Any]:
    shown: Counter[str] = Counter()
    causes: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    retries = failures = 0
    for row in line.requests:
        found = row.divergence
        shown["not recorded" if found is None else found.shown] += 1
        if found is not None and found.is_break:
            causes[f"{found.kind} break"] += 1
        tokens.update({key: row.usage[key] for key in _COUNTED if isinstance(row.usage.get(key), int)})
        retries += row.sent.attempt > 1
        failures += row.failure is not None
    steps, endings = 0, Counter[str]()
    for turn in line.turns:
        steps += turn.steps
        endings["open" if turn.reason is None else str(turn.reason.get("kind"))] += 1
    return {
        "events": line.length,
        "turns": len(line.turns),
        "steps": steps,
        "requests": len(line.requests),
        "retries": retries,
        "failures": failures,
        "replacements": line.replacements,
        "endings": dict(endings),
        "prefix": {**shown, **causes},
        "tokens": {key: tokens[key] for key in _COUNTED if key in tokens},
        "types": dict(sorted(line.counts.items())),
    }


# -- rebuilt requests ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Check:
    """One request that was made again."""

    name: str
    seq: int
    messages: int
    digest: str
    is_recorded: bool
    """The log says what its digest was."""
    mismatch: str | None
    not_recorded: tuple[str, ...]

    @classmethod
    def of(cls, rebuilt: RebuiltRequest) -> Check:
        sent = rebuilt.sent
        return cls(
            sent.name,
            sent.seq,
            len(rebuilt.messages),
            rebuilt.digest,
            sent.digest is not None,
            rebuilt.mismatch,
            tuple(sorted(rebuilt.header.not_recorded)),
        )

    @property
    def word(self) -> str:
        if self.mismatch is not None:
            return "DIFFERS"
        return "equal" if self.is_recorded else "rebuilt"


def checks_lines(checks: Sequence[Check], output: Output) -> Iterator[str]:
    """Each request, and whether it is the one that was sent."""
    for check in checks:
        word = output.styled(f"{check.word:8}", "red") if check.mismatch else f"{check.word:8}"
        missing = f" · without {' and '.join(check.not_recorded)}" if check.not_recorded else ""
        why = f" · {visible_line(check.mismatch)}" if check.mismatch else ""
        yield f"{check.name:8}{word}{check.digest[:16]}  {_counted(check.messages, 'message')}{missing}{why}"
    counts = Counter(check.word for check in checks)
    parts = [f"{count} {word}" for word, count in sorted(counts.items(), key=lambda each: each[0].lower())]
    yield f"{_counted(len(checks), 'request')}" + (f": {', '.join(parts)}" if parts else "")


def checks_json(checks: Sequence[Check]) -> str:
    """The same for programs."""
    document = {
        "format": 1,
        "equal": not any(check.mismatch for check in checks),
        "requests": [
            {
                "name": check.name,
                "seq": check.seq,
                "result": check.word.lower(),
                "digest": check.digest,
                "messageCount": check.messages,
                "notRecorded": list(check.not_recorded),
                "mismatch": check.mismatch,
            }
            for check in checks
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=2)


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _short(text: str) -> str:
    line = text.strip().split("\n", 1)[0]
    return line if len(line) <= _LINE else f"{line[: _LINE - 1]}…"
