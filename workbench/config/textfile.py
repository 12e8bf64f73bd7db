"""Files to text: the one door by which a file's bytes enter a composition.

Line ends become LF here, and only here, so that a file gives the same prompt on every system.
Source: docs/compositions.md 11.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from workbench.config.problems import LoadError, LoadProblem

MIB = 1024 * 1024
COMPOSITION_LIMIT = 1 * MIB
"""Bytes of a composition. Longer texts belong into files of their own, which are read, not parsed."""
TEXT_LIMIT = 16 * MIB
"""Bytes of one text: several million tokens, more than any model reads."""

_BYTE_ORDER_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file that was read, its line ends made LF."""

    name: str
    """As the person named it."""
    path: Path
    text: str

    @property
    def content_hash(self) -> str:
        """SHA-256 of the text; the same for LF and CRLF, with and without a byte order mark."""
        from hashlib import sha256

        return sha256(self.text.encode()).hexdigest()


def read_text(path: Path, name: str, limit: int = TEXT_LIMIT) -> TextFile:
    """Read `path`, called `name` in messages. Raises `LoadError` with one problem when that is impossible."""
    return TextFile(name, path, decode(_read_bytes(path, name, limit), name))


def decode(content: bytes, name: str) -> str:
    """UTF-8 bytes to text with LF line ends. Control characters, NUL included, are text."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            _refuse(name, f"this is {encoding}, by the byte order mark that it starts with", _AS_UTF8)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        _refuse_bytes(content, error, name)
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


_AS_UTF8 = "save it as UTF-8"


def _read_bytes(path: Path, name: str, limit: int) -> bytes:
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            # One byte more than allowed is enough to know, also for a device that never ends.
            content = b"" if size > limit else file.read(limit + 1)
    except FileNotFoundError:
        _refuse(name, "there is no such file", "check the path")
    except IsADirectoryError:
        _refuse(name, "this is a directory", "name a file in it")
    except PermissionError:
        _refuse(name, "the file cannot be read: permission denied", "make it readable for this user")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        _refuse(name, f"the file cannot be read: {reason}", "check the path")
    if size > limit or len(content) > limit:
        measured = f"has {size:,} bytes" if size > limit else "is longer"
        remedy = (
            "move long texts into files of their own and name them with `file:`"
            if limit == COMPOSITION_LIMIT
            else "keep only what belongs into a prompt"
        )
        _refuse(name, f"{limit // MIB} MiB is the limit here, and the file {measured}", remedy)
    return content


def _refuse_bytes(content: bytes, error: UnicodeDecodeError, name: str) -> NoReturn:
    before = content[: error.start]
    line = before.count(b"\n") + 1
    column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8")) + 1
    if error.reason == "unexpected end of data":
        message = f"the file ends inside a character, at byte {error.start:,}: it was saved only in part"
        remedy = "save it again"
    else:
        message = f"this is not UTF-8 text: byte {error.start:,} is 0x{content[error.start]:02X}"
        remedy = f"{_AS_UTF8}; a binary file cannot be a text"
    raise LoadError([LoadProblem(name, line, column, "", message, remedy)])


def _refuse(name: str, message: str, remedy: str) -> NoReturn:
    raise LoadError([LoadProblem(name, None, None, "", message, remedy)])
