"""Commands of the place Trace, most useful first."""

from workbench.tui.command import Command

COMMANDS: tuple[Command, ...] = ()
