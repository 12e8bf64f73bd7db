"""A PostgreSQL server of the tests' own, where the machine has one."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = ("initdb", "pg_ctl", "psql")
USER = "postgres"
"""Its programs refuse to be run by root; the package of the system makes this account."""


class NoServer(Exception):
    """The text says what is missing."""


@dataclass
class Server:
    """Runs until the end of the `with`; reached through a socket in its folder alone."""

    programs: Path
    folder: Path

    def url(self, database: str = "postgres") -> str:
        return f"postgresql+psycopg://team@/{database}?host={self.folder}"

    def run(self, program: str, *words: str) -> str:
        done = subprocess.run(
            [self.programs / program, *words],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            user=USER if os.geteuid() == 0 else None,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self) -> None:
        options = f"-k {self.folder} -h '' -F"
        self.run(
            "pg_ctl", "-D", str(self.folder / "data"), "-l", str(self.folder / "log"), "-o", options, "-w", "start"
        )

    def stop(self) -> None:
        self.run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "-w", "stop")

    def sql(self, statement: str, database: str = "postgres") -> str:
        return self.run(
            "psql", "-h", str(self.folder), "-U", "team", "-d", database, "-At", "-c", statement
        ).strip()


def programs() -> Path:
    """The folder of the programs. Raises `NoServer`."""
    on_path = [Path(found).resolve().parent for found in map(shutil.which, PROGRAMS) if found]
    for folder in (*on_path, *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)):
        if all((folder / program).exists() for program in PROGRAMS):
            return folder
    raise NoServer("there is no PostgreSQL on this machine")


@contextmanager
def server() -> Iterator[Server]:
    """A server with an empty database. Raises `NoServer`."""
    where = programs()
    with tempfile.TemporaryDirectory(prefix="team-pg-", ignore_cleanup_errors=True) as name:
        made = Server(where, Path(name))
        if os.geteuid() == 0:
            try:
                shutil.chown(name, USER)
            except LookupError:
                raise NoServer(f"this machine has no account {USER!r}, and root may not run a server") from None
        made.run("initdb", "-D", str(made.folder / "data"), "-A", "trust", "-U", "team", "--no-sync")
        made.start()
        try:
            yield made
        finally:
            made.stop()
