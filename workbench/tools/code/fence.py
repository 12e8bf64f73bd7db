"""What a program is kept from. Loaded by the child process of `run_code`, without the package.

Source: docs/tools.md 10.3.
"""

from __future__ import annotations

import os
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

FORBIDDEN = (
    "subprocess.",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.fork",
    "os.forkpty",
    "pty.spawn",
    "os.startfile",
    "socket.",
    "ctypes.",
    "os.remove",
    "os.rename",
    "os.mkdir",
    "os.rmdir",
    "os.chmod",
    "os.chown",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.utime",
    "os.setxattr",
    "os.kill",
    "os.killpg",
    "shutil.",
    "mmap.",
    "os.lockf",
    "fcntl.",
    "sqlite3.connect",
    "ftplib.",
    "smtplib.",
    "urllib.Request",
    "webbrowser.open",
    "winreg.",
    "os.chdir",
    "os.chroot",
    "signal.pthread_kill",
    "resource.",
)
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def fence(readable: set[str]) -> None:
    """Keep honest programs to their tools. This is no boundary against one that means to get out."""
    prefixes = tuple(os.path.realpath(path) + os.sep for path in readable)
    open_flag = threading.local()

    def refuse(what: str) -> NoReturn:
        raise PermissionError(
            f"{what} is not available to a program: it reaches files, commands and the network through its "
            "tools only, such as tools.read(...)"
        )

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if getattr(open_flag, "inside", False):
            return
        if event == "open":
            path, mode, flags = args
            if isinstance(path, int):
                return
            if (isinstance(flags, int) and flags & WRITES) or (isinstance(mode, str) and set(mode) & set("wax+")):
                refuse(f"writing {path!r}")
            if not allowed(path):
                refuse(f"reading {path!r}")
        elif event in ("os.listdir", "os.scandir"):
            if args[0] is not None and not isinstance(args[0], int) and not allowed(args[0]):
                refuse(f"listing {args[0]!r}")
        elif event.startswith(FORBIDDEN):
            if event == "socket.__new__" or event == "socket.gethostname":
                return  # the loop of asyncio makes a pair for itself
            refuse(event)

    def allowed(path: Any) -> bool:
        open_flag.inside = True
        try:
            real: Any = os.path.realpath(os.fspath(path))
            if isinstance(real, bytes):
                real = os.fsdecode(real)
            return bool((real + os.sep).startswith(prefixes)) or real == os.devnull
        finally:
            open_flag.inside = False

    sys.addaudithook(hook)


def give_up_rights() -> None:
    """Where the kernel can, it sees to what the fence only asks for: nothing is written, started or reached."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "confine"))
    try:
        from landlock import forbid_everything_but_reading  # type: ignore[import-not-found]

        forbid_everything_but_reading()
    except (ImportError, OSError):
        pass  # not on this system
    del sys.path[0]
    for name in [name for name in sys.modules if name.startswith(("ctypes", "_ctypes", "landlock"))]:
        del sys.modules[name]


def limit_memory(most: int) -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):
        pass  # not on this system
