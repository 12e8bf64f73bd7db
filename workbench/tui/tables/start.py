"""Commands of the start screen, most useful first."""

from workbench.tui.command import Command

COMMANDS: tuple[Command, ...] = ()
