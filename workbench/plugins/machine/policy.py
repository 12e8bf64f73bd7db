"""What the model is told of the limits of its tools: exactly what is enforced, and no more.

Source: docs/tools.md 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.plugins.machine.places import Places
from workbench.tools.confine.landlock import confines_commands
from workbench.tools.working_directory import working_directory


def policy_text(services: Sequence[str], places: Places, agent: Any) -> str:
    """The runtime context `sandbox:policy` for one agent; empty when nothing is limited."""
    lines = [*_files(services, places, agent), *_commands(services, places)]
    return "\n".join(lines)


def _files(services: Sequence[str], places: Places, agent: Any) -> list[str]:
    if "fs" not in services:
        return []
    if not places.is_confined:
        return ["The file tools may use every path that this process may use."]
    cwd = working_directory(agent)
    base = f"the working directory {cwd}" if cwd else "the working directory"
    more = f", and below {', '.join(places.writable)}" if places.writable else ""
    lines = [
        f"The file tools read and change files below {base}{more} only. Links that lead elsewhere are refused."
    ]
    if places.readable:
        lines.append(f"They may also read below {', '.join(places.readable)}.")
    return lines


def _commands(services: Sequence[str], places: Places) -> list[str]:
    if "shell" not in services:
        return []
    if not places.is_confined:
        return ["Commands run with all the rights of this process."]
    if confines_commands():
        return [
            "Commands can change files in the same places and in $TMPDIR only; the system refuses the rest "
            "(`Permission denied`). They can read what this process can read."
        ]
    return ["Commands begin there. Nothing but this rule keeps them there: change nothing elsewhere."]
