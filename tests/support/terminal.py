"""A program in a terminal of its own, seen as the bytes that the terminal receives. POSIX only."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).parent.parent.parent

PATIENCE = 45.0
"""Seconds until a test gives up: other suites may share the cores."""

ESCAPE = "\x1b[27u"
"""The escape key as newer terminals send it. A lone ESC byte is known by the pause behind it, which no test can
promise on a busy machine: with the next key it would be that key with alt."""

SEQUENCE = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[P_^X][^\x1b]*\x1b\\|[ -/]*[0-~])"
)
"""One control sequence."""


class Terminal:
    """Runs Python code, or another program, until it ends or is closed."""

    def __init__(
        self,
        code: str,
        *args: str,
        columns: int = 120,
        rows: int = 40,
        environ: Mapping[str, str] | None = None,
        program: Sequence[str] = (),
    ) -> None:
        """`program`: the words of a command line, in place of Python with the code."""
        words = [*(program or (sys.executable, "-c", code)), *args]
        self.received = b""
        self._has_ended = False
        self.pid, self._file = pty.fork()
        size = struct.pack("HHHH", rows, columns, 0, 0)
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, size)
            os.chdir(ROOT)
            for name in ("COLUMNS", "LINES"):  # a worker of xdist gets those that readline has made up
                os.environ.pop(name, None)
            os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", LC_ALL="C.UTF-8", **(environ or {}))
            # Not execv: readline has put a size of its own into the environment of C.
            os.execve(words[0], words, os.environ)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.pid = 0
        os.close(self._file)

    def send(self, keys: str) -> None:
        """Types."""
        self.send_bytes(keys.encode())

    def send_bytes(self, sent: bytes) -> None:
        """What no keyboard sends, or not in one go."""
        os.write(self._file, sent)

    def resize(self, columns: int, rows: int) -> None:
        """As if the person had dragged the corner of the window."""
        fcntl.ioctl(self._file, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds: float) -> bytes:
        """What comes next, or nothing after so long."""
        return self._read(seconds)

    def attributes(self) -> list[object]:
        """What the line discipline does, such as echo and line editing."""
        return list(termios.tcgetattr(self._file))

    def wait_for(self, text: str, seconds: float = PATIENCE) -> None:
        """Reads until the text has come since the last wait, control sequences left out."""
        end = time.monotonic() + seconds
        fresh = b""
        seen = 0
        while text not in plain(fresh[max(0, seen - 4096) :]):  # a sequence may come in two pieces
            if time.monotonic() > end or self._has_ended:
                raise AssertionError(f"{text!r} did not come; {plain(fresh)[-2000:]!r}")
            seen = len(fresh)
            fresh += self._read(0.1)

    def rest(self, seconds: float = 0.15) -> None:
        """Reads until nothing more comes for a while."""
        while self._read(seconds):
            pass

    def end(self, seconds: float = PATIENCE) -> int:
        """Waits for the program to end; its exit code, negative for a signal."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.pid = 0
                return os.waitstatus_to_exitcode(status)
        raise AssertionError(f"still running; {plain(self.received)[-2000:]!r}")

    def hang_up(self, seconds: float = PATIENCE) -> int:
        """The terminal goes away, as a closed window does; the exit code of the program."""
        os.close(self._file)
        self._file = os.open(os.devnull, os.O_RDONLY)  # to be closed in its place
        return self.end(seconds)

    def _read(self, seconds: float) -> bytes:
        if not select.select([self._file], [], [], seconds)[0]:
            return b""
        try:
            data = os.read(self._file, 65536)
        except OSError:
            data = b""
        self._has_ended = not data
        self.received += data
        return data


def plain(data: bytes) -> str:
    """What is written, without control sequences."""
    return SEQUENCE.sub(b"", data).decode("utf-8", "replace")
