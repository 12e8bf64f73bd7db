"""One captured request body, of OpenAI's or Anthropic's interface, as a header and messages.

What is not known is kept as it stands; nothing of it is fatal. Source: docs/sessions.md 14.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from workbench.agent.log.errors import LogError
from workbench.agent.log.header import RequestHeader
from workbench.models.request import CallConfig
from workbench.values.foreign_text import clean
from workbench.values.frozen import FrozenDict, NotJson, freeze

Form = Literal["openai", "responses", "anthropic"]
_MARKS = "cache_control"
_BODY_KEYS = ("body", "request", "payload", "json", "data")
"""Under which a recorder may keep the body."""
_NO_SETTINGS = frozenset({"messages", "system", "tools", "input", "instructions", "model"})
_RENAMED = {"max_tokens": "maxTokens", "max_completion_tokens": "maxTokens", "reasoning_effort": "reasoningEffort"}


class NoRequest(ValueError):
    """It is no request body; the message says why."""


@dataclass(slots=True)
class CapturedBody:
    """One request, as it was captured."""

    header: RequestHeader
    messages: tuple[FrozenDict, ...]
    form: Form
    usage: dict[str, Any] = field(default_factory=dict)
    """What the provider counted, where the answer was captured, too; by the names of a log."""
    time: int | None = None
    """Milliseconds since 1970, where the capture says."""
    remarks: list[str] = field(default_factory=list)
    """What was left aside, or is not known here."""


def read_body(record: Any) -> CapturedBody:
    """The request in a captured record: the body itself, or an object that holds it. Raises `NoRequest`."""
    record = clean(record)
    if not isinstance(record, Mapping):
        raise NoRequest(f"an object was expected, and this is {_kind(record)}")
    body = _body_in(record)
    form = _form_of(body)
    reader = _Reader(form)
    made = reader.read(body)
    if body is not record:
        made.usage = _usage(record)
        made.time = _time(record)
    return made


def _body_in(record: Mapping[str, Any]) -> Mapping[str, Any]:
    if _is_body(record):
        return record
    for key in _BODY_KEYS:
        inner = record.get(key)
        if isinstance(inner, str):
            try:
                inner = json.loads(inner)
            except ValueError:
                continue
        if isinstance(inner, Mapping):
            return _body_in(inner)
    raise NoRequest("no request body: neither `messages` nor `input` is in it")


def _is_body(record: Mapping[str, Any]) -> bool:
    return isinstance(record.get("messages"), list) or ("input" in record and "model" in record)


def _form_of(body: Mapping[str, Any]) -> Form:
    if not isinstance(body.get("messages"), list):
        return "responses"
    if "system" in body or "anthropic_version" in body:
        return "anthropic"
    tools = body.get("tools")
    if isinstance(tools, list) and any(isinstance(each, Mapping) and "input_schema" in each for each in tools):
        return "anthropic"
    kinds = {
        block.get("type")
        for message in body["messages"]
        if isinstance(message, Mapping) and isinstance(message.get("content"), list)
        for block in message["content"]
        if isinstance(block, Mapping)
    }
    return "anthropic" if kinds & {"tool_use", "tool_result", "thinking"} else "openai"


class _Reader:
    def __init__(self, form: Form) -> None:
        self.form = form
        self.remarks: list[str] = []
        self._marks = 0

    def read(self, body: Mapping[str, Any]) -> CapturedBody:
        system, said = self._conversation(body)
        messages = tuple(self._frozen(message) for message in said)
        listed = body.get("tools")
        tools = [self._tool(tool) for tool in listed] if isinstance(listed, list) else []
        try:
            header = RequestHeader(self._config(body), system=system or None, tools=tools)
        except LogError as error:
            raise NoRequest(str(error)) from None
        if self._marks:
            self.remarks.append(f"{self._marks} cache_control marks are left aside: they are no text")
        return CapturedBody(header, messages, self.form, remarks=self.remarks)

    def _config(self, body: Mapping[str, Any]) -> CallConfig:
        model = body.get("model")
        route = {"provider": "anthropic" if self.form == "anthropic" else "openai"}
        if isinstance(model, str):
            route["model"] = model
        settings = {_RENAMED.get(key, key): value for key, value in body.items() if key not in _NO_SETTINGS}
        try:
            return CallConfig.from_json({**settings, **route})
        except (ValueError, NotJson):
            pass
        self.remarks.append("settings of the call that cannot be understood are left aside")
        return CallConfig(route["provider"], route.get("model"))

    def _conversation(self, body: Mapping[str, Any]) -> tuple[str, list[dict[str, Any]]]:
        if self.form == "responses":
            given = body.get("input")
            listed = [{"role": "user", "content": given}] if isinstance(given, str) else _list(given)
            first = body.get("instructions")
            system = [first] if isinstance(first, str) and first else []
        else:
            listed = _list(body.get("messages"))
            system = list(self._texts(body.get("system"))) if self.form == "anthropic" else []
        messages: list[dict[str, Any]] = []
        for item in listed:
            message = item if isinstance(item, Mapping) else {"role": "user", "content": item}
            role = message.get("role")
            if role in ("system", "developer") and not messages:
                system += self._texts(message.get("content"))
            else:
                messages.append(self._message(message))
        return "\n\n".join(system), messages

    def _texts(self, content: Any) -> Iterator[str]:
        for block in [content] if isinstance(content, str) else _list(content):
            if isinstance(block, Mapping) and isinstance(block.get("text"), str):
                self._marks += _MARKS in block
                yield block["text"]
            elif isinstance(block, str):
                yield block
            elif block is not None:
                self.remarks.append("a block of the system text that is no text is left aside")

    def _message(self, message: Mapping[str, Any]) -> dict[str, Any]:
        role = message.get("role")
        if not isinstance(role, str):  # an item of the Responses interface
            kind = message.get("type")
            role = "assistant" if kind in ("function_call", "reasoning") else "user"
            return {"role": role, "content": [self._block(message)]}
        if role == "tool":
            block = {"type": "tool-result", "toolCallId": message.get("tool_call_id")}
            return {"role": "user", "content": [{**block, "content": self._blocks(message.get("content"))}]}
        blocks = self._blocks(message.get("content"))
        reasoning = message.get("reasoning_content")
        if isinstance(reasoning, str) and reasoning:
            blocks.insert(0, {"type": "reasoning", "text": reasoning})
        for call in _list(message.get("tool_calls")):
            blocks.append(self._call(call))
        return {"role": role, "content": blocks}

    def _blocks(self, content: Any) -> list[dict[str, Any]]:
        if content is None:
            return []
        if isinstance(content, str):
            return [{"type": "text", "text": content}] if content else []
        return [self._block(block) for block in (content if isinstance(content, list) else [content])]

    def _block(self, block: Any) -> dict[str, Any]:
        if not isinstance(block, Mapping):
            return {"type": "text", "text": block} if isinstance(block, str) else {"type": "?", "value": block}
        self._marks += _MARKS in block
        kept = {key: value for key, value in block.items() if key != _MARKS}
        match kept.get("type"):
            case "text" | "input_text" | "output_text" if isinstance(kept.get("text"), str):
                return {"type": "text", "text": kept["text"]}
            case "thinking" if isinstance(kept.get("thinking"), str):
                return {"type": "reasoning", "text": kept["thinking"]}
            case "tool_use":
                return {
                    "type": "tool-call",
                    "id": kept.get("id"),
                    "name": kept.get("name"),
                    "arguments": kept.get("input"),
                }
            case "tool_result":
                made: dict[str, Any] = {"type": "tool-result", "toolCallId": kept.get("tool_use_id")}
                made["content"] = self._blocks(kept.get("content"))
                return made | ({"isError": True} if kept.get("is_error") else {})
            case None:
                return {"type": "?", **kept}
            case _:
                return kept

    def _call(self, call: Any) -> dict[str, Any]:
        if not isinstance(call, Mapping):
            return {"type": "?", "value": call}
        function = call.get("function")
        if isinstance(function, Mapping):
            name, arguments = function.get("name"), function.get("arguments")
            return {"type": "tool-call", "id": call.get("id"), "name": name, "arguments": arguments}
        return {**call, "type": str(call.get("type", "?"))}

    def _tool(self, tool: Any) -> dict[str, Any]:
        if not isinstance(tool, Mapping):
            return {"name": "?", "description": "", "parameters": {"value": tool}}
        self._marks += _MARKS in tool
        inner = tool.get("function")
        given = inner if isinstance(inner, Mapping) else tool
        schema = given.get("parameters", given.get("input_schema"))
        if isinstance(schema, Mapping) and isinstance(given.get("name"), str):
            description = given.get("description")
            shown = description if isinstance(description, str) else ""
            return {"name": given["name"], "description": shown, "parameters": dict(schema)}
        rest = {key: value for key, value in tool.items() if key != _MARKS}
        name = given.get("name") or tool.get("type") or "?"
        return {"name": str(name), "description": "", "parameters": rest}

    def _frozen(self, message: dict[str, Any]) -> FrozenDict:
        try:
            frozen: FrozenDict = freeze(message)
        except NotJson as error:
            raise NoRequest(str(error)) from None
        return frozen


def _usage(record: Mapping[str, Any]) -> dict[str, Any]:
    """What the provider counted, by the names of a session log."""
    for holder in (record, *(record.get(key) for key in ("response", "answer", "result"))):
        found = holder.get("usage") if isinstance(holder, Mapping) else None
        if isinstance(found, Mapping):
            return _renamed_usage(found)
    return {}


def _renamed_usage(found: Mapping[str, Any]) -> dict[str, Any]:
    details = found.get("prompt_tokens_details") or found.get("input_tokens_details")
    cached = found.get("cache_read_input_tokens", found.get("prompt_cache_hit_tokens"))
    if cached is None and isinstance(details, Mapping):
        cached = details.get("cached_tokens")
    given = found.get("prompt_tokens", found.get("input_tokens"))
    is_inclusive = "prompt_tokens" in found or isinstance(details, Mapping)
    if is_inclusive and type(given) is int and type(cached) is int:
        given -= cached
    usage = {
        "inputTokens": given,
        "cacheReadTokens": cached,
        "cacheWriteTokens": found.get("cache_creation_input_tokens"),
        "outputTokens": found.get("completion_tokens", found.get("output_tokens")),
    }
    return {key: value for key, value in usage.items() if type(value) is int}


def _time(record: Mapping[str, Any]) -> int | None:
    for key in ("timestamp", "time", "ts", "created", "created_at", "startedDateTime"):
        value = record.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return int(value if value > 1e11 else value * 1000)
        if isinstance(value, str):
            from datetime import UTC, datetime

            try:
                moment = datetime.fromisoformat(value)
            except ValueError:
                continue
            return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    return None


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _kind(value: object) -> str:
    names: Iterable[tuple[type, str]] = ((str, "a text"), (list, "a list"), (bool, "true or false"))
    return next((name for kind, name in names if isinstance(value, kind)), "none")
