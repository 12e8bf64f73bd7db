"""Two requests compared: what is another part by part, in tokens, and where a provider's prefix cache ends.

A request is read in one order: the system text, the tools, the messages. From the first token that is another
one, a provider reads everything anew. The runtime context is sent as a message behind all others, so it breaks
nothing. Source: docs/cli.md 8.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from workbench.config.difference.first_change import FirstChange, first_change
from workbench.config.difference.messages import MessagesDifference, messages_difference
from workbench.config.difference.prompts import PartDifference, PromptDifference, State, prompt_difference
from workbench.config.formats.as_request import model_of
from workbench.prompt import Preview
from workbench.tokens import (
    Count,
    Label,
    PromptCounts,
    PromptTexts,
    TokenCounter,
    TokenDifference,
    count_prompt_now,
)
from workbench.tokens.count import total
from workbench.values.frozen import FrozenDict


class GivenUp(Exception):
    """Whoever wanted the comparison does not want it any more."""


@dataclass(frozen=True, slots=True)
class PrefixBreak:
    """The first token of a request that is another one, and what follows from it."""

    part: Literal["system", "tools", "messages"]
    first: FirstChange
    """The contribution that it belongs to."""
    kept: int
    """Tokens before it: what a cache can give back."""
    kept_in_part: int
    """Of those, the ones of `part`."""
    lost: int
    """Tokens of the earlier request from there on, messages only where they are compared. 0: it was appended to."""
    read_anew: int
    """Tokens of the later request from there on, likewise."""
    label: Label
    """How far `kept` can be trusted."""
    label_behind: Label
    """How far `lost` and `read_anew` can be trusted."""
    reason: str
    """Why one of them is not exact; empty when they are."""
    offset: int
    """Where that token begins, in characters of the system text, the tools as compact JSON, or the message."""

    @property
    def number(self) -> int:
        """Of the first token that is another one, from 1."""
        return self.kept + 1

    @property
    def sentence(self) -> str:
        """What breaks, in one line. Names in it are outside text."""
        return (
            f"it breaks at token {self.label.sign}{self.number:,}, in {self.first.part} {self.first.name} of "
            f"{self.first.owner.plugin}; {self.label_behind.sign}{self.read_anew:,} tokens of system text and "
            "tools from there on are read anew"
        )


@dataclass(frozen=True)
class RequestDifference:
    """What two previews have the model read, compared."""

    prompts: PromptDifference
    prefix: PrefixBreak | None
    """None: system text and tools are the same, byte for byte, or cannot be said."""
    before: PromptCounts
    after: PromptCounts
    """Both counted for the model of the later one."""
    is_same: bool
    """System text, tools and runtime context are the same, byte for byte."""
    is_whole: bool
    """False: one of the two cannot be sent, so that there is no text of it to compare."""
    models: tuple[str | None, str | None]
    """What each of them is for, where it says so."""
    messages: MessagesDifference | None = None
    """Of two requests that were sent; None: there are none, or not on both sides. The runtime context is one."""

    @property
    def is_for_another_model(self) -> bool:
        """Both name a model, and not the same: a cache of one is none of the other."""
        before, after = self.models
        return before is not None and after is not None and before != after

    @cached_property
    def changes(self) -> tuple[PartDifference[Any], ...]:
        """Parts that are not the same, in the order of the request: sections, tools, messages or contexts."""
        fixed = tuple(part for part in self._parts if part.state != "same")
        return fixed if self.messages is None else (*fixed, *self.messages.parts)

    @property
    def _parts(self) -> Iterator[PartDifference[Any]]:
        """Those of the prompt. A runtime context is a message, where messages are compared."""
        yield from self.prompts.sections
        yield from self.prompts.tools
        if self.messages is None:
            yield from self.prompts.contexts

    def counted(self, state: State, kind: str = "") -> int:
        """How many parts of that kind, or of all three kinds, are in that state."""
        count = sum(part.state == state and kind in ("", part.kind) for part in self._parts)
        if self.messages is not None and kind in ("", "message"):
            count += sum(part.state == state for part in self.messages.parts)
            count += self.messages.same if state == "same" else 0
        return count

    @property
    def added_tokens(self) -> Count | None:
        """Of the whole request, by how much it is longer; negative when shorter. None: one cannot be sent."""
        before, after = self.before.request, self.after.request
        if self.messages is not None:
            before = _with_messages(self.before, self.messages.before)
            after = _with_messages(self.after, self.messages.after)
        if before is None or after is None:
            return None
        weaker = after.at_best(before.label, before.reason)
        return Count(after.tokens - before.tokens, weaker.label, weaker.reason)

    def sizes(self, part: PartDifference[Any]) -> tuple[Count | None, Count | None]:
        """Tokens of a part before and after; None where it is not."""
        if part.kind == "message":
            assert self.messages is not None
            return self.messages.sizes(part)
        return _count(self.before, part, part.before), _count(self.after, part, part.after)


def request_difference(
    before: Preview,
    after: Preview,
    *,
    messages: tuple[Sequence[FrozenDict], Sequence[FrozenDict]] | None = None,
    given_up: threading.Event | None = None,
    progress: Callable[[str], object] | None = None,
) -> RequestDifference:
    """Compare and count, here: for threads and scripts. Bounded by the length of the texts.

    `messages` of both, where both were sent; then they are part of what is compared.
    `progress` hears what is done now. Raises `GivenUp` when `given_up` is set.
    """
    given_up = given_up or threading.Event()
    tell = progress or (lambda _: None)
    models = model_of(before), model_of(after)
    counter = TokenCounter.for_model(models[1] or models[0])

    tell("comparing")
    prompts = prompt_difference(before, after)
    texts_before, texts_after = PromptTexts.of(before), PromptTexts.of(after)
    _check(given_up)
    tell("counting tokens")
    counts_before = count_prompt_now(counter, texts_before)
    _check(given_up)
    counts_after = count_prompt_now(counter, texts_after)
    _check(given_up)
    tell("finding the first changed token")
    is_whole = texts_before.system is not None and texts_after.system is not None
    prefix = None
    if is_whole and (texts_before.system, texts_before.all_tools) != (texts_after.system, texts_after.all_tools):
        prefix = _prefix_break(before, after, (texts_before, texts_after), (counts_before, counts_after), counter)
    compared = None
    if messages is not None:
        tell("comparing messages")
        compared = messages_difference(*messages, counter, given_up)
        _check(given_up)
        prefix = _with_messages_behind(prefix, compared, (counts_before, counts_after), counter)
    texts = ("system", "all_tools") if compared is not None else ("system", "all_tools", "context")
    is_same = is_whole and all(getattr(texts_before, text) == getattr(texts_after, text) for text in texts)
    is_same = is_same and (compared is None or not compared.parts)
    return RequestDifference(prompts, prefix, counts_before, counts_after, is_same, is_whole, models, compared)


def _prefix_break(
    before: Preview,
    after: Preview,
    texts: tuple[PromptTexts, PromptTexts],
    counts: tuple[PromptCounts, PromptCounts],
    counter: TokenCounter,
) -> PrefixBreak | None:
    first = first_change(before, after)
    if first is None:
        return None
    tools = counts[0].all_tools, counts[1].all_tools
    if texts[0].system != texts[1].system:
        found = counter.first_difference_now(texts[0].system or "", texts[1].system or "")
        behind = tools[0].tokens, tools[1].tokens
        return _made("system", first, found, 0, behind, tools[1])
    found = counter.first_difference_now(texts[0].all_tools, texts[1].all_tools)
    system = counts[0].system
    return _made("tools", first, found, 0 if system is None else system.tokens, (0, 0), tools[1])


def _made(
    part: Literal["system", "tools"],
    first: FirstChange,
    found: TokenDifference,
    in_front: int,
    behind: tuple[int, int],
    tools: Count,
) -> PrefixBreak:
    """`in_front` and `behind`: tokens of what stands before and behind `part` in both requests."""
    here = Count(0, found.label, found.reason)
    behind_it = here.at_best(tools.label, tools.reason) if tools.tokens else here
    if part == "tools":
        here = behind_it
    return PrefixBreak(
        part=part,
        first=first,
        kept=in_front + found.position,
        kept_in_part=found.position,
        lost=found.tokens_before + behind[0],
        read_anew=found.tokens_after + behind[1],
        label=here.label,
        label_behind=behind_it.label,
        reason=behind_it.reason,
        offset=found.offset,
    )


def _with_messages_behind(
    prefix: PrefixBreak | None,
    messages: MessagesDifference,
    counts: tuple[PromptCounts, PromptCounts],
    counter: TokenCounter,
) -> PrefixBreak | None:
    """Where system text or tools broke, all messages are read anew; else the first message that is another one."""
    before, after = messages.before, messages.after
    if prefix is not None:
        weaker = Count(0, prefix.label_behind, prefix.reason).at_best(after.label, after.reason)
        return replace(
            prefix,
            lost=prefix.lost + before.tokens,
            read_anew=prefix.read_anew + after.tokens,
            label_behind=weaker.label,
            reason=weaker.reason,
        )
    first = messages.first
    if first is None:
        return None
    was, now = first.before, first.after
    is_appended = not messages.is_broken
    texts = [view.text if view is not None else "" for view in (was, now)]
    found = counter.first_difference_now("" if is_appended else texts[0], texts[1])
    system, tools = counts[1].system, counts[1].all_tools
    in_front = (0 if system is None else system.tokens) + tools.tokens
    in_front += sum(each.tokens for each in messages.counts[1][: messages.kept])
    sizes = [sum(each.tokens for each in side) for side in messages.counts]
    kept_here = sum(each.tokens for each in messages.counts[1][: messages.kept])
    shared = 0 if is_appended or first.state != "changed" else found.position
    weaker = Count(0, found.label, found.reason).at_best(after.label, after.reason)
    change = FirstChange(
        "message",
        first.name,
        "added" if first.state == "added" else "removed" if first.state == "removed" else "changed",
        first.view.owner,
        "",
        messages.kept,
        messages.kept + 1,
        messages.lengths[0],
        None,
    )
    return PrefixBreak(
        part="messages",
        first=change,
        kept=in_front + shared,
        kept_in_part=kept_here + shared,
        lost=max(0, sizes[0] - kept_here - shared),
        read_anew=max(0, sizes[1] - kept_here - shared),
        label=weaker.label,
        label_behind=weaker.label,
        reason=weaker.reason,
        offset=found.offset,
    )


def _with_messages(counts: PromptCounts, messages: Count) -> Count | None:
    """Of a whole request: the runtime context is one of the messages."""
    if counts.system is None:
        return None
    return total([counts.system, counts.all_tools, messages])


def _count(counts: PromptCounts, part: PartDifference[Any], view: object) -> Count | None:
    if view is None:
        return None
    by_name = {"section": counts.sections, "context": counts.contexts, "tool": counts.tools}[part.kind]
    return by_name.get(part.name)


def _check(given_up: threading.Event) -> None:
    if given_up.is_set():
        raise GivenUp
