"""Chunks put together again: the content of a message, usage, and how the stream ended.

Source: docs/models.md 1.
"""

from __future__ import annotations

from io import StringIO
from typing import Any, NoReturn

from workbench.models.chunks import Block, Chunk, Failure, FinishReason, ToolCallBlock, Usage
from workbench.models.errors import MALFORMED_RESPONSE, ModelError

_TEXT_OF_DELTA = {
    "text-delta": ("text", "text"),
    "reasoning-delta": ("reasoning", "text"),
    "tool-call-delta": ("tool-call", "argumentsDelta"),
}
"""For each delta the type of its block, and the key of its piece of text."""


class BlockAssembler:
    """Takes the chunks of one attempt, one after another.

    A delta without a `block-start` before it opens its block. Chunks of unknown types are left out.
    """

    __slots__ = ("_blocks", "finish_reason", "usage")

    def __init__(self) -> None:
        self._blocks: dict[int, _Block] = {}
        self.usage: Usage | None = None
        """Of the last `usage` chunk."""
        self.finish_reason: FinishReason | None = None
        """None while the stream goes on, and when it broke off."""

    def feed(self, chunk: Chunk) -> None:
        """Take one chunk. Raises `MALFORMED_RESPONSE` for one that cannot stand here."""
        kind = chunk.get("type")
        if self.finish_reason is not None:
            _malformed(f"a {kind} chunk after the finish")
        delta = _TEXT_OF_DELTA.get(kind) if isinstance(kind, str) else None
        if delta is not None:
            block_type, key = delta
            piece = chunk.get(key)
            if not isinstance(piece, str):
                _malformed(f"a {kind} chunk without {key}")
            self._open_block(chunk, block_type).add(piece, chunk)
        elif kind == "block-start":
            started = chunk.get("blockType")
            if not isinstance(started, str):
                _malformed("a block-start chunk without blockType")
            self._open_block(chunk, started)
        elif kind == "block-end":
            block = chunk.get("block")
            if not isinstance(block, dict) or not isinstance(block.get("type"), str):
                _malformed("a block-end chunk without its block")
            self._open_block(chunk, block["type"]).close(block)
        elif kind == "usage":
            self.usage = chunk.get("usage")
        elif kind == "finish":
            reason = chunk.get("reason")
            if not isinstance(reason, dict) or not isinstance(reason.get("kind"), str):
                _malformed("a finish chunk without a reason")
            self.finish_reason = reason  # type: ignore[assignment]

    @property
    def failure(self) -> Failure | None:
        """The failure record of an attempt that ended with an error."""
        if self.finish_reason is None or self.finish_reason["kind"] != "error":
            return None
        return self.finish_reason.get("failure") or {"message": "", "code": "UNKNOWN"}

    @property
    def is_empty(self) -> bool:
        """Whether no block was begun."""
        return not self._blocks

    def content(self, tool_calls: bool = True) -> list[Block]:
        """The blocks of the message in their order. `tool_calls=False` leaves the calls out."""
        blocks = [self._blocks[index].block() for index in sorted(self._blocks)]
        return [block for block in blocks if tool_calls or block["type"] != "tool-call"]

    def tool_calls(self) -> list[ToolCallBlock]:
        """The calls that the model asks for, in their order, arguments as they came."""
        return [block for block in self.content() if block["type"] == "tool-call"]

    def shown(self) -> list[Block]:
        """What a person has seen of an interrupted answer: text and reasoning that are not blank."""
        return [block for block in self.content(tool_calls=False) if str(block.get("text", "")).strip()]

    def _open_block(self, chunk: Chunk, block_type: str) -> _Block:
        index = chunk.get("index")
        if not isinstance(index, int) or isinstance(index, bool):
            _malformed(f"a {chunk.get('type')} chunk without an index")
        block = self._blocks.get(index)
        if block is None:
            block = self._blocks[index] = _Block(block_type)
        elif block.type != block_type:
            _malformed(f"a {chunk.get('type')} chunk for block {index}, which is {block.type}")
        return block


class _Block:
    __slots__ = ("_pieces", "_whole", "id", "name", "type")

    def __init__(self, type: str) -> None:
        self.type = type
        self.id = ""
        self.name = ""
        self._pieces: StringIO | None = StringIO()
        self._whole: Any = None

    def add(self, piece: str, chunk: Chunk) -> None:
        if self._pieces is None:
            _malformed(f"a {chunk.get('type')} chunk after the end of its block")
        if self.type == "tool-call":
            self.id = self.id or str(chunk.get("id") or "")
            self.name = self.name or str(chunk.get("name") or "")
        self._pieces.write(piece)

    def close(self, block: dict[str, Any]) -> None:
        self._whole = block
        self._pieces = None

    def block(self) -> Block:
        if self._pieces is None:
            return dict(self._whole)  # type: ignore[return-value]
        text = self._pieces.getvalue()
        if self.type == "tool-call":
            return {"type": "tool-call", "id": self.id, "name": self.name, "arguments": text}
        return {"type": self.type, "text": text}  # type: ignore[typeddict-item]


def _malformed(what: str) -> NoReturn:
    raise ModelError(MALFORMED_RESPONSE, f"the stream of chunks is wrong: {what}")
