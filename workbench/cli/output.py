"""Standard output and standard error: bytes for pipes, visible text for terminals, colours where wanted."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, TextIO

from workbench.visible import visible

Style = Literal["bold", "dim", "red", "green", "yellow", "cyan"]

_CODES: dict[Style, str] = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "cyan": "36",
}


class Output:
    """One standard stream, as a command writes to it."""

    def __init__(self, stream: TextIO, environment: Mapping[str, str] = os.environ) -> None:
        self._stream = stream
        self.is_terminal = stream.isatty()
        self.has_colours = _has_colours(self.is_terminal, environment)

    def text(self, text: str) -> None:
        """Write outside text and one line end: as it is into a pipe, made visible on a terminal.

        An empty text gives no line.
        """
        if text:
            self._write((visible(text) if self.is_terminal else text) + "\n")

    def piece(self, text: str) -> None:
        """Write a piece of outside text without a line end; the rest of the line follows."""
        self._write(visible(text) if self.is_terminal else text)

    def json(self, document: str | Iterable[str]) -> None:
        """Write a JSON document, or its pieces, and one line end.

        On a terminal, what could steer it is escaped as JSON does.
        """
        for piece in (document,) if isinstance(document, str) else document:
            is_harmless = not self.is_terminal or not visible(piece).marks
            units = () if is_harmless else _utf16(piece)
            self._write(piece if is_harmless else "".join(f"\\u{u:04x}" if u > 0x7E else chr(u) for u in units))
        self._write("\n")

    def line(self, *pieces: str) -> None:
        """Write one line of our own making. Outside text in it has been through `visible` already."""
        self._write("".join(pieces) + "\n")

    def lines(self, lines: Iterable[str]) -> None:
        """Write several such lines."""
        for line in lines:
            self.line(line)

    def styled(self, text: str, style: Style) -> str:
        """`text` in a colour or weight, where this stream shows any."""
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self.has_colours and text else text

    def _write(self, text: str) -> None:
        # A lone surrogate has no UTF-8; its escape at least says what it is, and is what JSON writes.
        content = text.encode("utf-8", "backslashreplace")
        try:
            self._stream.flush()
            self._stream.buffer.write(content)
            self._stream.flush()
        except BrokenPipeError:
            self._let_go()

    def _let_go(self) -> None:
        """Whoever read the pipe has read enough. The command goes on, so that its exit code stays true."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)


def standard_output() -> Output:
    """The stream that carries results."""
    return Output(sys.stdout)


def standard_error() -> Output:
    """The stream that carries diagnostics."""
    return Output(sys.stderr)


def _utf16(text: str) -> Iterator[int]:
    content = text.encode("utf-16-be", "surrogatepass")
    return (high << 8 | low for high, low in zip(content[::2], content[1::2], strict=True))


def _has_colours(is_terminal: bool, environment: Mapping[str, str]) -> bool:
    """NO_COLOR wins over FORCE_COLOR, and both count when they are not empty."""
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return environment["FORCE_COLOR"] != "0"
    return is_terminal and environment.get("TERM") != "dumb"
