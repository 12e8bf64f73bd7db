"""One rebuilt request: as text, as JSON, as the body of a chat-completions request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from workbench.agent.log import RebuiltRequest
from workbench.cli.output import Output
from workbench.visible import visible_line


def print_request(one: RebuiltRequest, output: Output) -> None:
    """What the model read: configuration, system text, tools, messages."""
    request = one.request
    _heading(f"request {one.sent.name} · event {one.sent.seq}", output)
    output.json(json.dumps(request.config.to_json(), ensure_ascii=False))
    if request.system is not None:
        _heading("system", output)
        output.text(request.system)
    for index, tool in enumerate(request.tools):
        _heading(f"tool[{index}] {tool.get('name')}", output)
        output.text(str(tool.get("description") or ""))
        output.json(json.dumps(tool.get("parameters"), ensure_ascii=False))
    for index, message in enumerate(request.messages):
        _heading(f"message[{index}] {message.get('role')}", output)
        for block in message.get("content") or ():
            _print_block(block, output)


def _heading(text: str, output: Output) -> None:
    output.line(output.styled(f"── {visible_line(text)}", "bold"))


def _print_block(block: Mapping[str, Any], output: Output) -> None:
    match block.get("type"):
        case "text":
            output.text(str(block.get("text")))
        case "reasoning":
            output.line(output.styled("(reasoning)", "dim"))
            output.text(str(block.get("text")))
        case "tool-call":
            output.line(f"(call {visible_line(str(block.get('name')))} {visible_line(str(block.get('id')))})")
            output.text(str(block.get("arguments")))
        case "tool-result":
            error = ", an error" if block.get("isError") else ""
            output.line(f"(result of {visible_line(str(block.get('toolCallId')))}{error})")
            content = block.get("content")
            for inner in content if isinstance(content, list) else [content]:
                _print_block(inner if isinstance(inner, dict) else {"type": None, "content": inner}, output)
        case _:
            output.json(json.dumps(block, ensure_ascii=False))


def request_json(one: RebuiltRequest) -> str:
    """The request, and how far it is known to be the one that was sent."""
    request = one.request
    body: dict[str, Any] = {"config": request.config.to_json()}
    if request.system is not None:
        body["system"] = request.system
    if request.tools:
        body["tools"] = list(request.tools)
    body["messages"] = list(request.messages)
    document = {
        "format": 1,
        "name": one.sent.name,
        "seq": one.sent.seq,
        "headerSeq": one.sent.header_seq,
        "nodes": list(one.nodes),
        "digest": one.digest,
        "recordedDigest": one.sent.digest,
        "mismatch": one.mismatch,
        "notRecorded": sorted(one.header.not_recorded),
        "request": body,
    }
    return json.dumps(document, ensure_ascii=False, indent=2)


def openai_json(one: RebuiltRequest) -> str:
    """The body that an OpenAI-compatible endpoint would be sent. Raises `ModelError` for what it cannot say."""
    from workbench.models.openai.body import body
    from workbench.models.openai.settings import OpenAISettings

    settings = OpenAISettings(base_url="http://localhost", stream=False)
    return json.dumps(body(one.request, settings), ensure_ascii=False, indent=2)
