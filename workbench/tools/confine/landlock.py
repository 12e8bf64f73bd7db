"""Landlock: a Linux process gives up rights, for itself and for all that it starts.

Standard library only: this file is loaded by processes that do not have the package. Reading stays possible.

Source: docs/tools.md 13.
"""

from __future__ import annotations

import os
import sys

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_SET_NO_NEW_PRIVILEGES = 38
_EXECUTE, _WRITE_FILE, _REFER, _TRUNCATE = 1 << 0, 1 << 1, 1 << 13, 1 << 14
_TCP = 1 << 0 | 1 << 1
"""Binding and connecting."""
_ABSTRACT_SOCKETS, _SIGNALS = 1 << 0, 1 << 1
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
    """From here on, only what lies in these directories, and devices, can be changed. Raises `OSError`."""
    _restrict(_changes(version()), (*directories, *DEVICES), 0, 0)


def forbid_everything_but_reading() -> None:
    """From here on: no file is changed, no program started, nobody connected to or signalled, as far as the
    kernel knows how. Raises `OSError`."""
    known = version()
    network = _TCP if known >= 4 else 0
    scopes = _ABSTRACT_SOCKETS | _SIGNALS if known >= 6 else 0
    _restrict(_changes(known) | _EXECUTE, (), network, scopes)


def _changes(known: int) -> int:
    return _CHANGES | (_REFER if known >= 2 else 0) | (_TRUNCATE if known >= 3 else 0)


def _restrict(handled: int, places: tuple[str, ...], network: int, scopes: int) -> None:
    import ctypes

    if version() == 0:
        raise OSError("this system has no Landlock")
    library = ctypes.CDLL(None, use_errno=True)

    def checked(result: int, what: str) -> int:
        if result < 0:
            raise OSError(ctypes.get_errno(), what)
        return result

    fields = [handled, network, scopes]
    while len(fields) > 1 and not fields[-1]:
        fields.pop()  # older kernels know the first ones only
    packed = b"".join(field.to_bytes(8, sys.byteorder) for field in fields)
    attributes = ctypes.create_string_buffer(packed, len(packed))
    ruleset = checked(library.syscall(_CREATE_RULESET, attributes, len(packed), 0), "landlock_create_ruleset")
    for path in places:
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
