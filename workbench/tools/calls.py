"""What goes through the pipeline: a call, its result, and what the loop has to give and to take.

Source: docs/tools.md 9.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from workbench.tools.failure import ToolFailure as ToolFailure
from workbench.values import clean_text, freeze

ContentBlock = Mapping[str, Any]
"""A content block: `type`, and what belongs to that type."""

MAX_BLOCK_CHARACTERS = 1_000_000
"""Of one text block of a result: far beyond what a model reads, and little enough for a log."""

MAX_FAULT_CHARACTERS = 20_000
"""Of the message in an error record; the content has the whole."""
FaultCode = Literal[
    "UNKNOWN_TOOL",
    "INVALID_ARGS",
    "DENIED",
    "LISTENER_NO_RESULT",
    "LISTENER_FAILED",
    "GUARD_FAILED",
    "NO_BODY",
    "TOOL_FAILED",
    "TOOL_TIMEOUT",
    "INVALID_TOOL_OUTPUT",
    "INVALID_SCHEMA",
    "BLOCKED",
    "INACTIVE_CONTEXT",
    "ABORTED",
    "ABORTED_BEFORE_DISPATCH",
]
"""The codes that the pipeline gives by itself. A tool may fail with a code of its own."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as the model made it."""

    id: str
    name: str
    arguments: str
    """The raw text, as it was streamed."""


@dataclass(frozen=True, slots=True)
class ToolFault:
    """Why a call failed."""

    code: str
    """One of `FaultCode`, or a code of the tool's own."""
    message: str
    """A sentence for the model; names who failed and what would help."""

    def to_json(self) -> dict[str, str]:
        """As `tool/result` records it."""
        return {"code": self.code, "message": self.message}


@dataclass(frozen=True, slots=True)
class AddedContext:
    """What a post-execute listener or a body adds for the next step of the model."""

    content: tuple[ContentBlock, ...]
    plugin: str
    """Who speaks: the owner of the tool, or the name that the listener gives."""
    call_id: str = ""
    """The call that it goes with."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The final, frozen outcome of a call."""

    content: tuple[ContentBlock, ...]
    error: ToolFault | None = None
    meta: Mapping[str, Any] | None = None
    """For views, never for the model."""
    value: Any = None
    """The canonical value of a success, for programs; frozen JSON. None too where listeners changed the text."""
    contexts: tuple[AddedContext, ...] = ()

    @property
    def is_error(self) -> bool:
        return self.error is not None

    @property
    def text(self) -> str:
        """Its text blocks, joined by line ends."""
        return "\n".join(block["text"] for block in self.content if block.get("type") == "text")

    def block(self, call_id: str) -> dict[str, Any]:
        """The `tool-result` block of the message that carries it."""
        return {
            "type": "tool-result",
            "toolCallId": call_id,
            "content": [dict(block) for block in self.content],
            "isError": self.is_error,
        }


def text_block(text: str) -> ContentBlock:
    """A frozen text block; foreign halves of characters become U+FFFD."""
    block: ContentBlock = freeze({"type": "text", "text": clean_text(text)})
    return block


def failed(code: str, message: str) -> ToolResult:
    """An error result: the model reads code and message."""
    message = clean_text(message)
    told = message if len(message) <= MAX_FAULT_CHARACTERS else f"{message[:MAX_FAULT_CHARACTERS]}…"
    return ToolResult((text_block(f"Error ({code}): {message}"),), ToolFault(code, told))


def bounded(result: ToolResult) -> ToolResult:
    """The same result; a text block that no model could read is left out in the middle, with a mark."""
    if all(len(block.get("text", "")) <= MAX_BLOCK_CHARACTERS for block in result.content):
        return result
    half = MAX_BLOCK_CHARACTERS // 2
    blocks = []
    for block in result.content:
        text = block.get("text", "")
        if len(text) > MAX_BLOCK_CHARACTERS:
            mark = f"\n[… {len(text) - 2 * half} characters left out …]\n"
            block = freeze({**block, "text": f"{text[:half]}{mark}{text[-half:]}"})
        blocks.append(block)
    return ToolResult(tuple(blocks), result.error, result.meta, result.value, result.contexts)


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """What is left to do when all calls of one answer have their results."""

    contexts: tuple[AddedContext, ...] = ()
    """In model order; to be entered in one go, behind all results."""
    concludes: bool = False
    """A successful result asked for the end of the turn."""


class CancelLike(Protocol):
    """The cancel of a turn, as the pipeline sees it."""

    @property
    def is_set(self) -> bool: ...

    async def wait(self) -> None: ...

    @property
    def cause(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class CodeDispatch:
    """A sub-call that a program of `run_code` makes."""

    root_call_id: str
    """The call of the model that everything is part of."""
    parent_call_id: str
    sub_call_id: str
    """`<call>:code:<n>`, n from 1."""
    name: str
    arguments: Any = field(default_factory=dict)
    """Frozen JSON."""

    def to_json(self) -> dict[str, Any]:
        """As `tool/code-dispatch-start` records it."""
        return {
            "rootCallId": self.root_call_id,
            "parentCallId": self.parent_call_id,
            "subCallId": self.sub_call_id,
            "name": self.name,
            "arguments": self.arguments,
        }

    def settled_json(self, result: ToolResult) -> dict[str, Any]:
        """As `tool/code-dispatch` records it, together with its result."""
        record = {
            **self.to_json(),
            "isError": result.is_error,
            "content": [dict(block) for block in result.content],
        }
        if result.error is not None:
            record["error"] = result.error.to_json()
        return record


class ToolSink(Protocol):
    """The log of a session, as the pipeline writes it. All but `flush` return at once."""

    def called(self, call: ToolCall) -> None:
        """Append `tool/call`."""

    async def flush(self) -> None:
        """Return when everything appended is on disk. If it raises, no further body starts."""

    def result(self, call: ToolCall, result: ToolResult) -> None:
        """Append `tool/result`."""

    def code_dispatch_start(self, dispatch: CodeDispatch) -> None:
        """Append `tool/code-dispatch-start`."""

    def code_dispatch(self, dispatch: CodeDispatch, result: ToolResult) -> None:
        """Append `tool/code-dispatch`."""


Calls = Sequence[ToolCall]
