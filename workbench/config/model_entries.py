"""The key `models` of a composition: who answers when its agents run.

Source: docs/compositions.md 19.
"""

from __future__ import annotations

import math
from typing import Any

from workbench.config.check_entries import limit
from workbench.config.model import EndpointEntry, ModelEntry
from workbench.config.nodes import Mapping, Node, Path, Scalar
from workbench.config.problems import did_you_mean
from workbench.config.readers import (
    Reader,
    Reading,
    Wrong,
    flag,
    kind_of,
    line,
    listing,
    optional,
    shape,
    string,
)

TOKEN_KEYS = ("max_tokens", "max_completion_tokens")


def number(reading: Reading, node: Node, path: Path) -> float:
    """A finite number."""
    value = node.value if isinstance(node, Scalar) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Wrong(node.start, f"a number was expected, and this is {kind_of(node)}")
    if not math.isfinite(value):
        raise Wrong(node.start, "a number must be finite")
    return value


def _seconds(reading: Reading, node: Node, path: Path) -> float:
    value = number(reading, node, path)
    if value <= 0:
        raise Wrong(node.start, "more than 0 seconds were expected")
    return value


def _token_key(reading: Reading, node: Node, path: Path) -> str:
    name = string(reading, node, path)
    if name not in TOKEN_KEYS:
        remedy = did_you_mean(name, TOKEN_KEYS, f"known: {', '.join(TOKEN_KEYS)}")
        raise Wrong(node.start, f'no endpoint calls it "{name}"', remedy)
    return name


def _by_name(read: Reader[Any]) -> Reader[dict[str, Any]]:
    """A mapping whose values are all of one kind."""

    def read_by_name(reading: Reading, node: Node, path: Path) -> dict[str, Any]:
        if not isinstance(node, Mapping):
            raise Wrong(node.start, f"a mapping was expected, and this is {kind_of(node)}")
        values: dict[str, Any] = {}
        for name, entry in node.entries.items():
            try:
                values[name] = read(reading, entry.value, (*path, name))
            except Wrong as wrong:
                reading.report(wrong, (*path, name))
        return values

    return read_by_name


_ENDPOINT = shape(
    EndpointEntry,
    {
        "url": "call it `base_url:`",
        "api_key": "a key does not belong into a file: name a variable with `api_key_env:`",
        "key": "a key does not belong into a file: name a variable with `api_key_env:`",
    },
    base_url=line,
    api_key_env=optional(line),
    keyring_service=optional(line),
    stream=flag,
    stream_idle_timeout_s=_seconds,
    headers=optional(_by_name(string)),
    max_tokens_key=_token_key,
    send_reasoning=flag,
)
MODEL: Reader[ModelEntry] = shape(
    ModelEntry,
    {"base_url": "put it below `endpoint:`", "model": "an agent has a `model:`"},
    name=line,
    script=optional(line),
    replay=optional(listing(line)),
    endpoint=optional(_ENDPOINT),
    context_windows=optional(_by_name(limit)),
)
