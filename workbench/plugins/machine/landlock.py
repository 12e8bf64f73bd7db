"""Landlock: a Linux process gives up, for itself and its children, to write outside of some directories.

Standard library only: the launcher loads this file in a process of its own. Reading is not restricted.

Source: docs/tools.md 13.
"""

from __future__ import annotations

import os
import sys

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_SET_NO_NEW_PRIVILEGES = 38
_WRITE_FILE, _TRUNCATE, _REFER = 1 << 1, 1 << 14, 1 << 13
_CHANGES = sum(1 << bit for bit in (1, 4, 5, 6, 7, 8, 9, 10, 11, 12))
"""Writing files; removing and making entries of directories."""
_MACHINES = ("x86_64", "aarch64", "riscv64")
"""Where the numbers above hold."""
DEVICES = (
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
)


def version() -> int:
    """The version of the kernel's interface; 0 where there is none."""
    if not sys.platform.startswith("linux") or os.uname().machine not in _MACHINES:
        return 0
    import ctypes

    answer = int(ctypes.CDLL(None, use_errno=True).syscall(_CREATE_RULESET, None, 0, 1))
    return max(answer, 0)


def confines_commands() -> bool:
    """Whether this system keeps a command to some directories. Asked once."""
    if not _answers:
        _answers.append(version() > 0)
    return _answers[0]


_answers: list[bool] = []


def forbid_writing_outside(directories: list[str]) -> None:
    """From here on, only what lies in these directories can be changed. Raises `OSError`."""
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    known = version()
    if known == 0:
        raise OSError("this system has no Landlock")
    handled = _CHANGES | (_REFER if known >= 2 else 0) | (_TRUNCATE if known >= 3 else 0)

    def checked(result: int, what: str) -> int:
        if result < 0:
            raise OSError(ctypes.get_errno(), what)
        return result

    attributes = ctypes.create_string_buffer(handled.to_bytes(8, sys.byteorder), 8)
    ruleset = checked(library.syscall(_CREATE_RULESET, attributes, 8, 0), "landlock_create_ruleset")
    for path in (*directories, *DEVICES):
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue  # what is not there needs no rule
        allowed = handled if os.path.isdir(path) else handled & (_WRITE_FILE | _TRUNCATE)
        rule = allowed.to_bytes(8, sys.byteorder) + place.to_bytes(4, sys.byteorder, signed=True)
        beneath = ctypes.create_string_buffer(rule, 12)
        checked(library.syscall(_ADD_RULE, ruleset, 1, beneath, 0), "landlock_add_rule")
        os.close(place)
    checked(library.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "prctl")
    checked(library.syscall(_RESTRICT_SELF, ruleset, 0), "landlock_restrict_self")
    os.close(ruleset)
