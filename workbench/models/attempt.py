"""One attempt: the chunks of one provider call, always with an end.

Source: docs/models.md 3.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from workbench.models.chunks import Failure, finish_error
from workbench.models.errors import ABORTED, STREAM_CLOSED, ModelError, failure_of
from workbench.models.provider import ModelCall, ModelProvider
from workbench.models.request import ModelRequest
from workbench.values.foreign_text import clean
from workbench.values.frozen import FrozenDict, NotJson, freeze

FAIR_CHUNKS = 32
"""After so many chunks the loop gets a turn, since those that have arrived already come without a wait."""


async def attempt(
    provider: ModelProvider, request: ModelRequest, call: ModelCall
) -> AsyncGenerator[FrozenDict, None]:
    """The chunks of the call as frozen JSON; exactly one `finish`, and nothing after it.

    What the provider raises becomes a `finish` of reason `error`, as does a stream that just ends. Only the
    caller's own cancel comes through. When the generator is closed, so is the provider's stream.
    """
    stream: Any = None
    count = 0
    try:
        try:
            stream = provider.stream(request, call)
            async for chunk in stream:
                count += 1
                if count % FAIR_CHUNKS == 0:
                    await asyncio.sleep(0)
                checked = _checked(chunk)
                yield checked
                if checked.get("type") == "finish":
                    return
            failure = ModelError(STREAM_CLOSED, f"provider {provider.name!r} ended without a finish").failure
        except asyncio.CancelledError:
            if _is_cancelled():
                raise
            failure = _cancelled_itself(provider)
        except Exception as error:
            failure = failure_of(error)
        yield freeze(finish_error(failure))
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            await close()


def _checked(chunk: Any) -> FrozenDict:
    """The chunk, frozen. Texts of others may hold halves of surrogate pairs, which only then cost a copy."""
    if not isinstance(chunk, dict):
        chunk = dict(chunk)
    try:
        frozen: FrozenDict = freeze(chunk)
    except NotJson:
        frozen = freeze(clean(chunk))
    return frozen


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _cancelled_itself(provider: ModelProvider) -> Failure:
    return ModelError(ABORTED, f"provider {provider.name!r} cancelled its own call").failure
