"""YAML front matter: settings between two lines of three dashes, in front of a text."""

from __future__ import annotations

import re
from typing import NamedTuple

_FENCED = re.compile(r"---[ \t]*\n(?P<settings>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_EMPTY_LINES = re.compile(r"(?:[ \t]*\n)*")


class FrontMatter(NamedTuple):
    """A file in its two parts."""

    settings: str
    """The YAML. It begins on line 2 of the file."""
    body: str
    """The text, without the empty lines in front of it."""
    body_line: int
    """Line of the body's first character, from 1."""


def split_front_matter(text: str) -> FrontMatter | None:
    """The two parts of a file with LF line ends; None when it has no front matter."""
    fenced = _FENCED.match(text)
    if fenced is None:
        return None
    begins = fenced.end()
    empty = _EMPTY_LINES.match(text, begins)
    if empty is not None:
        begins = empty.end()
    return FrontMatter(fenced["settings"], text[begins:], text.count("\n", 0, begins) + 1)
