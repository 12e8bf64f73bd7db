"""The piece of a source file where a text or some code stands, with its colours.

Pygments is imported when the first file is shown. Reading and colouring are for a thread.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.prompt.source import TextSource
from workbench.tui.view.pieces import Role
from workbench.tui.view.registry_document import Coloured

if TYPE_CHECKING:
    from pygments.lexer import Lexer

LINES: Final = 80
"""Lines that are shown, at most."""
BEFORE: Final = 2
"""Lines in front of the place."""
LARGEST: Final = 4_000_000
"""Bytes of a file that is still read."""
LONGEST: Final = 400
"""Characters of a line up to which its file is coloured: a longer one is data, and slow."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a file."""

    source: TextSource
    first_line: int = 1
    text: str = ""
    runs: tuple[Coloured, ...] = ()
    error: str = ""
    """Why there are none."""


def read_excerpt(source: TextSource, text_lines: int = 1) -> Excerpt:
    """The lines around a place, `text_lines` of them its own; code goes to the end of its block."""
    try:
        lines = _lines_of(source.file)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return Excerpt(source, error=f"the file cannot be shown: {reason}")
    if not 0 < source.line <= len(lines):
        return Excerpt(source, error=f"the file has no line {source.line} any more")
    first = max(1, source.line - BEFORE)
    last = source.line + max(1, text_lines) - 1
    if source.indent is None and source.file.endswith(".py"):
        first, last = source.line, _end_of_block(lines, source.line)
    else:
        last += BEFORE
    last = min(len(lines), last, first + LINES - 1)
    while last > source.line and not lines[last - 1].strip():
        last -= 1
    text = "\n".join(lines[first - 1 : last])
    return Excerpt(source, first, text, coloured(source.file, text))


def json_runs(text: str) -> tuple[Coloured, ...]:
    """The colours of a JSON document."""
    return coloured("schema.json", text)


def _lines_of(file: str) -> list[str]:
    found = os.stat(file)
    if not stat.S_ISREG(found.st_mode):
        raise ValueError("it is no ordinary file")
    if found.st_size > LARGEST:
        raise ValueError("it is too long")
    with open(file, encoding="utf-8-sig", errors="replace", newline="") as stream:
        text = stream.read()
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _end_of_block(lines: list[str], line: int) -> int:
    """The last line of the function or class that begins there; decorators belong to it."""
    import inspect

    try:
        block = inspect.getblock([each + "\n" for each in lines[line - 1 :]])
    except (SyntaxError, IndentationError, IndexError):
        return line + BEFORE
    return line + len(block) - 1


def coloured(file: str, text: str) -> tuple[Coloured, ...]:
    """Colours of a source, by the ending of its name; () where the language is not known or a line too long."""
    if any(len(line) > LONGEST for line in text.split("\n")):
        return ()
    lexer = _lexer_for(file)
    if lexer is None:
        return ()
    from pygments.token import Comment, Generic, Keyword, Literal, Name, String, Token

    looks: dict[object, tuple[Role, bool]] = {
        Comment: ("faint", False),
        Keyword: ("strong", True),
        Keyword.Constant: ("value", False),
        Literal: ("value", False),
        String: ("value", False),
        Name.Tag: ("strong", False),
        Name.Function: ("listener", False),
        Name.Class: ("listener", False),
        Name.Decorator: ("listener", False),
        Generic.Heading: ("strong", True),
        Generic.Subheading: ("strong", True),
        Generic.Strong: ("text", True),
        Token.Literal.Scalar.Plain: ("text", False),
    }
    runs: list[Coloured] = []
    for offset, kind, value in lexer.get_tokens_unprocessed(text):
        parent: object = kind
        while parent is not None and parent not in looks:
            parent = getattr(parent, "parent", None)
        if parent is not None and value.strip():
            role, bold = looks[parent]
            runs.append(Coloured(offset, offset + len(value), role, bold))
    return tuple(runs)


def _lexer_for(file: str) -> Lexer | None:
    from pygments import lexers

    named = {
        ".py": lexers.PythonLexer,
        ".yml": lexers.YamlLexer,
        ".yaml": lexers.YamlLexer,
        ".json": lexers.JsonLexer,
        ".md": lexers.MarkdownLexer,
        ".toml": lexers.TOMLLexer,
        ".js": lexers.JavascriptLexer,
    }
    made = named.get(os.path.splitext(file)[1].lower())
    return made(stripnl=False, ensurenl=False) if made is not None else None
