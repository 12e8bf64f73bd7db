"""Plugins that failed, wait or still load, and what an import left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.check.finding import Finding, Severity
from workbench.check.rule import Rule
from workbench.check.subject import Subject
from workbench.core import FiberState
from workbench.prompt import Position
from workbench.prompt.owners import owner_of_fiber

_PLACED = re.compile(r"(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): (?P<rest>.*)", re.DOTALL)
_FAILED: dict[FiberState, tuple[str, Severity, str]] = {
    FiberState.FAILED: ("failed", "error", "mend the plugin or its config, or disable it"),
    FiberState.PENDING: ("waiting", "warning", "load what it waits for, or disable it"),
    FiberState.LOADING: ("slow", "warning", "let the plugin come to an end"),
}


def plugins_not_active(subject: Subject) -> Iterator[Finding]:
    """Without them the prompt is not what the composition means."""
    notes = [_placed(note) for note in subject.notes]
    for fiber in subject.fibers:
        if fiber.state not in _FAILED:
            continue
        kind, severity, remedy = _FAILED[fiber.state]
        name = f"plugin {fiber.name} "
        position, message = next((note for note in notes if note[1].startswith(name)), (None, name + fiber.state))
        yield Finding(
            rule=kind,
            severity=severity,
            message=message,
            remedy=remedy,
            part="plugin",
            name=fiber.name,
            owner=owner_of_fiber(fiber),
            position=position,
        )


def notes_of_the_file(subject: Subject) -> Iterator[Finding]:
    """What an import left out; it fails nothing."""
    for note in subject.composition.notes:
        position, message = _placed(note)
        yield Finding(severity="note", message=message, position=position)


def _placed(note: str) -> tuple[Position | None, str]:
    found = _PLACED.fullmatch(note)
    if found is None:
        return None, note
    return Position(found["file"], int(found["line"]), int(found["column"])), found["rest"]


PLUGINS = Rule(
    "plugin",
    plugins_not_active,
    "A plugin of the composition failed, waits for a service, or does not come to an end.",
    ("failed", "waiting", "slow"),
)
LEFT_OUT = Rule("left-out", notes_of_the_file, "Something of a harness config was not taken over (a note).")
