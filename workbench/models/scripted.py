"""The provider `scripted`: answers from a script, without a network.

Source: docs/models.md 4.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

from workbench.models.chunks import (
    Block,
    Chunk,
    block_end,
    block_start,
    finish,
    reasoning_delta,
    text_delta,
    tool_call_delta,
    usage_chunk,
)
from workbench.models.errors import SCRIPT_EXHAUSTED, ModelError
from workbench.models.provider import ModelCall
from workbench.models.request import CallConfig, ModelRequest
from workbench.models.script import Script, ScriptedCall, read_script

OnRequest = Callable[[ModelRequest, ModelCall], None]


class ScriptedProvider:
    """Gives a script's calls in their order. Live sessions take its sessions by their first call."""

    def __init__(
        self,
        script: Script | Mapping[str, Any],
        name: str = "scripted",
        on_request: OnRequest | None = None,
        context_windows: Mapping[str, int] | None = None,
    ) -> None:
        """`script` may be plain data: raises `ScriptError` for a wrong one."""
        self.script = script if isinstance(script, Script) else read_script(script)
        self.name = name
        self._on_request = on_request
        self._context_windows = dict(context_windows or {})
        self._session_of: dict[str, int] = {}
        self._made = [0] * len(self.script.sessions)

    def stream(self, request: ModelRequest, call: ModelCall) -> AsyncIterator[Chunk]:
        """The next call of the session. `SCRIPT_EXHAUSTED` when there is none."""
        if self._on_request is not None:
            self._on_request(request, call)
        return _answer(self._next(call))

    def context_window(self, model: str) -> int | None:
        """What the constructor was told; `*` holds for all models."""
        return self._context_windows.get(model, self._context_windows.get("*"))

    def defaults(self, config: CallConfig) -> Mapping[str, Any]:
        return {}

    def remaining(self) -> tuple[int, ...]:
        """For each session of the script, how many of its calls were not made."""
        return tuple([len(calls) - made for calls, made in zip(self.script.sessions, self._made, strict=True)])

    def _next(self, call: ModelCall) -> ScriptedCall:
        sessions, name = self.script.sessions, self.script.name
        index = self._session_of.setdefault(call.session_id, len(self._session_of))
        place = f"turn {call.turn}, step {call.step}"
        if index >= len(sessions):
            raise ModelError(
                SCRIPT_EXHAUSTED,
                f"{name} has {_count(len(sessions), 'session')}, and a further one began to call ({place})",
            )
        made = self._made[index]
        if made >= len(sessions[index]):
            raise ModelError(
                SCRIPT_EXHAUSTED,
                f"sessions[{index}] of {name} has {_count(made, 'call')}, and one more was made ({place})",
            )
        self._made[index] = made + 1
        return sessions[index][made]


async def _answer(call: ScriptedCall) -> AsyncIterator[Chunk]:
    breaks_off = call.hang or call.error is not None
    for chunk in _chunks(call, breaks_off):
        yield chunk
    if call.error is not None:
        # A new one each time: an exception collects the traceback of its raise.
        raise ModelError.from_failure(call.error.failure)
    if call.hang:
        await asyncio.get_running_loop().create_future()


def _chunks(call: ScriptedCall, breaks_off: bool) -> Iterator[Chunk]:
    if call.chunks is not None:
        yield from call.chunks
        return
    content = list(_content(call))
    for index, block in enumerate(content):
        yield block_start(index, block["type"])
        yield _whole_delta(index, block)
        if not (breaks_off and index == len(content) - 1):
            yield block_end(index, block)
    if not breaks_off:
        if call.usage is not None:
            yield usage_chunk(call.usage)
        yield finish(call.finish)


def _content(call: ScriptedCall) -> Iterator[Block]:
    if call.reasoning is not None:
        yield {"type": "reasoning", "text": call.reasoning}
    if call.text is not None:
        yield {"type": "text", "text": call.text}
    for each in call.tool_calls:
        yield {"type": "tool-call", "id": each.id, "name": each.name, "arguments": each.arguments}


def _whole_delta(index: int, block: Block) -> Chunk:
    if block["type"] == "tool-call":
        return tool_call_delta(index, block["id"], block["name"], block["arguments"])
    delta = text_delta if block["type"] == "text" else reasoning_delta
    return delta(index, block["text"])


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
