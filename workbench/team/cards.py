"""Trigger cards: what comes from outside, as a message in the conversation.

Source: docs/team.md 6 and 11.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.agent.messages import Message, text_block, user_message

TRIGGER = "trigger"
DEFAULT_CARD_LIMIT = 4000
"""Characters of a card that are shown; the rest is pointed to."""


def trigger_card(
    text: str, *, pointer: str, author: str, automated: bool, limit: int = DEFAULT_CARD_LIMIT, **more: Any
) -> Message:
    """A user-role message with the text, or with its first `limit` characters and where the whole text is.

    `author` is the account that wrote it, and `automated` what the host knows of that account. `more` goes into
    the recorded source.
    """
    blocks = [text_block(text[:limit])]
    if len(text) > limit:
        blocks.append(text_block(f"[The first {limit} of {len(text)} characters. The whole text: {pointer}]"))
    source = {**more, "kind": TRIGGER, "author": author, "automated": automated, "pointer": pointer}
    return user_message(blocks, source)


def is_by_a_person(source: Mapping[str, Any]) -> bool:
    """Whether the recorded source of a message is a person: somebody at the terminal, or the author of a card."""
    if source.get("kind") == "user":
        return True
    return source.get("kind") == TRIGGER and bool(source.get("author")) and source.get("automated") is False
