"""The digest of a request, continued from the last one while only messages were appended.

Source: docs/sessions.md 5 and docs/agents.md 5.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from workbench.agent.log.canonical import message_line, system_line, tool_line

if TYPE_CHECKING:
    from workbench.agent.log.surface import Surface
    from workbench.values.frozen import FrozenDict


class RequestDigest:
    """SHA-256 of the canonical bytes of the requests of one session, one after another."""

    def __init__(self) -> None:
        self._system = ""
        self._tools: tuple[FrozenDict, ...] = ()
        self._nodes = 0
        self._replacements = -1
        self._found = hashlib.sha256()

    def of(self, system: str, tools: tuple[FrozenDict, ...], surface: Surface) -> str:
        """The digest in hexadecimal. Equal to that of the whole request, at the cost of what is new in it."""
        if (
            surface.replacements != self._replacements
            or len(surface) < self._nodes
            or system != self._system
            or not _same(tools, self._tools)
        ):
            self._begin(system, tools, surface)
        for message in surface.messages_from(self._nodes):
            self._found.update(message_line(message))
        self._nodes = len(surface)
        return self._found.hexdigest()

    def _begin(self, system: str, tools: tuple[FrozenDict, ...], surface: Surface) -> None:
        self._system, self._tools = system, tools
        self._replacements, self._nodes = surface.replacements, 0
        self._found = hashlib.sha256()
        if system:
            self._found.update(system_line(system))
        for tool in tools:
            self._found.update(tool_line(tool))


def _same(tools: tuple[FrozenDict, ...], others: tuple[FrozenDict, ...]) -> bool:
    """By identity: equal values may still differ in the order of their keys."""
    return tools is others or (len(tools) == len(others) and all(map(_is, tools, others)))


def _is(one: object, other: object) -> bool:
    return one is other
