"""Reading and writing text files, as plain functions that block.

Source: docs/tools.md 12.1.
"""

from __future__ import annotations

import os
import secrets
import stat
from dataclasses import dataclass

from workbench.plugins.machine.places import Refused
from workbench.plugins.machine.threads import StopSign

MAX_PART_BYTES = 256 * 1024
"""Of the lines that one reading returns."""
MAX_LINE = 2000
"""Characters of one line; the rest is left out, with a mark."""
MAX_WHOLE_BYTES = 16 * 1024 * 1024
"""A file that is edited, or read as a whole."""
SNIFFED_BYTES = 8192


@dataclass(frozen=True, slots=True)
class TextPart:
    """Some lines of a file."""

    path: str
    first_line: int
    lines: tuple[str, ...]
    """Without their line ends; a very long one is cut."""
    next_line: int | None
    """Where to go on; None: the file has no further lines."""


@dataclass(frozen=True, slots=True)
class Written:
    """A file that was written."""

    path: str
    is_new: bool
    size: int
    """Bytes."""


@dataclass(frozen=True, slots=True)
class Edited:
    """A file in which passages were replaced."""

    path: str
    replaced: int
    first_line: int
    """Line of the first one, from 1."""


def read_part(real: str, shown: str, first_line: int, line_count: int, stop: StopSign) -> TextPart:
    """Lines of a text file. Raises `Refused` for what is no text, `Stopped` when it is not wanted any more."""
    lines: list[str] = []
    size = 0
    number = 0
    with _opened(real, shown) as file:
        _check_text(file, shown)
        while True:
            if number % 1000 == 0:
                stop.check()
            number += 1
            raw = file.readline(MAX_LINE * 4 + 2)
            if not raw:
                break
            is_whole = raw.endswith(b"\n")
            while not is_whole:  # drop the rest of a long line
                rest = file.readline(1 << 20)
                stop.check()
                if not rest:
                    break
                is_whole = rest.endswith(b"\n")
            if number < first_line:
                continue
            if len(lines) == line_count or (size > MAX_PART_BYTES and lines):
                return TextPart(shown, first_line, tuple(lines), number)
            text = _decoded(raw, shown, number)
            size += len(raw)
            lines.append(text)
    if first_line > max(number - 1, 1):
        raise Refused("NO_SUCH_LINE", f"{shown} has {number - 1} lines; line {first_line} is behind its end")
    return TextPart(shown, first_line, tuple(lines), None)


def read_whole(real: str, shown: str, stop: StopSign) -> str:
    """The whole text of a file, line ends as they are. Raises `Refused` for a large one, and for no text."""
    with _opened(real, shown) as file:
        _check_text(file, shown)
        raw = file.read(MAX_WHOLE_BYTES + 1)
    stop.check()
    if len(raw) > MAX_WHOLE_BYTES:
        raise Refused("TOO_LARGE", f"{shown} has more than {MAX_WHOLE_BYTES // 1024 // 1024} MB")
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise _no_text(shown, error.start) from error


def write_whole(real: str, shown: str, content: str) -> Written:
    """Write a file, and the directories on its way. Nobody ever sees half of it. Raises `Refused`."""
    try:
        data = content.encode()
    except UnicodeEncodeError as error:
        raise Refused("NOT_TEXT", f"the content holds half of a character at {error.start}") from error
    try:
        found = os.stat(real)
    except FileNotFoundError:
        found = None
    except NotADirectoryError as error:
        raise Refused("NOT_A_DIRECTORY", f"{shown}: a file stands where a directory would be") from error
    except OSError as error:
        raise _system(shown, error) from error
    if found is not None and stat.S_ISDIR(found.st_mode):
        raise Refused("IS_DIRECTORY", f"{shown} is a directory")
    if found is not None and not stat.S_ISREG(found.st_mode):
        raise Refused("NOT_A_FILE", f"{shown} is no regular file")
    if found is not None and not os.access(real, os.W_OK):
        raise Refused("NOT_PERMITTED", f"{shown} is write-protected")
    folder = os.path.dirname(real)
    try:
        os.makedirs(folder, exist_ok=True)
        temporary = os.path.join(folder, f".{secrets.token_hex(8)}.part")
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if found is not None:
                os.chmod(temporary, stat.S_IMODE(found.st_mode))
            os.replace(temporary, real)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise _system(shown, error) from error
    return Written(shown, found is None, len(data))


