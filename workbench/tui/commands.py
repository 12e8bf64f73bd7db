"""The one table of commands: bindings, palette, key hints, help and `workbench keys` are made from it."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.tui.command import Command, Where
from workbench.tui.tables import compare, everywhere, packages, panes, prompt, registry, session, start, team, trace

__all__ = ["COMMANDS", "Command", "Where", "command", "commands_of"]

COMMANDS: tuple[Command, ...] = (
    *prompt.COMMANDS,
    *trace.COMMANDS,
    *registry.COMMANDS,
    *compare.COMMANDS,
    *session.COMMANDS,
    *packages.COMMANDS,
    *team.COMMANDS,
    *start.COMMANDS,
    *panes.COMMANDS,
    *everywhere.COMMANDS,
)
"""All of them, in the order in which help and hints show them."""


def commands_of(*where: str) -> Iterator[Command]:
    """Those that the app, a place or a pane carries out."""
    return (command for command, whose in zip(COMMANDS, _WHERE, strict=True) if whose in where)


def command(command_id: str) -> Command:
    """The one with that id; raises `KeyError`."""
    return _BY_ID[command_id]


_WHERE = tuple(each.where for each in COMMANDS)
_BY_ID = {each.id: each for each in COMMANDS}
