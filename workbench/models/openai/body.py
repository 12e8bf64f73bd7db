"""A request in the words of chat completions. Source: docs/models.md 8."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from workbench.models.errors import INVALID_REQUEST, ModelError
from workbench.models.openai.settings import OpenAISettings
from workbench.models.request import ModelRequest

Json = dict[str, Any]
_OURS = frozenset({"messages", "model", "stream", "stream_options", "tools"})
"""Keys of a body that no configuration may set."""


def encoded_body(request: ModelRequest, settings: OpenAISettings) -> bytes:
    """The body of the request. Raises `INVALID_REQUEST` for what chat completions cannot say."""
    value = body(request, settings)
    try:
        return orjson.dumps(value)
    except TypeError:  # integers above 64 bits, as some schemas have
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def body(request: ModelRequest, settings: OpenAISettings) -> Json:
    """The same as a value."""
    config = request.config
    refused = sorted(config.extra.keys() & _OURS)
    if refused:
        raise ModelError(INVALID_REQUEST, f"{', '.join(refused)} cannot be set as a further setting of a call")
    value: Json = {"model": config.model, "messages": list(_messages(request, settings))}
    if request.tools:
        value["tools"] = [{"type": "function", "function": tool} for tool in request.tools]
    if config.reasoning_effort is not None:
        value["reasoning_effort"] = config.reasoning_effort
    if config.temperature is not None:
        value["temperature"] = config.temperature
    if config.max_tokens is not None:
        value[settings.max_tokens_key] = config.max_tokens
    if config.stop is not None:
        value["stop"] = list(config.stop)
    value.update(config.extra)
    if settings.stream:
        value["stream"] = True
        value["stream_options"] = {"include_usage": True}
    return value


def _messages(request: ModelRequest, settings: OpenAISettings) -> Iterator[Json]:
    if request.system is not None:
        yield {"role": "system", "content": request.system}
    for message in request.messages:
        role, content = message.get("role"), message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        if role == "assistant":
            yield from _assistant(blocks, settings)
        elif role in ("user", "system", "developer"):
            yield from _incoming(str(role), blocks)
        else:
            raise ModelError(INVALID_REQUEST, f"chat completions have no role {role!r}")


def _assistant(blocks: Iterable[Mapping[str, Any]], settings: OpenAISettings) -> Iterator[Json]:
    text: list[str] = []
    reasoning: list[str] = []
    calls: list[Json] = []
    for block in blocks:
        kind = block.get("type")
        if kind == "text":
            text.append(block["text"])
        elif kind == "reasoning":
            reasoning.append(block["text"])
        elif kind == "tool-call":
            function = {"name": block["name"], "arguments": block["arguments"]}
            calls.append({"id": block["id"], "type": "function", "function": function})
        else:
            _unsayable(kind)
    message: Json = {"role": "assistant", "content": "".join(text) if text else None}
    if reasoning and settings.send_reasoning:
        message["reasoning_content"] = "".join(reasoning)
    if calls:
        message["tool_calls"] = calls
    elif message["content"] is None:
        message["content"] = ""  # only a message with calls may go without
    yield message


def _incoming(role: str, blocks: Iterable[Mapping[str, Any]]) -> Iterator[Json]:
    """Results as messages of their own; they come first, since they must follow their calls at once."""
    text: list[str] = []
    for block in blocks:
        kind = block.get("type")
        if kind == "text":
            text.append(block["text"])
        elif kind == "tool-result":
            yield {"role": "tool", "tool_call_id": block["toolCallId"], "content": _result_text(block)}
        else:
            _unsayable(kind)
    if text:
        yield {"role": role, "content": "\n\n".join(text)}


def _result_text(block: Mapping[str, Any]) -> str:
    content = block.get("content") or []
    if isinstance(content, str):
        return content
    for each in content:
        if each.get("type") != "text":
            _unsayable(each.get("type"))
    return "\n".join([each["text"] for each in content])


def _unsayable(kind: object) -> None:
    raise ModelError(INVALID_REQUEST, f"chat completions cannot carry a block of type {kind!r}")
