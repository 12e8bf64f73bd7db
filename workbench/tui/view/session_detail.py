"""What is said of one request: where the prefix broke, why, what it cost, and the first difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.agent.log.rows import RequestRow, TurnRow
from workbench.agent.log.timeline import Timeline
from workbench.agent.verdicts.parts import WHOLE
from workbench.agent.verdicts.verdict import ChangedPart, Verdict
from workbench.tui.session_feed import Talk
from workbench.tui.view.detail_rows import WIDEST, Block, Detail
from workbench.tui.view.difference import Form, TextDifference, owner_band
from workbench.tui.view.entries import EntryKey
from workbench.tui.view.panel import wrapped
from workbench.tui.view.pieces import OWNER_ROLES, Line, Piece, Role, outside, spread
from workbench.tui.view.prefix_line import Segment, labels_line, prefix_line, segment_cells
from workbench.tui.view.session import clock
from workbench.tui.view.session_rows import StepRow
from workbench.tui.view.sizes import counted, number

_LABEL = 10
"""Cells of a label."""


def step_detail(
    row: StepRow,
    turn: TurnRow | None,
    timeline: Timeline,
    width: int,
    *,
    blanks: bool,
    difference: TextDifference | None,
    schema: Sequence[str] = (),
    talk: Talk | None = None,
) -> Detail:
    """Of one request. `difference`: of the part that changed first; `schema`: how a tool's schema changed."""
    request = row.request
    assert request is not None
    verdict = request.verdict
    blocks: list[Block] = [Block(list(_head(row, verdict, turn, width, blanks)))]
    blocks.append(Block(list(_facts(request, verdict, width))))
    part = verdict.part
    if part is not None:
        blocks += _difference(part, width, blanks, difference, schema)
    if verdict.others:
        blocks.append(Block([*_gap(blanks), *_others(verdict, width)]))
    is_last = turn is not None and timeline.is_last_of(turn, request)
    blocks.append(Block([*_gap(blanks), *_answer(request, turn, is_last, width)]))
    said = [remark for remark in timeline.remarks if part is None or remark.part in ("", part.name)]
    if said:
        lines: list[Line] = [*_gap(blanks), (Piece("Warnings", "soft", bold=True),)]
        for remark in said[:12]:
            words = (Piece(f"{remark.subject}: ", "changed", bold=True), *outside(remark.words))
            lines += list(wrapped(words, min(width, WIDEST)))
        blocks.append(Block(lines))
    return Detail(blocks, width)


def _gap(blanks: bool) -> list[Line]:
    return [()] if blanks else []


def _head(row: StepRow, verdict: Verdict, turn: TurnRow | None, width: int, blanks: bool) -> Iterator[Line]:
    sign = "≈ " if verdict.label.value != "exact" else ""
    name = f"Step {row.name}"
    if verdict.word == "another route":
        title = f"{name} went another route: nothing of {sign}{number(verdict.before)} tokens can be reused"
    elif verdict.is_break:
        title = f"{name} broke the prefix at token {sign}{number(verdict.kept + 1)} of {number(verdict.total)}"
    elif verdict.word == "first":
        title = f"{name} is the first request: {sign}{number(verdict.total)} tokens, nothing was cached before"
    elif verdict.word == "not recorded":
        title = f"{name}: texts of the request were not recorded, so it cannot be said what was kept"
    else:
        words = {"same": "repeats the request before", "appended": "only adds", "shortened": "is shorter"}
        new = f", {sign}{number(verdict.total - verdict.kept)} are new" if verdict.word == "appended" else ""
        title = f"{name} {words[verdict.word]}: {sign}{number(verdict.kept)} tokens are kept{new}"
    right: Line = (Piece(clock(row.time), "soft"),) if row.time else ()
    yield spread((Piece(title, "strong", bold=True),), right, width)
    yield from _gap(blanks)
    segments = [_segment(verdict, index) for index in range(len(verdict.groups))]
    line = prefix_line(segments, width)
    if line:
        yield line
        cells = segment_cells(segments, width)
        labels: list[Line] = [
            (Piece(f"{group.name} ", "text"), Piece(number(group.tokens), "soft")) if group.tokens else ()
            for group in verdict.groups
        ]
        yield spread(labels_line(labels, cells, width), (), width)
    yield from _gap(blanks)


