"""Runtime context: which snapshot, if any, a request needs before it is sent.

Three values decide: the text now, the newest own snapshot in the log, and whether that one is on the surface.
There is no other state, so resume and fork need no rule of their own.

Source: docs/agents.md 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from workbench.agent.messages import Message, plugin_message
from workbench.prompt.assembly import NamedText
from workbench.prompt.rendering import RUNTIME_CONTEXT_CLEARED

PRODUCER = "system_prompt"
"""`plugin` of the sources of own snapshots."""


def due_text(text: str, last: Mapping[str, Any] | None, retained: bool) -> str | None:
    """The text of the snapshot to append; None for none.

    `text`: the rendered snapshot, empty without any context. `last`: data of the newest own snapshot in the
    log. `retained`: whether that one is on the surface.
    """
    kept = _text(last) if last is not None and retained else None
    if text:
        return None if kept == text else text
    return None if last is None or kept == RUNTIME_CONTEXT_CLEARED else RUNTIME_CONTEXT_CLEARED


def snapshot_message(text: str, sections: Iterable[NamedText]) -> Message:
    """The message that stores one complete snapshot."""
    named = [{"name": section.name, "text": section.text} for section in sections]
    return plugin_message(text, PRODUCER, form="snapshot", sections=named)


def is_own(message: Mapping[str, Any]) -> bool:
    """Whether the data of a `user/message` is a snapshot of this producer."""
    source = message.get("source")
    return isinstance(source, Mapping) and source.get("form") == "snapshot" and source.get("plugin") == PRODUCER


def _text(message: Mapping[str, Any]) -> str | None:
    """Its whole text; None for a malformed one."""
    content = message.get("content")
    if not isinstance(content, list | tuple) or len(content) != 1 or not isinstance(content[0], Mapping):
        return None
    text = content[0].get("text")
    return text if content[0].get("type") == "text" and isinstance(text, str) else None
