"""Answers of chat completions as stream chunks, whether they come in pieces or whole.

Source: docs/models.md 8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import StringIO
from typing import Any, NoReturn
from uuid import uuid4

from workbench.models.chunks import (
    Block,
    BlockType,
    Chunk,
    Usage,
    block_end,
    block_start,
    finish,
    reasoning_delta,
    text_delta,
    tool_call_delta,
    usage_chunk,
)
from workbench.models.errors import EMPTY_RESPONSE, MALFORMED_RESPONSE, SERVER, ModelError

_FINISHES = {"length": "max-tokens", "content_filter": "content-filter"}
_FAILED = ("error", "insufficient_system_resource")
"""Reasons by which endpoints say that they broke off."""


class ChatAnswer:
    """One answer. `feed` takes what a `data:` line holds, `end` closes it.

    Raises `MALFORMED_RESPONSE` for what is no answer, `SERVER` for one that the endpoint gave up, and
    `EMPTY_RESPONSE` for one that stops without any block.
    """

    def __init__(self) -> None:
        self._blocks: dict[object, _Block] = {}
        self._last_call: object = None
        self._reason: str | None = None
        self._usage: Usage | None = None

    def feed(self, data: Mapping[str, Any]) -> Iterator[Chunk]:
        """The chunks of one piece."""
        choice = self._choice(data)
        if choice is not None:
            yield from self._delta(_object(choice.get("delta"), "delta"))
            self._note_reason(choice)

    def whole(self, data: Mapping[str, Any]) -> Iterator[Chunk]:
        """All chunks of an answer that came at once."""
        choice = self._choice(data)
        if choice is None:
            _malformed("it has no choices")
        message = dict(_object(choice.get("message"), "message"))
        calls = message.get("tool_calls")
        if isinstance(calls, list):  # whole calls have no index
            message["tool_calls"] = [
                {**_object(call, "tool call"), "index": number} for number, call in enumerate(calls)
            ]
        yield from self._delta(message)
        self._note_reason(choice)
        yield from self.end()

    def end(self) -> Iterator[Chunk]:
        """The chunks with which the answer ends."""
        if self._reason in _FAILED:
            raise ModelError(SERVER, f"the endpoint broke its answer off: {self._reason}")
        kind = _FINISHES.get(self._reason or "")
        if kind is None:
            # Some say `stop` with calls, or no reason at all: what was asked for decides.
            kind = "tool-calls" if any(block.type == "tool-call" for block in self._blocks.values()) else "stop"
        if kind == "stop" and not self._blocks:
            raise ModelError(EMPTY_RESPONSE, "the endpoint stopped without any text or tool call")
        for block in self._blocks.values():
            yield block_end(block.index, block.whole())
        if self._usage is not None:
            yield usage_chunk(self._usage)
        yield finish(kind)

    def _choice(self, data: Mapping[str, Any]) -> Mapping[str, Any] | None:
        if data.get("usage") is not None:
            self._usage = _usage(_object(data["usage"], "usage"))
        choices = data.get("choices")
        if choices is None:
            choices = []
        if not isinstance(choices, list):
            _malformed("its choices are no list")
        for choice in choices:
            if _object(choice, "choice").get("index", 0) == 0:
                return _object(choice, "choice")
        return None

    def _note_reason(self, choice: Mapping[str, Any]) -> None:
        reason = choice.get("finish_reason")
        if isinstance(reason, str):
            self._reason = reason

    def _delta(self, delta: Mapping[str, Any]) -> Iterator[Chunk]:
        reasoning = delta.get("reasoning_content")
        yield from self._text("reasoning", delta.get("reasoning") if reasoning is None else reasoning)
        yield from self._text("text", delta.get("content"))
        yield from self._text("text", delta.get("refusal"))
        calls = delta.get("tool_calls")
        if calls is not None:
            if not isinstance(calls, list):
                _malformed("its tool calls are no list")
            for call in calls:
                yield from self._call(_object(call, "tool call"))

    def _text(self, kind: BlockType, piece: Any) -> Iterator[Chunk]:
        if piece is None:
            return
        if isinstance(piece, list):  # some send parts, as in requests
            piece = "".join([str(_object(part, "part").get("text") or "") for part in piece])
        if not isinstance(piece, str):
            _malformed(f"its {kind} is no text")
        if not piece:
            return
        block = self._blocks.get(kind)
        if block is None:
            block = self._blocks[kind] = _Block(len(self._blocks), kind)
            yield block_start(block.index, kind)
        block.pieces.write(piece)
        yield (text_delta if kind == "text" else reasoning_delta)(block.index, piece)

    def _call(self, call: Mapping[str, Any]) -> Iterator[Chunk]:
        function = _object(call.get("function") or {}, "function")
        id, name, piece = call.get("id"), function.get("name"), function.get("arguments")
        if piece is None:
            piece = ""
        if not isinstance(piece, str):
            _malformed("the arguments of a tool call are no text")
        key = self._key_of_call(call, id)
        block = self._blocks.get(key)
        if block is None:
            if not isinstance(name, str) or not name:
                _malformed("a tool call begins without the name of its tool")
            block = self._blocks[key] = _Block(len(self._blocks), "tool-call")
            block.id = id if isinstance(id, str) and id else f"call_{uuid4().hex}"
            block.name = name
            yield block_start(block.index, "tool-call")
        elif not piece:
            return
        block.pieces.write(piece)
        yield tool_call_delta(block.index, block.id, block.name, piece)

    def _key_of_call(self, call: Mapping[str, Any], id: Any) -> object:
        """By index; where an endpoint sends none, an id begins a call, and what follows belongs to it."""
        index = call.get("index")
        if isinstance(index, int):
            self._last_call = ("index", index)
        elif id:
            self._last_call = ("id", id)
        elif self._last_call is None:
            _malformed("a tool call begins without index and id")
        return self._last_call


class _Block:
    __slots__ = ("id", "index", "name", "pieces", "type")

    def __init__(self, index: int, type: BlockType) -> None:
        self.index = index
        self.type: BlockType = type
        self.id = ""
        self.name = ""
        self.pieces = StringIO()

    def whole(self) -> Block:
        text = self.pieces.getvalue()
        if self.type == "tool-call":
            return {"type": "tool-call", "id": self.id, "name": self.name, "arguments": text}
        return {"type": self.type, "text": text}


def _usage(data: Mapping[str, Any]) -> Usage:
    """Input is counted without what came from the cache."""
    prompt, completion = _count(data, "prompt_tokens"), _count(data, "completion_tokens")
    cached = _count(data.get("prompt_tokens_details"), "cached_tokens")
    if cached is None:
        cached = _count(data, "prompt_cache_hit_tokens")
    reasoning = _count(data.get("completion_tokens_details"), "reasoning_tokens")
    usage: Usage = {"inputTokens": max(0, (prompt or 0) - (cached or 0)), "outputTokens": completion or 0}
    if cached is not None:
        usage["cacheReadTokens"] = cached
    if reasoning is not None:
        usage["reasoningTokens"] = reasoning
    return usage


def _count(data: Any, key: str) -> int | None:
    value = data.get(key) if isinstance(data, Mapping) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None


def _object(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        _malformed(f"its {what} is no object")
    return value


def _malformed(what: str) -> NoReturn:
    raise ModelError(MALFORMED_RESPONSE, f"the answer of the endpoint cannot be read: {what}")
