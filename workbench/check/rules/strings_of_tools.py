"""Every text inside a tool's parameters, with the pointer that leads to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from workbench.check.finding import Finding, Severity
from workbench.check.json_pointer import step
from workbench.check.subject import CheckedTool


@dataclass(frozen=True, slots=True)
class ToolString:
    """One key or value."""

    tool: CheckedTool
    pointer: str
    text: str

    def finding(self, message: str, *, remedy: str, kind: str = "", severity: Severity = "warning") -> Finding:
        """A finding about it, at the tool."""
        view = self.tool.view
        return Finding(
            rule=kind,
            severity=severity,
            message=message,
            remedy=remedy,
            part="tool",
            name=view.name,
            owner=view.owner,
            position=None if view.source is None else view.source.position(view.description, 0),
            scopes=self.tool.scopes,
            pointer=self.pointer,
        )


def strings_of(tool: CheckedTool) -> Iterator[ToolString]:
    """Keys and values, from the outside in."""
    pending: list[tuple[str, Any]] = [("", tool.parameters)]
    while pending:
        pointer, value = pending.pop()
        if isinstance(value, str):
            yield ToolString(tool, pointer, value)
        elif isinstance(value, dict):
            for key, inner in value.items():
                yield ToolString(tool, pointer, key)
                pending.append((step(pointer, key), inner))
        elif isinstance(value, list):
            pending += [(step(pointer, index), inner) for index, inner in enumerate(value)]
