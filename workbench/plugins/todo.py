"""The to-do list. Its description holds the whole contract, so that it needs no section."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.plugins.serving import body
from workbench.plugins.settings import Settings
from workbench.prompt import ToolSchema

if TYPE_CHECKING:
    from workbench.core import Context

name = "todo"
inject = ["system_prompt", "tools"]

_PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "items": {
            "type": "array",
            "description": "The whole list in working order. It replaces the list that was there before; "
            "an empty list clears it.",
            "items": {
                "type": "object",
                "properties": {
                    "text": {
                        "type": "string",
                        "minLength": 1,
                        "description": "What is to be done, so that it can be checked off: "
                        "a verb and the thing it is about.",
                    },
                    "state": {
                        "type": "string",
                        "enum": ["open", "active", "done", "dropped"],
                        "description": "Exactly one item is `active` while work is going on. `dropped` "
                        "is for work that turned out to be unnecessary.",
                    },
                    "note": {
                        "type": "string",
                        "description": "Why an item was dropped, or what it waits for.",
                    },
                },
                "required": ["text", "state"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["items"],
    "additionalProperties": False,
}

TODO_WRITE = ToolSchema(
    name="todo_write",
    description="Keep a visible list of the steps of the present task. Write it when a task has three "
    "steps or more, or when several things were asked for at once; leave it alone for a question or a "
    "single change. Send the whole list each time. Mark an item `done` as soon as it is finished and "
    "checked, not in batches at the end, and add what the work turns up. The person sees the list while "
    "you work; it does not replace your answer.",
    parameters=_PARAMETERS,
)


@dataclass(frozen=True)
class Config(Settings):
    """There is nothing to configure; a key that says something is a mistake."""


def apply(ctx: Context, config: Config) -> None:
    """Register the tool."""
    ctx.tools.register(TODO_WRITE, body(ctx, "todo", "write"))
