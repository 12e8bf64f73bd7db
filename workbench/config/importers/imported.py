"""What an importer gives: entries, and a report of what it took and left."""

from __future__ import annotations

from typing import NamedTuple

from workbench.config.model import AgentEntry, ConfigRow, PluginEntry, SectionEntry, ToolEntry

MOST_REMARKS = 50
"""Of one file; more of them say nothing new."""


class Imported(NamedTuple):
    """The entries of one file."""

    sections: tuple[SectionEntry, ...] = ()
    tools: tuple[ToolEntry, ...] = ()
    agents: tuple[AgentEntry, ...] = ()
    plugins: tuple[PluginEntry, ...] = ()
    description: str = ""
    """What the file says about itself."""
    taken_over: tuple[str, ...] = ()
    """In words, such as `117 tools`."""
    remarks: tuple[str, ...] = ()
    """What was left out or cut, each with its place."""

    def row(self, file: str, kind: str, line: int, column: int) -> ConfigRow:
        """The report of it."""
        remarks = self.remarks
        if len(remarks) > MOST_REMARKS:
            more = f"{file}: {len(remarks) - MOST_REMARKS:,} more remarks of this kind"
            remarks = (*remarks[:MOST_REMARKS], more)
        return ConfigRow(file, kind, line, column, "imported", self.taken_over, remarks)
