"""A preview as the body of a provider's request: system text and tools in that provider's shapes.

The messages of a conversation follow where a harness has them; the runtime context, when there is any, is
the first user message.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Literal

from workbench.prompt import Preview, ToolView

Provider = Literal["openai", "anthropic"]

MAX_TOKENS = 4096
"""Anthropic's interface requires a limit for the answer."""


def request_body(preview: Preview, provider: Provider, model: str | None) -> str:
    """The body as JSON, without a line end. `preview` must have rendered."""
    return json.dumps(_BODIES[provider](preview, model), ensure_ascii=False, indent=2)


def model_of(preview: Preview) -> str | None:
    """The value of the variable `model`, which is what the agent runs on."""
    for variable in preview.variables:
        if variable.name == "model" and variable.state == "effective":
            return variable.value
    return None


def _openai(preview: Preview, model: str | None) -> dict[str, Any]:
    system = [{"role": "system", "content": preview.system}] if preview.system else []
    tools = [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": json.loads(tool.parameters_json),
            },
        }
        for tool in _sent(preview)
    ]
    messages = [*system, *_context_messages(preview)]
    return _named(model) | {"messages": messages} | ({"tools": tools} if tools else {})


def _anthropic(preview: Preview, model: str | None) -> dict[str, Any]:
    tools = [
        {
            "name": tool.name,
            "description": tool.description,
            "input_schema": json.loads(tool.parameters_json),
        }
        for tool in _sent(preview)
    ]
    body = _named(model) | {"max_tokens": MAX_TOKENS}
    if preview.system:
        body["system"] = preview.system
    if tools:
        body["tools"] = tools
    return body | {"messages": _context_messages(preview)}


def _named(model: str | None) -> dict[str, Any]:
    return {} if model is None else {"model": model}


def _sent(preview: Preview) -> list[ToolView]:
    return [tool for tool in preview.tools if tool.state == "effective"]


def _context_messages(preview: Preview) -> list[dict[str, Any]]:
    return [{"role": "user", "content": preview.context}] if preview.context else []


_BODIES: dict[Provider, Callable[[Preview, str | None], dict[str, Any]]] = {
    "openai": _openai,
    "anthropic": _anthropic,
}
