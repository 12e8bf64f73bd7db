"""Commands of Compare, most useful first."""

from workbench.tui.command import Command

COMMANDS: tuple[Command, ...] = ()
