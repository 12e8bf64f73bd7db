"""What a package changes in the next request: parts, the first changed token, and its cost.

Source: docs/dynamic-packages.md 16.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.agent.verdicts.judging import changed_parts
from workbench.agent.verdicts.parts import Part, RecordedParts, fixed_parts, message_text
from workbench.agent.verdicts.recording import parts_record
from workbench.agent.verdicts.verdict import ComparedPart
from workbench.prompt import Preview
from workbench.prompt.tool_schema import decode_json
from workbench.tokens import TokenCounter
from workbench.tokens.count import Count
from workbench.values.frozen import FrozenDict, freeze


@dataclass(frozen=True, slots=True)
class ContextChange:
    """A part of the runtime context that is another one. It is appended, and so breaks no prefix."""

    name: str
    action: str
    """`added`, `removed` or `changed`."""
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PrefixCost:
    """What a difference costs the prefix, in tokens of system text and tools."""

    first_token: int | None
    """Number of the first changed token, from 1; None: the prefix is whole."""
    kept: Count
    """Those that stay cached."""
    read_anew: Count
    """From the first changed one on, in the later request."""
    lost: Count
    """The same in the earlier request."""


@dataclass(frozen=True, slots=True)
class RequestChange(PrefixCost):
    """The difference between two requests."""

    parts: tuple[ComparedPart, ...]
    """Sections and tools in the order of the request; the first one is where the prefix breaks."""
    contexts: tuple[ContextChange, ...]

    @property
    def is_none(self) -> bool:
        return not self.parts and not self.contexts and self.first_token is None

    @property
    def first(self) -> ComparedPart | None:
        return self.parts[0] if self.parts else None


def change_of_request(before: Preview, after: Preview, model: str | None) -> RequestChange | None:
    """Compare and count; for threads. None when one of the two cannot be sent."""
    if before.system is None or after.system is None or before.assembly is None or after.assembly is None:
        return None
    tools = before.assembly.tools_json.decode(), after.assembly.tools_json.decode()
    cost = prefix_cost(TokenCounter.for_model(model), (before.system, tools[0]), (after.system, tools[1]))
    parts = () if cost.first_token is None else tuple(changed_parts(_parts(before), _parts(after)))
    contexts = tuple(_contexts(before, after))
    return RequestChange(cost.first_token, cost.kept, cost.read_anew, cost.lost, parts, contexts)


def prefix_cost(counter: TokenCounter, before: tuple[str, str], after: tuple[str, str]) -> PrefixCost:
    """Of two requests, each as system text and tools; for threads."""
    if before[0] != after[0]:
        found = counter.first_difference_now(before[0], after[0])
        behind = counter.count_now(before[1]).tokens, counter.count_now(after[1]).tokens
        in_front = 0
    elif before[1] != after[1]:
        found = counter.first_difference_now(before[1], after[1])
        behind, in_front = (0, 0), counter.count_now(before[0]).tokens
    else:
        whole = counter.count_now(before[0])
        kept = Count(whole.tokens + counter.count_now(before[1]).tokens, whole.label, whole.reason)
        return PrefixCost(None, kept, Count(0, whole.label), Count(0, whole.label))
    return PrefixCost(
        in_front + found.position + 1,
        Count(in_front + found.position, found.label, found.reason),
        Count(found.tokens_after + behind[1], found.label, found.reason),
        Count(found.tokens_before + behind[0], found.label, found.reason),
    )


def conversation_tokens(messages: Sequence[FrozenDict], model: str | None) -> int:
    """Of the messages behind system text and tools, which are read anew with them; for threads. An estimate."""
    counter = TokenCounter.for_model(model)
    return sum(counter.count_now(message_text(message)).tokens for message in messages)


def _parts(preview: Preview) -> list[Part]:
    assert preview.assembly is not None
    record = parts_record(preview, 0)
    recorded = None if record is None else RecordedParts.from_json(record)
    tools = [freeze(tool) for tool in decode_json(preview.assembly.tools_json)]
    return fixed_parts(preview.system, tools, recorded)


def _contexts(before: Preview, after: Preview) -> list[ContextChange]:
    old = {entry.name: entry.rendered or "" for entry in before.contexts if entry.state == "effective"}
    new = {entry.name: entry.rendered or "" for entry in after.contexts if entry.state == "effective"}
    changes = []
    for name in dict.fromkeys((*old, *new)):
        if name not in old:
            changes.append(ContextChange(name, "added", "", new[name]))
        elif name not in new:
            changes.append(ContextChange(name, "removed", old[name], ""))
        elif old[name] != new[name]:
            changes.append(ContextChange(name, "changed", old[name], new[name]))
    return changes
