"""Counts of a whole prompt: each section, context and tool, and what is sent of them.

The count of a section is its own. Sections do not add up to the system text, in which a blank line can join the
word before it; so the system text is counted by itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from workbench.tokens.count import Count, Label, total
from workbench.tokens.counter import TokenCounter

_TOOLS_ARE_REWRITTEN = "each provider writes tool schemas in a form of its own; counted as compact JSON"
_MARKS_ARE_LEFT_OUT = "without the control tokens that a provider puts around each message"


class EntryLike(Protocol):
    """A section or a context of an assembly."""

    @property
    def name(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def rendered(self) -> str | None: ...


class ToolLike(Protocol):
    """A tool schema of an assembly."""

    @property
    def name(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def parameters_json(self) -> str: ...


class PreviewLike(Protocol):
    """One assembly and its rendering."""

    @property
    def system(self) -> str | None: ...
    @property
    def context(self) -> str | None: ...
    @property
    def sections(self) -> Sequence[EntryLike]: ...
    @property
    def contexts(self) -> Sequence[EntryLike]: ...
    @property
    def tools(self) -> Sequence[ToolLike]: ...


@dataclass(frozen=True, slots=True)
class PromptTexts:
    """What is counted: the texts by name, in force only."""

    system: str | None
    """The whole system text; None when it could not be rendered."""
    context: str | None
    """The runtime-context snapshot; None when it could not be rendered."""
    sections: Mapping[str, str]
    contexts: Mapping[str, str]
    tools: Mapping[str, str]
    """Each schema as compact JSON."""
    all_tools: str
    """The schemas as one JSON array; empty without tools."""

    @classmethod
    def of(cls, preview: PreviewLike) -> PromptTexts:
        """The texts of a preview."""
        schemas = [(tool.name, _schema_text(tool)) for tool in preview.tools if tool.state == "effective"]
        return cls(
            system=preview.system,
            context=preview.context,
            sections=_rendered(preview.sections),
            contexts=_rendered(preview.contexts),
            tools=dict(schemas),
            all_tools=f"[{','.join(text for _, text in schemas)}]" if schemas else "",
        )


@dataclass(frozen=True, slots=True)
class PromptCounts:
    """Tokens of a prompt and of its parts."""

    model: str
    sections: Mapping[str, Count]
    contexts: Mapping[str, Count]
    tools: Mapping[str, Count]
    system: Count | None
    """Of the whole system text; None when it could not be rendered."""
    context: Count | None
    """Of the whole snapshot; None when it could not be rendered."""
    all_tools: Count
    """Of all schemas together."""

    @property
    def request(self) -> Count | None:
        """What a request holds before the first message: system text, snapshot and tools.

        They are read apart from each other, so here a sum is right. None when one of the texts is missing.
        """
        if self.system is None or self.context is None:
            return None
        return total([self.system, self.context, self.all_tools]).at_best(Label.CLOSE, _MARKS_ARE_LEFT_OUT)


async def count_prompt(counter: TokenCounter, texts: PromptTexts) -> PromptCounts:
    """Count a prompt in a thread; only what changed since the last time costs anything."""
    return _arranged(counter.model, texts, await counter.count_many(_flat(texts)))


def count_prompt_now(counter: TokenCounter, texts: PromptTexts) -> PromptCounts:
    """`count_prompt` here: for threads and scripts."""
    return _arranged(counter.model, texts, counter.count_many_now(_flat(texts)))


def cached_prompt_counts(counter: TokenCounter, texts: PromptTexts) -> PromptCounts | None:
    """The counts at once; None when a text of the prompt was not counted yet."""
    flat = _flat(texts)
    counts = [count for count in map(counter.cached, flat) if count is not None]
    return _arranged(counter.model, texts, counts) if len(counts) == len(flat) else None


def _flat(texts: PromptTexts) -> list[str]:
    wholes = (texts.system or "", texts.context or "", texts.all_tools)
    return [*wholes, *texts.sections.values(), *texts.contexts.values(), *texts.tools.values()]


def _arranged(model: str, texts: PromptTexts, counts: Iterable[Count]) -> PromptCounts:
    """Counts of `_flat`, by name again."""
    rest = iter(counts)
    system, context, all_tools = next(rest), next(rest), next(rest)
    return PromptCounts(
        model=model,
        system=None if texts.system is None else system,
        context=None if texts.context is None else context,
        all_tools=_as_tools(all_tools),
        sections=dict(zip(texts.sections, rest, strict=False)),
        contexts=dict(zip(texts.contexts, rest, strict=False)),
        tools={name: _as_tools(count) for name, count in zip(texts.tools, rest, strict=True)},
    )


def _as_tools(count: Count) -> Count:
    return count.at_best(Label.CLOSE, _TOOLS_ARE_REWRITTEN) if count.tokens else count


def _rendered(entries: Sequence[EntryLike]) -> dict[str, str]:
    return {
        entry.name: entry.rendered for entry in entries if entry.state == "effective" and entry.rendered is not None
    }


def _schema_text(tool: ToolLike) -> str:
    schema = {"name": tool.name, "description": tool.description, "parameters": json.loads(tool.parameters_json)}
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
