"""Leaving: by a person, by a signal, and by an error of ours."""

from __future__ import annotations

import traceback
from typing import Final

from rich.text import Text

from workbench.tui.hands.house import HouseBase
from workbench.visible import visible

DEFECT: Final = 3
"""Exit code after an error of the workbench itself, as for every command (docs/cli.md 1)."""


class Leaving(HouseBase):
    """However the app ends, the terminal is as it was, and what there is to say is below what was there."""

    @property
    def exit_code(self) -> int:
        """What the program should end with, once the app has ended."""
        if self._exception is not None:
            return DEFECT
        return self.return_code or self.return_value or 0

    async def action_quit(self) -> None:
        self.exit(0)

    def _fatal_error(self) -> None:
        """In place of Textual's report, which prints what stands in the variables as it is."""
        report = "".join(traceback.format_exception(self._exception)) if self._exception is not None else ""
        lead = "workbench: this is a defect of the workbench itself; the lines above say where"
        self.panic(Text(f"{visible(report)}{lead}"))
