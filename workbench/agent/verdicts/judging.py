"""Judging the requests of one session, one after another.

What was only appended is not compared again, so that a long session is one quick pass.
Source: docs/sessions.md 13.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from workbench.agent.log.header import RequestHeader
from workbench.agent.log.prefix import Divergence
from workbench.agent.log.read_surface import Conversation, Messages
from workbench.agent.log.series import Measured
from workbench.agent.verdicts.baseline import Baseline, Key
from workbench.agent.verdicts.causes import Cause
from workbench.agent.verdicts.parts import Part, RecordedParts, fixed_parts, message_part, message_text, tool_text
from workbench.agent.verdicts.verdict import Action, ComparedPart, Group, Verdict, Word
from workbench.prompt.views import Owner
from workbench.tokens.count import Count, Label
from workbench.tokens.difference import shared_length

Counting = Callable[[str], Count]


def quarter(text: str) -> Count:
    """An estimate that costs nothing: a quarter of the characters."""
    return Count(-(-len(text) // 4), Label.ESTIMATE)


@dataclass(slots=True)
class _Seen:
    """What is kept of a request."""

    header: RequestHeader
    fixed: list[Part]
    system: int
    """Tokens."""
    tools: list[int]
    messages: Messages
    messages_total: int

    @property
    def total(self) -> int:
        return self.system + sum(self.tools) + self.messages_total


class Judge:
    """Gives the verdict on each request of one session. `next` is called for each, in order."""

    def __init__(self, count: Counting = quarter) -> None:
        self._count = count
        self._label = Label.EXACT
        self._last: _Seen | None = None
        self._baseline = Baseline()
        self._sizes = Measured("tokens", measure=lambda message: (self._tokens(message_text(message)),))

    @property
    def parts(self) -> Sequence[Part]:
        """System text and tools of the last request."""
        return self._last.fixed if self._last is not None else ()

    def next(
        self,
        header: RequestHeader,
        conversation: Conversation,
        divergence: Divergence | None,
        recorded: RecordedParts | None = None,
        causes: Sequence[Cause] = (),
    ) -> Verdict:
        """The verdict. `divergence` is how the bytes go on; None: it cannot be said."""
        last, current = self._last, self._seen(header, conversation, recorded)
        self._last = current
        word: Word = "not recorded" if divergence is None else _WORDS.get(divergence.kind, "changed")
        if divergence is not None and divergence.kind == "none":
            word = "appended" if divergence.segment else "same"
        if last is None or word in ("first", "not recorded", "another route"):
            verdict = Verdict(word, _groups(current, 0), self._label)
            if word == "another route" and last is not None:
                verdict = replace(verdict, lost=last.total, before=last.total, causes=tuple(causes))
            self._baseline.pin(current.fixed)
            return replace(verdict, pinned=_reason(verdict.causes))
        new = max(0, len(current.messages) - len(last.messages))
        if word == "same" or word == "appended":
            kept = _groups(current, last.total)
            return Verdict(
                word,
                kept,
                self._label,
                before=last.total,
                drift=self._baseline.drift(current.fixed),
                new_messages=new,
            )
        if word == "shortened":
            drift = self._baseline.drift(current.fixed)
            kept = _groups(current, current.total)
            return Verdict(word, kept, self._label, before=last.total, drift=drift)
        return self._changed(last, current, causes, new)

    def _changed(self, last: _Seen, current: _Seen, causes: Sequence[Cause], new: int) -> Verdict:
        changes = list(changed_parts(last.fixed, current.fixed))
        kept, part, group = 0, changes[0] if changes else None, 0
        if last.header.system != current.header.system:
            kept = self._shared(last.header.system or "", current.header.system or "")
        elif last.header.tools_json != current.header.tools_json:
            group = 1
            kept = current.system + self._shared_tools(last, current)
        else:
            group = 2
            index = _first_message(last.messages, current.messages)
            kept = current.system + sum(current.tools) + sum(self._sizes.of_each[0][:index])
            part = _changed_message(last.messages, current.messages, index)
            if index < len(last.messages) and index < len(current.messages):
                kept += self._shared(message_text(last.messages[index]), message_text(current.messages[index]))
        explaining = tuple(cause for cause in causes if cause.explains(part))
        pinned = ""
        if changes:
            explained: set[Key] = {
                (change.kind, change.name) for change in changes if any(cause.explains(change) for cause in causes)
            }
            if explained:
                self._baseline.accept(current.fixed, explained)
                pinned = _reason([cause for cause in causes if any(cause.explains(change) for change in changes)])
        drift = self._baseline.drift(current.fixed)
        is_fixed = part is not None and part.kind != "message"
        return Verdict(
            "changed",
            _groups(current, kept, broken=group),
            self._label,
            lost=max(0, last.total - kept),
            before=last.total,
            part=part.kept if part is not None else None,
            others=tuple((each.action, each.kind, each.name) for each in changes if each is not part),
            equal=_equal(last.fixed, current.fixed),
            causes=explaining,
            drift=drift,
            is_back=not explaining and is_fixed and part is not None and part.name not in drift,
            pinned=pinned,
            new_messages=new,
        )

    # -- tokens ----------------------------------------------------------------------------------------------

    def _seen(self, header: RequestHeader, conversation: Conversation, recorded: RecordedParts | None) -> _Seen:
        last = self._last
        if last is not None and header is last.header:
            fixed, system, tools = last.fixed, last.system, last.tools
        else:
            fixed = fixed_parts(header.system, header.tools, recorded)
            system = self._tokens(header.system or "")
            tools = [self._tokens(tool_text(tool)) for tool in header.tools]
        messages = conversation.messages()
        self._sizes.take(messages, conversation.replacements)
        return _Seen(header, fixed, system, tools, messages, self._sizes.totals[0])

    def _tokens(self, text: str) -> int:
        if not text:
            return 0
        count = self._count(text)
        if count.label is not Label.EXACT and self._label is not Label.ESTIMATE:
            self._label = count.label
        return count.tokens

    def _shared(self, before: str, after: str) -> int:
        """Tokens that both begin with alike: those of the characters that they share."""
        return self._tokens(after[: shared_length(before, after)])

    def _shared_tools(self, last: _Seen, current: _Seen) -> int:
        kept = 0
        for old, new, size in zip(last.header.tools, current.header.tools, current.tools, strict=False):
            one, other = tool_text(old), tool_text(new)
            if one != other:
                return kept + self._shared(one, other)
            kept += size
        return kept


_WORDS: dict[str, Word] = {"cold": "first", "route": "another route", "truncated": "shortened"}


def _equal(old: Sequence[Part], new: Sequence[Part]) -> tuple[str, ...]:
    before = {(part.kind, part.name): part.text for part in old}
    return tuple(part.name for part in new if before.get((part.kind, part.name)) == part.text)


def _reason(causes: Sequence[Cause]) -> str:
    return "; ".join(cause.words for cause in causes)


def _groups(seen: _Seen, kept: int, broken: int = -1) -> tuple[Group, ...]:
    """System text, tools and messages, of which the first `kept` tokens are kept."""
    groups = []
    names = ("system", seen.system), ("tools", sum(seen.tools)), ("messages", seen.messages_total)
    for index, (name, tokens) in enumerate(names):
        here = min(kept, tokens) if broken < 0 or index <= broken else 0
        kept -= here
        groups.append(Group(name, tokens, here, index == broken))  # type: ignore[arg-type]
    return tuple(groups)


def changed_parts(old: Sequence[Part], new: Sequence[Part]) -> Iterator[ComparedPart]:
    """Every part of system text and tools that is another one, in request order; the first one is the break."""
    old_names = {(part.kind, part.name): part for part in old}
    new_names = {(part.kind, part.name) for part in new}
    stays_old = [part for part in old if (part.kind, part.name) in new_names]
    stays_new = [part for part in new if (part.kind, part.name) in old_names]
    moved = {
        (now.kind, now.name)
        for was, now in zip_longest(stays_old, stays_new)
        if was is not None and now is not None and (was.kind, was.name) != (now.kind, now.name)
    }
    for index in range(max(len(old), len(new))):
        now = new[index] if index < len(new) else None
        was = old[index] if index < len(old) else None
        if now is not None and (now.kind, now.name) not in old_names:
            yield _made(now.name, "added", None, now)
        if was is not None and (was.kind, was.name) not in new_names:
            yield _made(was.name, "removed", was, None)
        if now is not None and (now.kind, now.name) in old_names:
            before = old_names[now.kind, now.name]
            if before.text != now.text:
                yield _made(now.name, "changed", before, now)
            elif (now.kind, now.name) in moved:
                yield _made(now.name, "moved", before, now)


def _made(name: str, action: Action, was: Part | None, now: Part | None) -> ComparedPart:
    before, after = was.text if was else "", now.text if now else ""
    shown = now or was
    assert shown is not None
    offset = shared_length(before, after) if was is not None and now is not None else 0
    if action == "moved":
        offset = 0
    owner: Owner | None = shown.owner_at(offset) if action == "changed" else shown.owner
    only_order = shown.kind == "tool" and action == "changed" and json.loads(before) == json.loads(after)
    line, column = _place(after if now is not None else before, offset)
    characters = len(before) + len(after)
    return ComparedPart(
        shown.kind, name, action, owner, line, column, characters, only_order, before=before, after=after
    )


def _place(text: str, offset: int) -> tuple[int, int]:
    """Line and column of a character, from 1."""
    line_start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, offset - line_start + 1


def _first_message(old: Messages, new: Messages) -> int:
    """Index of the first message that is another one."""
    least = min(len(old), len(new))
    for index in range(least):
        if old.key(index) == new.key(index):
            continue
        was, now = old[index], new[index]
        if (was.get("role"), was.get("content")) != (now.get("role"), now.get("content")):
            return index
    return least


def _changed_message(old: Messages, new: Messages, index: int) -> ComparedPart | None:
    was = message_part(index, old[index]) if index < len(old) else None
    now = message_part(index, new[index]) if index < len(new) else None
    if was is None and now is None:
        return None
    action: Action = "changed" if was is not None and now is not None else "added" if was is None else "removed"
    return _made(f"message[{index}]", action, was, now)
