"""JSON pointers (RFC 6901)."""

from __future__ import annotations


def step(pointer: str, key: str | int) -> str:
    """The pointer to what stands at `key` of what `pointer` leads to."""
    return f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}"


def steps(pointer: str) -> tuple[str, ...]:
    """Its keys, from the outside in."""
    return tuple(key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:])
