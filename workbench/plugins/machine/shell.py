"""The service `shell`: commands of this machine, in the foreground and as background jobs.

Source: docs/tools.md 12.2.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from workbench.plugins.machine.jobs import Job
from workbench.plugins.machine.places import Places, Refused
from workbench.tools import confine
from workbench.tools.confine.landlock import confines_commands
from workbench.tools.processes import EndedProcess, ProcessGroup, run_captured
from workbench.tools.waiting import to_the_end

LAUNCHER = Path(confine.__file__).with_name("launcher.py")
Dialect = Literal["bash", "pwsh"]
MAX_OUTPUT_BYTES = 64 * 1024
"""Of each output of a foreground command: the beginning and the end are kept."""
MAX_JOBS = 64


@dataclass(frozen=True, slots=True)
class CommandPlace:
    """Where and how a command runs."""

    directory: str
    confined_to: tuple[str, ...] | None
    """Directories that it can change; None: all that the process can."""


class LocalShell:
    """`ctx.shell`. Every command is a new shell in a process group of its own."""

    def __init__(
        self,
        places: Places,
        dialect: Dialect | None = None,
        key_variables: Callable[[], Collection[str]] = frozenset,
    ) -> None:
        """`key_variables`: environment variables that hold keys, whatever they are called."""
        self.places = places
        self._key_variables = key_variables
        self._dialect = dialect
        self._temporary: str | None = None
        self._count = 0
        self.jobs: dict[str, Job] = {}
        """Background jobs by id, in order of their start."""

    async def run(
        self,
        command: str,
        *,
        cwd: str | None = None,
        directory: str | None = None,
        timeout_seconds: float | None = 120,
        dialect: Dialect = "bash",
        output_bytes: int = MAX_OUTPUT_BYTES,
    ) -> EndedProcess:
        """Run a command to its end. Its whole process group is killed when its time is over, when this is
        cancelled, and when the shell has ended. Raises `Refused`."""
        place = self._place(cwd, directory)
        try:
            return await run_captured(
                self._line(command, dialect, place),
                cwd=place.directory,
                env=self._environment(),
                seconds=timeout_seconds,
                most_bytes=output_bytes,
            )
        except OSError as error:
            raise Refused("SYSTEM_ERROR", f"the command could not be started: {error.strerror or error}") from error

    async def start(
        self,
        command: str,
        *,
        purpose: str = "",
        cwd: str | None = None,
        directory: str | None = None,
        dialect: Dialect = "bash",
        owner: str = "",
    ) -> Job:
        """Start a background job, for a session if `owner` names one. Raises `Refused`."""
        running = sum(job.is_running for job in self.jobs.values())
        if running >= MAX_JOBS:
            raise Refused("TOO_MANY_JOBS", f"{running} jobs are running; stop one first")
        place = self._place(cwd, directory)
        try:
            group = ProcessGroup.start(
                self._line(command, dialect, place), cwd=place.directory, env=self._environment()
            )
        except OSError as error:
            raise Refused("SYSTEM_ERROR", f"the job could not be started: {error.strerror or error}") from error
        self._count += 1
        job = self.jobs[f"job-{self._count}"] = Job(f"job-{self._count}", command, purpose, owner, group)
        self._forget_old()
        return job

    def job(self, job_id: str, owner: str = "") -> Job:
        """A job of this owner. Raises `Refused`; the job of somebody else reads as not existing."""
        job = self.jobs.get(job_id)
        if job is None or job.owner != owner:
            known = ", ".join(each.id for each in self.jobs.values() if each.owner == owner) or "(none)"
            raise Refused("NO_SUCH_JOB", f"there is no job {job_id!r}; there are: {known}")
        return job

    async def close(self) -> None:
        """Kill every job, and wait for the end of all."""
        if self.jobs:
            await asyncio.wait([asyncio.ensure_future(job.stop(0)) for job in self.jobs.values()])
            self.jobs.clear()
        if self._temporary is not None:
            folder, self._temporary = self._temporary, None
            await asyncio.to_thread(shutil.rmtree, folder, True)

    async def close_of(self, owner: str) -> None:
        """Kill and forget the jobs of one session."""
        jobs = [job for job in self.jobs.values() if job.owner == owner]
        if jobs:
            await to_the_end(_all_stopped(jobs))
        for job in jobs:
            self.jobs.pop(job.id, None)

    def _forget_old(self) -> None:
        ended = [job for job in self.jobs.values() if not job.is_running]
        for job in ended[:-MAX_JOBS]:
            del self.jobs[job.id]

    def _place(self, cwd: str | None, directory: str | None) -> CommandPlace:
        folder = self.places.resolve(directory or ".", cwd)
        if not os.path.isdir(folder):
            raise Refused("NOT_FOUND", f"{self.places.shown(folder, cwd)} is no directory")
        confined = self.places.is_confined and confines_commands()
        return CommandPlace(folder, self.places.roots(cwd, writing=True) if confined else None)

    def _line(self, command: str, dialect: Dialect, place: CommandPlace) -> Sequence[str]:
        if "\0" in command:
            raise Refused("INVALID_COMMAND", "a command cannot hold the character NUL")
        name = self._dialect or dialect
        shell = shutil.which(name)
        if shell is None:
            raise Refused("NO_SHELL", f"{name} is not installed on this machine")
        own = (
            [shell, "-c", command]
            if name == "bash"
            else [shell, "-NoProfile", "-NonInteractive", "-Command", command]
        )
        if place.confined_to is None:
            return own
        return [sys.executable, "-I", "-S", str(LAUNCHER), *place.confined_to, self._temporary_folder(), "--", *own]

    def _environment(self) -> dict[str, str]:
        """That of this process, with a temporary folder that commands can write to, and no terminal to wait for."""
        keys = self._key_variables()
        environment = {
            name: value for name, value in os.environ.items() if name not in keys and not _is_secret(name)
        }
        environment |= {"TMPDIR": self._temporary_folder(), "GIT_TERMINAL_PROMPT": "0", "PAGER": "cat"}
        return environment

    def _temporary_folder(self) -> str:
        if self._temporary is None:
            self._temporary = os.path.realpath(tempfile.mkdtemp(prefix="workbench-"))
        return self._temporary


def _is_secret(name: str) -> bool:
    """Whether a variable holds a key by its name: models have no need of the keys of their providers."""
    return name.upper().endswith(("_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_CREDENTIALS"))


async def _all_stopped(jobs: Sequence[Job]) -> None:
    for job in jobs:
        await job.stop(0)
