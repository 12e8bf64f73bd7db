"""What a command's exit code says."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Documented in docs/cli.md and in the help."""

    OK = 0
    FOUND = 1
    """The prompt cannot be sent, a case failed, or the text that was asked for is not there."""
    UNUSABLE = 2
    """The command line or a file cannot be used."""
    DEFECT = 3
    """The workbench itself failed."""
    UNFINISHED = 4
    """An agent was stopped before it had finished: its answer was cut, or a plugin blocked the turn."""
    CONFLICT = 5
    """Somebody else has saved a team's prompts since; nothing was written."""
    DECLINED = 6
    """A package wanted to run in a page, and `--approvals deny` said no."""
    INTERRUPTED = 130
