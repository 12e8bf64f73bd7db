"""How long a prompt is, by a heuristic that needs no vocabulary: a token for four characters.

Source: docs/agents.md 13.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from workbench.agent.log.canonical import canonical_json

PER_BLOCK = 4
PER_MESSAGE = 4


def text_tokens(text: str) -> int:
    """A quarter of the characters, rounded up."""
    return (len(text) + 3) // 4


def message_tokens(message: Mapping[str, Any]) -> int:
    """A message with all of its blocks, those inside tool results included."""
    return PER_MESSAGE + sum(map(_block_tokens, message.get("content", ())))


def messages_tokens(messages: Iterable[Mapping[str, Any]]) -> int:
    """Several messages."""
    return sum(map(message_tokens, messages))


def head_tokens(system: str, tools: Iterable[Mapping[str, Any]]) -> int:
    """What stands before the messages: system text and tool schemas."""
    return text_tokens(system) + sum((len(canonical_json(tool).decode()) + 3) // 4 for tool in tools)


def _block_tokens(block: Mapping[str, Any]) -> int:
    inner = block.get("content")
    if isinstance(inner, list | tuple):
        return PER_BLOCK + sum(map(_block_tokens, inner))
    return PER_BLOCK + sum(text_tokens(block[key]) for key in _TEXTS if isinstance(block.get(key), str))


_TEXTS = ("text", "name", "arguments")