def replace_in(real: str, shown: str, old: str, new: str, occurrences: int, stop: StopSign) -> Edited:
    """Replace a passage that occurs exactly so often. Raises `Refused`, and then nothing has changed."""
    text = read_whole(real, shown, stop)
    found = text.count(old)
    if found != occurrences:
        raise _wrong_count(shown, text, old, found, occurrences)
    stop.check()
    write_whole(real, shown, text.replace(old, new))
    return Edited(shown, found, text.count("\n", 0, text.index(old)) + 1)


def _wrong_count(shown: str, text: str, old: str, found: int, occurrences: int) -> Refused:
    if found == 0:
        hint = ""
        if "\r\n" in text and "\r\n" not in old and old.replace("\n", "\r\n") in text:
            hint = "; the lines of this file end with CRLF, and those of the passage do not"
        elif " ".join(old.split()) and " ".join(old.split()) in " ".join(text.split()):
            hint = "; it does with other white space: read that part again"
        return Refused("NO_MATCH", f"the passage does not occur in {shown}{hint}. Nothing was changed")
    lines: list[str] = []
    at = -1
    while (at := text.find(old, at + 1)) >= 0 and len(lines) < 10:
        lines.append(str(text.count("\n", 0, at) + 1))
    return Refused(
        "WRONG_COUNT",
        f"the passage occurs {found} times in {shown}, not {occurrences} (first in lines {', '.join(lines)}): "
        "choose a longer passage, or say how often it occurs. Nothing was changed",
    )


class _File:
    """A regular file, opened without following a last link and without waiting for anybody."""

    def __init__(self, real: str, shown: str) -> None:
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
        flags |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        try:
            handle = os.open(real, flags)
        except OSError as error:
            raise _system(shown, error) from error
        kind = os.fstat(handle).st_mode
        if not stat.S_ISREG(kind):
            os.close(handle)
            if stat.S_ISDIR(kind):
                raise Refused("IS_DIRECTORY", f"{shown} is a directory; list it with glob")
            raise Refused("NOT_A_FILE", f"{shown} is no regular file")
        self._file = os.fdopen(handle, "rb")

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *_error: object) -> None:
        self._file.close()

    def read(self, size: int) -> bytes:
        return self._file.read(size)

    def readline(self, size: int) -> bytes:
        return self._file.readline(size)

    def rewind(self) -> None:
        self._file.seek(0)


def _opened(real: str, shown: str) -> _File:
    return _File(real, shown)


def _check_text(file: _File, shown: str) -> None:
    if b"\0" in file.read(SNIFFED_BYTES):
        raise Refused("BINARY", f"{shown} is a binary file")
    file.rewind()


def _decoded(raw: bytes, shown: str, number: int) -> str:
    text_bytes = raw.rstrip(b"\r\n")
    try:
        text = text_bytes.decode()
    except UnicodeDecodeError as error:
        if len(raw) > MAX_LINE * 4 and error.start >= len(text_bytes) - 4:
            text = text_bytes[: error.start].decode()  # the cut went through a character
        else:
            raise Refused("NOT_TEXT", f"{shown} is no UTF-8 text (line {number})") from error
    if number == 1:
        text = text.removeprefix("\ufeff")
    if "\0" in text:
        raise Refused("BINARY", f"{shown} is a binary file")
    return text if len(text) <= MAX_LINE else f"{text[:MAX_LINE]}… [the line goes on]"


def _no_text(shown: str, offset: int) -> Refused:
    return Refused("NOT_TEXT", f"{shown} is no UTF-8 text (byte {offset})")


def _system(shown: str, error: OSError) -> Refused:
    if isinstance(error, FileNotFoundError):
        return Refused("NOT_FOUND", f"{shown} is not there")
    if isinstance(error, PermissionError):
        return Refused("NOT_PERMITTED", f"{shown}: permission denied")
    return Refused("SYSTEM_ERROR", f"{shown}: {error.strerror or error}")
