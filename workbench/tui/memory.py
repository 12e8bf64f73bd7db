"""What the workbench remembers from one start to the next: theme, layout, and the files that were open.

One small JSON file in the person's state folder. It is never needed: one that cannot be read is put aside.
Source: docs/tui.md 6.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

VERSION = 1
RECENT = 12
"""Files that are remembered."""


@dataclass(slots=True)
class Recent:
    """A file that was open."""

    path: str
    """Absolute, or the name of a sample."""
    when: float
    """Seconds since the epoch."""
    kind: str = "composition"
    health: str = ""
    """How it was when it was left, such as `renders` or `1 error`."""


@dataclass(slots=True)
class Memory:
    """The state in memory; `save` writes it."""

    file: Path | None = None
    """None: nothing is kept."""
    theme: str = ""
    layout: dict[str, bool | int | str] = field(default_factory=dict)
    """By the name of the setting, such as `prompt.wrap`."""
    recent: list[Recent] = field(default_factory=list)
    """The last one first."""

    def opened(self, path: str, kind: str = "composition", now: Callable[[], float] = time.time) -> None:
        """That file is open now."""
        before = next((each for each in self.recent if each.path == path), None)
        self.forget(path)
        self.recent.insert(0, Recent(path, now(), kind, before.health if before else ""))
        del self.recent[RECENT:]

    def left(self, path: str, health: str) -> None:
        """How that file was at the end."""
        for each in self.recent:
            if each.path == path:
                each.health = health

    def forget(self, path: str) -> None:
        """Takes it off the list."""
        self.recent = [each for each in self.recent if each.path != path]

    def save(self) -> None:
        """Writes the file, whole or not at all; raises `OSError`. Blocks on the disk."""
        if self.file is None:
            return
        data = {
            "version": VERSION,
            "theme": self.theme,
            "layout": self.layout,
            "recent": [asdict(each) for each in self.recent],
        }
        self.file.parent.mkdir(parents=True, exist_ok=True)
        beside = self.file.with_name(f"{self.file.name}.{os.getpid()}.new")
        try:
            beside.write_text(json.dumps(data, ensure_ascii=True, indent=1), "utf-8")
            beside.replace(self.file)
        finally:
            beside.unlink(missing_ok=True)


def file_of_person() -> Path:
    """Where it is kept."""
    from platformdirs import user_state_path

    return user_state_path("prompt-workbench") / "state.json"


def load(file: Path | None) -> Memory:
    """What is remembered. A file that is not ours, or broken, is put aside and nothing is remembered."""
    memory = Memory(file)
    if file is None:
        return memory
    try:
        _fill(memory, json.loads(file.read_text("utf-8")))
    except FileNotFoundError:
        pass
    except OSError:
        memory.file = None  # it may be there and well: never written over
    except (ValueError, TypeError, KeyError):
        try:
            file.replace(file.with_suffix(".unreadable"))
        except OSError:
            memory.file = None
        memory = Memory(memory.file)
    return memory


def _fill(memory: Memory, data: Any) -> None:
    if not isinstance(data, dict) or data["version"] != VERSION:
        raise ValueError("another version")
    memory.theme = _text(data.get("theme", ""))
    layout = data.get("layout", {})
    memory.layout = {str(key): value for key, value in dict(layout).items() if isinstance(value, bool | int | str)}
    memory.recent = [
        Recent(_text(each["path"]), float(each["when"]), _text(each["kind"]), _text(each["health"]))
        for each in data.get("recent", [])
    ][:RECENT]


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
