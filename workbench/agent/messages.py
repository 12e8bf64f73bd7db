"""Messages that the loop makes: what a person, a plugin or a coordinator says to the model.

Source: docs/agents.md 2.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any
from uuid import UUID

from workbench.values.foreign_text import clean, clean_text
from workbench.values.frozen import FrozenDict

Message = dict[str, Any]
Block = Mapping[str, Any]

USER_SOURCE: dict[str, Any] = {"kind": "user"}


_random = Random()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_random.seed)


def new_id() -> str:
    """The id of a new message: a random UUID, made without asking the system each time."""
    return str(UUID(int=_random.getrandbits(128), version=4))


def user_message(
    content: str | Iterable[Block] | Mapping[str, Any], source: Mapping[str, Any] | None = None
) -> Message:
    """A user-role message. A whole one is taken as it is, with an id if it has none; half characters are mended.

    Raises `TypeError` for what is neither text, blocks nor a user-role message.
    """
    if isinstance(content, Mapping):
        if content.get("role") != "user" or not isinstance(content.get("content"), list | tuple):
            raise TypeError("a message needs the role user, and a list of blocks as its content")
        if isinstance(content, FrozenDict) and "source" in content and "id" in content:
            return content  # as it was claimed
        message: Message = clean(dict(content))
        message.setdefault("source", dict(source or USER_SOURCE))
        message.setdefault("id", new_id())
        return message
    blocks = [text_block(content)] if isinstance(content, str) else [clean(dict(block)) for block in content]
    return {"content": blocks, "source": dict(source or USER_SOURCE), "role": "user", "id": new_id()}


def plugin_message(content: str | Iterable[Block], plugin: str, **more: Any) -> Message:
    """A user-role message that a plugin speaks."""
    return user_message(content, {"kind": "plugin", "plugin": plugin, **more})


def text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": clean_text(text)}


def text_of(message: Mapping[str, Any]) -> str:
    """The texts of a message's own blocks, joined by line ends."""
    content = message.get("content", ())
    return "\n".join(block["text"] for block in content if block.get("type") == "text" and block.get("text"))
