"""The project's own instructions: every `AGENTS.md` and `CLAUDE.md` on the way to the working directory.

They are a section, or a message ahead of an agent's first assignment. Source: docs/contributors.md 5.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from workbench.plugins.instruction_chain import (
    FILE_NAMES,
    MOST_BYTES,
    POSITION,
    SECTION,
    InstructionChain,
    InstructionFile,
    candidate_files,
    instruction_chain,
    root_of,
)
from workbench.plugins.settings import Between, Settings
from workbench.prompt import TextSource
from workbench.prompt.source import Position

if TYPE_CHECKING:
    from workbench.agent.agent import Agent
    from workbench.core import Context
    from workbench.prompt import AssembleContext

log = logging.getLogger("workbench.plugins")

name = "instructions"
inject = ["system_prompt"]

LARGEST_FILE = 16 * 1024 * 1024
"""Bytes. What is larger is not read at all."""


@dataclass(frozen=True)
class Config(Settings):
    """Which files there are to look for, and how much of them the model reads."""

    directory: str | None = None
    """The chain ends here. Without it: the agent's working directory, else that of the process."""
    root: str | None = None
    """The chain begins here. Without it: the nearest directory upwards that holds `.git`."""
    names: tuple[str, ...] = FILE_NAMES
    """In the order in which those of one directory come."""
    limit: Annotated[int, Between(0, 16 * 1024 * 1024)] = MOST_BYTES
    """Bytes of all files together. What is farther away is cut first, at a line."""
    delivery: Literal["section", "message"] = "section"
    """`message`: read once, when an agent is made, and entered ahead of its first assignment. Where a team has
    roles, only its workers get it."""


def apply(ctx: Context, config: Config) -> None:
    """Register the one section, which is read anew when a file has changed; or enter messages."""
    files = _Files(config)
    if config.delivery == "message":
        ctx.on("agent/setup", _Briefing(ctx, files).enter)
        return
    prompt = ctx.system_prompt
    prompt.section(
        SECTION,
        prompt.get_section_order(POSITION),
        files.text,
        literal=True,  # Braces of a project's own files are no variables.
        source=_SourceOfFiles(SECTION, 1, 1, None, files),
    )


class _Briefing:
    """Enters the instructions into new sessions."""

    def __init__(self, ctx: Context, files: _Files) -> None:
        self._ctx = ctx
        self._files = files

    async def enter(self, agent: Agent) -> None:
        """Nothing for an agent that has them from before it was resumed."""
        from workbench.agent.messages import plugin_message
        from workbench.prompt import AssembleContext

        team = self._ctx.get("team")
        seat = None if team is None else team.seat_of(agent)
        is_others = team is not None and (seat is None or seat.role != "worker")
        if is_others or await asyncio.to_thread(_has_it, agent):
            return
        text = await asyncio.to_thread(self._files.text, AssembleContext(scope=agent, agent=agent))
        if text:
            agent.inject(plugin_message(text, name))


def _has_it(agent: Agent) -> bool:
    """Whether the log holds the message, entered or still waiting. May read a whole file."""
    for event in agent.session.events:
        messages = (event.data,) if event.type == "user/message" else event.data.get("inserted", ())
        if any(message.get("source", {}).get("plugin") == name for message in messages):
            return True
    return False


class _Files:
    """The chains of all directories that were asked for, each as long as its files stay as they are."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._chains: dict[str, tuple[tuple[object, ...], InstructionChain]] = {}

    def text(self, assembly: AssembleContext) -> str:
        try:
            directory = os.path.abspath(self._config.directory or _directory_of(assembly.agent) or os.curdir)
            root = Path(os.path.abspath(self._config.root)) if self._config.root else root_of(Path(directory))
        except FileNotFoundError:
            return ""  # The working directory of the process has been removed.
        paths = tuple(candidate_files(root, Path(directory), self._config.names))
        state = tuple(map(_state, paths))
        known = self._chains.get(directory)
        if known is None or known[0] != state:
            chain = instruction_chain(tuple(_read(root, paths)), self._config.limit)
            for remark in chain.remarks:
                log.warning("%s", remark)
            known = self._chains[directory] = (state, chain)
        return known[1].text

    def position(self, text: str, offset: int) -> Position | None:
        """Where a character of one of the texts stands."""
        for _, chain in self._chains.values():
            if chain.text == text and chain.source is not None:
                return chain.source.position(text, offset)
        return None


@dataclass(frozen=True, slots=True)
class _SourceOfFiles(TextSource):
    """Leads to whichever file the present text has a character from."""

    files: _Files | None = None

    def position(self, text: str, offset: int) -> Position:
        found = self.files.position(text, offset) if self.files else None
        return found or Position(self.file, self.line, self.column)


def _directory_of(agent: object) -> str | None:
    directory = getattr(agent, "cwd", None)
    return directory if isinstance(directory, str) and directory else None


def _state(path: Path) -> object:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _read(root: Path, paths: tuple[Path, ...]) -> Iterator[InstructionFile]:
    """The files that are there, each real one once; one that cannot be read is left out with a warning."""
    seen: set[str] = set()
    for path in paths:
        real = os.path.realpath(path)
        if real in seen or not path.is_file():
            continue
        seen.add(real)
        try:
            if path.stat().st_size > LARGEST_FILE:
                raise ValueError(f"it has more than {LARGEST_FILE:,} bytes")
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, ValueError) as error:  # A UnicodeDecodeError is a ValueError, too.
            log.warning("%s is left out of the instructions: %s", path, error)
            continue
        yield InstructionFile(str(path), os.path.relpath(path, root).replace(os.sep, "/"), text)
