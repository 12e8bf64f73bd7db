"""Asking a model provider in tests."""

from __future__ import annotations

from typing import Any

from workbench.models import BlockAssembler, CallConfig, ModelCall, ModelProvider, ModelRequest

REQUEST = ModelRequest(
    CallConfig(provider="p", model="m1"),
    "You run on m1.",
    (),
    ({"role": "user", "content": [{"type": "text", "text": "hi"}]},),  # type: ignore[arg-type]
)


async def chunks_of(
    provider: ModelProvider, request: ModelRequest = REQUEST, call: ModelCall | None = None
) -> list[Any]:
    """All chunks of one call, as they come from the provider. Raises what it raises."""
    return [chunk async for chunk in provider.stream(request, call or ModelCall("s", 1, 1))]


def assembled(chunks: list[Any]) -> BlockAssembler:
    """The chunks, put together."""
    assembler = BlockAssembler()
    for chunk in chunks:
        assembler.feed(chunk)
    return assembler
