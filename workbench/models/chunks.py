"""Stream chunks: what a model answers, piece by piece, in the form that session logs keep.

Source: docs/models.md 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

BlockType = Literal["text", "reasoning", "tool-call"]


class TextBlock(TypedDict):
    """Text for the person, or the model's reasoning."""

    type: Literal["text", "reasoning"]
    text: str


class ToolCallBlock(TypedDict):
    """A call that the model asks for; `arguments` are raw, which need not be JSON."""

    type: Literal["tool-call"]
    id: str
    name: str
    arguments: str


Block: TypeAlias = TextBlock | ToolCallBlock


class BlockStart(TypedDict):
    type: Literal["block-start"]
    index: int
    blockType: BlockType


class TextDelta(TypedDict):
    type: Literal["text-delta"]
    index: int
    text: str


class ReasoningDelta(TypedDict):
    type: Literal["reasoning-delta"]
    index: int
    text: str


class ToolCallDelta(TypedDict):
    """A piece of the raw arguments; id and name are on every piece."""

    type: Literal["tool-call-delta"]
    index: int
    id: str
    name: str
    argumentsDelta: str


class BlockEnd(TypedDict):
    """The whole block; it wins over what the deltas add up to."""

    type: Literal["block-end"]
    index: int
    block: Block


class Usage(TypedDict):
    """Tokens of one call."""

    inputTokens: int
    """Read, without those that came from the cache."""
    outputTokens: int
    """Written, reasoning included."""
    cacheReadTokens: NotRequired[int]
    reasoningTokens: NotRequired[int]


class UsageChunk(TypedDict):
    type: Literal["usage"]
    usage: Usage


class Failure(TypedDict):
    """A failure record, as logs and retries read it."""

    message: str
    code: str
    status: NotRequired[int]
    retryAfterMs: NotRequired[int]


class FinishReason(TypedDict):
    """`stop`, `tool-calls`, `max-tokens`, `content-filter`, or `error` with its failure."""

    kind: str
    failure: NotRequired[Failure]


class Finish(TypedDict):
    type: Literal["finish"]
    reason: FinishReason


Chunk: TypeAlias = Mapping[str, Any]
"""One of the chunks above. A mapping, because recorded logs may hold keys and types of other versions."""

ChunkOf: TypeAlias = BlockStart | TextDelta | ReasoningDelta | ToolCallDelta | BlockEnd | UsageChunk | Finish
"""What our own providers make."""


def block_start(index: int, block_type: BlockType) -> BlockStart:
    return {"type": "block-start", "index": index, "blockType": block_type}


def text_delta(index: int, text: str) -> TextDelta:
    return {"type": "text-delta", "index": index, "text": text}


def reasoning_delta(index: int, text: str) -> ReasoningDelta:
    return {"type": "reasoning-delta", "index": index, "text": text}


def tool_call_delta(index: int, id: str, name: str, arguments: str) -> ToolCallDelta:
    return {"type": "tool-call-delta", "index": index, "id": id, "name": name, "argumentsDelta": arguments}


def block_end(index: int, block: Block) -> BlockEnd:
    return {"type": "block-end", "index": index, "block": block}


def usage_chunk(usage: Usage) -> UsageChunk:
    return {"type": "usage", "usage": usage}


def finish(kind: str) -> Finish:
    return {"type": "finish", "reason": {"kind": kind}}


def finish_error(failure: Failure) -> Finish:
    """The end of a failed attempt."""
    return {"type": "finish", "reason": {"kind": "error", "failure": failure}}