def _segment(verdict: Verdict, index: int) -> Segment:
    group = verdict.groups[index]
    rest = group.tokens - group.kept
    if verdict.is_break:
        is_here = group.is_broken or (verdict.word == "another route" and index == 0)
        return Segment(kept=group.kept, anew=rest, is_broken=is_here)
    return Segment(kept=group.kept, new=rest)


def _facts(request: RequestRow, verdict: Verdict, width: int) -> Iterator[Line]:
    sign = "≈ " if verdict.label.value != "exact" else ""
    if verdict.is_break:
        yield from _fact("cause", _cause(verdict), width)
        part = verdict.part
        if part is not None:
            yield from _fact("where", _where(part), width)
        lost = (
            Piece(f"{sign}{number(verdict.lost)} tokens", "strong"),
            Piece(f" cannot be reused any more, {100 * verdict.lost_share:.1f} % of the request before; "),
            Piece(f"{sign}{number(verdict.kept)} are kept", "soft"),
        )
        yield from _fact("cost", lost, width)
        if verdict.equal:
            names = ", ".join(verdict.equal[:5]) + (
                f" and {len(verdict.equal) - 5} more" * (len(verdict.equal) > 5)
            )
            yield from _fact("equal", outside(names, "soft"), width)
    if verdict.pinned:
        yield from _fact(
            "accepted", (Piece("from here on, as this request has it: "), *outside(verdict.pinned)), width
        )
    elif verdict.drift:
        names = ", ".join(verdict.drift[:5]) + (f" and {len(verdict.drift) - 5} more" * (len(verdict.drift) > 5))
        why = Piece(": not what the first request sent, and no change of it was declared", "soft")
        yield from _fact("drifted", (*outside(names, "changed"), why), width)
    if request.header_reason is not None:
        changes = f", {', '.join(request.header_changes)} changed" if request.header_changes else ""
        yield from _fact(
            "header",
            (Piece("recorded here, reason "), *outside(request.header_reason, "strong"), Piece(changes)),
            width,
        )
    if request.not_recorded:
        missing = " and ".join(sorted(request.not_recorded))
        yield from _fact("missing", (Piece(f"{missing}: not recorded, only a placeholder"),), width)
    yield from _fact("provider", _provider(request), width)
    config = request.config
    route = f"{config.provider or '?'}/{config.model or '?'}"
    yield from _fact("model", outside(route), width)


def _cause(verdict: Verdict) -> Line:
    if not verdict.causes and verdict.is_back:
        return (Piece("undeclared", "changed", bold=True), Piece(", but back to what was sent at first"))
    if not verdict.causes:
        return (Piece("undeclared drift", "broken", bold=True), Piece(": nobody has said why", "soft"))
    return outside("; ".join(cause.words for cause in verdict.causes))


def _where(part: ChangedPart) -> Line:
    names = {"section": "system text, ", "tool": "tools, ", "message": "messages, "}
    role: Role = "soft" if part.owner is None else OWNER_ROLES.get(part.owner.kind, "owner-plugin")
    place = f", {part.action} at {part.place}" if part.action == "changed" else f", {part.action}"
    by = Piece(", " if part.owner is None else " of " if part.action == "removed" else " by ", "soft")
    name = (Piece(names[part.kind]), *outside(part.name, role)) if part.name != WHOLE else (Piece(WHOLE),)
    return (*name, Piece(place), by, *outside(part.owner_words, role))


