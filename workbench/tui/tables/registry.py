"""Commands of the place Registry, most useful first."""

from workbench.tui.command import Command

COMMANDS: tuple[Command, ...] = ()
