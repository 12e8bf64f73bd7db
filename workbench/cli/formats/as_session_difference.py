"""Two requests of one session compared: where the prefix broke, and what is different."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.agent.log import Divergence, LoggedEvent, RebuiltRequest, Replace, RequestHeader, first_divergence
from workbench.agent.log.canonical import message_line, tool_line
from workbench.cli.formats.as_session import divergence_json
from workbench.cli.output import Output
from workbench.config.difference.texts import ChangedLine, changed_lines, changed_pieces
from workbench.values.frozen import FrozenDict
from workbench.visible import visible_line

AROUND = 2
"""Lines that stay, shown before and behind those that differ."""


@dataclass(frozen=True, slots=True)
class SessionDifference:
    """Two requests, and how the second goes on from the first."""

    before: RebuiltRequest
    after: RebuiltRequest
    divergence: Divergence
    is_known: bool
    """Both texts were recorded; otherwise only what was is compared."""

    @property
    def is_same(self) -> bool:
        return self.divergence.shown == "same" and self.before.request.config == self.after.request.config


def compared(before: RebuiltRequest, after: RebuiltRequest, events: Sequence[LoggedEvent]) -> SessionDifference:
    """With the causes that the log names between both."""
    first, last = sorted((before.sent.seq, after.sent.seq))
    causes = []
    header: RequestHeader | None = min(before, after, key=lambda one: one.sent.seq).header
    for event in events[first:last]:
        if event.type == "request/header":
            later = RequestHeader.from_json(event.data.get("header"))
            changes = header.changes_to(later) if header is not None else ()
            if changes:
                causes.append(f"header {event.data.get('reason')} at {event.seq} ({', '.join(changes)})")
            header = later
        elif isinstance(event.surface_op, Replace):
            causes.append(f"replacement of {event.surface_op.start} to {event.surface_op.end} by {event.seq}")
    divergence = first_divergence(before.request, after.request, logged_cause="; ".join(causes) or None)
    is_known = not before.header.not_recorded and not after.header.not_recorded
    return SessionDifference(before, after, divergence, is_known)


def difference_lines(difference: SessionDifference, output: Output) -> Iterator[str]:
    """Nothing when both are the same."""
    if difference.is_same:
        return
    before, after, found = difference.before, difference.after, difference.divergence
    yield output.styled(f"--- {before.sent.name}", "red")
    yield output.styled(f"+++ {after.sent.name}", "green")
    place = (
        f" at {found.segment}, byte {found.byte_offset:,}, character {found.char_offset:,}" if found.segment else ""
    )
    about = "about " if found.is_estimate else ""
    yield f"prefix: {found.shown}{place}; {about}{found.reused_tokens:,} tokens are reused"
    if found.logged_cause is not None:
        yield f"cause: {visible_line(found.logged_cause)}"
    if not difference.is_known:
        yield "what was not recorded is not compared"
    one, other = before.request, after.request
    yield from _config_lines(one.config.to_json(), other.config.to_json())
    if one.system != other.system:
        yield ""
        yield output.styled("~ system", "bold")
        yield from _text_lines(one.system or "", other.system or "", output)
    yield from _tool_lines(one.tools, other.tools, output)
    yield from _message_lines(one.messages, other.messages, output)


def _config_lines(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for key in dict.fromkeys([*before, *after]):
        if before.get(key) != after.get(key):
            yield visible_line(f"~ {key}: {_value(before, key)} → {_value(after, key)}")


def _value(config: Mapping[str, Any], key: str) -> str:
    return json.dumps(config[key], ensure_ascii=False) if key in config else "not set"


def _tool_lines(before: Sequence[FrozenDict], after: Sequence[FrozenDict], output: Output) -> Iterator[str]:
    old, new = ({str(tool.get("name")): tool for tool in tools} for tools in (before, after))
    for name in dict.fromkeys([*old, *new]):
        if name not in new or name not in old:
            sign, word = ("-", "removed") if name not in new else ("+", "added")
            yield output.styled(f"{sign} tool {visible_line(name)}: {word}", "bold")
        elif tool_line(old[name]) != tool_line(new[name]):
            yield ""
            yield output.styled(f"~ tool {visible_line(name)}", "bold")
            yield from _text_lines(_pretty(old[name]), _pretty(new[name]), output)
    kept_before, kept_after = [name for name in old if name in new], [name for name in new if name in old]
    if kept_before != kept_after:
        yield f"> order of tools: {visible_line(', '.join(kept_after))}"


def _message_lines(before: Sequence[FrozenDict], after: Sequence[FrozenDict], output: Output) -> Iterator[str]:
    lines = [[message_line(message) for message in messages] for messages in (before, after)]
    same = 0
    while same < min(len(before), len(after)) and lines[0][same] == lines[1][same]:
        same += 1
    if same == len(before) == len(after):
        return
    yield ""
    yield output.styled(f"~ messages: {same} the same, then {len(before) - same} → {len(after) - same}", "bold")
    yield from _text_lines(
        "".join(map(_message_text, before[same:])), "".join(map(_message_text, after[same:])), output
    )


def _message_text(message: FrozenDict) -> str:
    """A message as lines: its role, then its blocks."""
    lines = [f"{message.get('role')}:"]
    for block in message.get("content") or ():
        is_text = block.get("type") in ("text", "reasoning") and isinstance(block.get("text"), str)
        lines.append(block["text"] if is_text else json.dumps(block, ensure_ascii=False))
    return "\n".join(lines) + "\n"


def _pretty(tool: FrozenDict) -> str:
    return json.dumps(tool, ensure_ascii=False, indent=2)


def _text_lines(before: str, after: str, output: Output) -> Iterator[str]:
    lines = changed_lines(changed_pieces(before, after))
    shown = {
        near
        for index, line in enumerate(lines)
        if line.kind != "same"
        for near in range(max(0, index - AROUND), min(len(lines), index + AROUND + 1))
    }
    last = -1
    for index in sorted(shown):
        if index != last + 1:
            yield "    …"
        last = index
        yield _text_line(lines[index], output)
    if last < len(lines) - 1:
        yield "    …"


def _text_line(line: ChangedLine, output: Output) -> str:
    text = visible_line("".join(piece.text for piece in line.pieces))
    if line.kind == "same":
        return f"      {text}".rstrip()
    return (
        output.styled(f"    + {text}", "green") if line.kind == "added" else output.styled(f"    - {text}", "red")
    )


def difference_json(difference: SessionDifference) -> str:
    """Where both part, and which fields differ."""
    before, after = difference.before, difference.after
    document = {
        "format": 1,
        "same": difference.is_same,
        "before": {"name": before.sent.name, "seq": before.sent.seq},
        "after": {"name": after.sent.name, "seq": after.sent.seq},
        "headerChanges": list(before.header.changes_to(after.header)),
        "messages": [len(before.request.messages), len(after.request.messages)],
        "notRecorded": sorted(before.header.not_recorded | after.header.not_recorded),
        "divergence": divergence_json(difference.divergence),
    }
    return json.dumps(document, ensure_ascii=False, indent=2)