def _provider(request: RequestRow) -> Line:
    """What the provider counted: never added to, or compared in one number with, what is counted here."""
    usage = request.usage
    cached, fresh = usage.get("cacheReadTokens"), usage.get("inputTokens")
    if type(cached) is not int and type(fresh) is not int:
        return (Piece("counted nothing here", "faint"),)
    words = []
    if type(cached) is int:
        words.append(f"{number(cached)} tokens from its cache")
    if type(fresh) is int:
        words.append(f"{number(fresh)} read" + (" beside them" if words else ""))
    written = usage.get("cacheWriteTokens")
    if type(written) is int and written:
        words.append(f"{number(written)} written to it")
    return (Piece("its own count: ", "soft"), Piece(", ".join(words)))


def _fact(label: str, words: Line, width: int) -> Iterator[Line]:
    rows = wrapped(words, max(20, min(width, WIDEST) - _LABEL))
    for index, line in enumerate(rows):
        yield Piece((label if index == 0 else "").ljust(_LABEL), "soft"), *line


def _difference(
    part: ChangedPart, width: int, blanks: bool, difference: TextDifference | None, schema: Sequence[str]
) -> Iterator[Block]:
    yield Block([*_gap(blanks), (Piece("First difference", "soft", bold=True),)])
    if part.key_order_only:
        words = "Key order only: the content is equal, the bytes that the provider caches are not."
        yield Block([(Piece(words, "changed"),)])
    for line in schema[:20]:
        yield Block([outside(line, "changed")])
    if difference is None:
        yield Block([(Piece("comparing …", "faint"),)])
        return
    owner = part.owner
    target = EntryKey(part.kind, part.name, "") if part.kind != "message" else None
    facts: Line = (Piece(part.place, "faint"),) if part.action == "changed" else (Piece(part.action, "faint"),)
    form = Form(width + 1)
    yield Block([(owner_band(part.name, owner, facts, form.column))], target=target, is_difference=True)
    yield Block(difference.layout(form), target=target, is_difference=True)


def _others(verdict: Verdict, width: int) -> Iterator[Line]:
    line: Line = (Piece("Also ", "soft", bold=True),)
    signs = {
        "added": ("+", "added"),
        "removed": ("−", "removed"),
        "changed": ("~", "changed"),
        "moved": ("~", "changed"),
    }
    for action, kind, name in verdict.others[:12]:
        sign, role = signs[action]
        line = (*line, Piece("  "), Piece(f"{sign} ", role, bold=True), Piece(f"{kind} ", "soft"), *outside(name))  # type: ignore[arg-type]
    if len(verdict.others) > 12:
        line = (*line, Piece(f"  and {len(verdict.others) - 12} more", "soft"))
    yield from wrapped(line, min(width, WIDEST))


def _answer(request: RequestRow, turn: TurnRow | None, is_last: bool, width: int) -> Iterator[Line]:
    yield (Piece("What happened", "soft", bold=True),)
    if turn is not None and turn.opened_by:
        yield from _fact("asked", outside(_first_line(turn.opened_by)), width)
    if request.text:
        yield from _fact("answer", outside(_first_line(request.text)), width)
    if request.tool_calls:
        yield from _fact("calls", outside(", ".join(request.tool_calls)), width)
    if request.failure is not None:
        words = " ".join(str(request.failure[key]) for key in ("code", "message") if request.failure.get(key))
        yield from _fact("failed", outside(words, "failed"), width)
    if request.is_interrupted:
        yield from _fact("ended", (Piece("interrupted"),), width)
    if turn is not None and is_last:
        kind = str(turn.reason.get("kind", "ended")) if turn.reason is not None else "still open"
        yield from _fact("turn", (Piece(f"{turn.number}, "), *outside(kind)), width)
    yield from _fact("holds", (Piece(counted(request.message_count, "message")),), width)


def _first_line(text: str) -> str:
    line = text.strip().split("\n", 1)[0]
    return line if len(line) <= 300 else f"{line[:299]}…"
