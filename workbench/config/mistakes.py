"""What a YAML parser complains about, in the words of somebody who wrote a prompt.

Source: docs/compositions.md 12.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ruamel.yaml.error import MarkedYAMLError

    from workbench.config.nodes import Document

Explanation = tuple[int, str, str]
"""Offset, message, remedy."""


def explain(document: Document, error: MarkedYAMLError, offset: int) -> Explanation:
    """Where the mistake is, what it is and what to do, for an error that was noticed at `offset`."""
    text, problem = document.text, error.problem or ""
    if "<document start>" in problem:
        return _goes_on(text, offset)
    for fragment, message, remedy in _UNMISTAKABLE:
        if fragment in problem:
            return offset, message, remedy
    value = _unquoted_value(text, offset)
    if value is not None:
        return value
    for fragment, message, remedy in _EXPLANATIONS:
        if fragment in problem:
            return offset, message, remedy
    opened = error.context_mark.index if error.context_mark else offset
    if "end of stream" in problem or "stream end" in problem:
        line, column = document.place(opened)
        what = f"what begins at {line}:{column}" if opened < offset else "the last list or mapping"
        return offset, f"{what} is never closed", "close it, or save the whole file"
    if "','" in problem:
        line, column = document.place(opened)
        message = f"the bracket opened at {line}:{column} is not closed before this"
        return offset, message, "close it, or quote a text that begins with a bracket"
    return offset, f"this is not YAML: {problem or error.context or 'it cannot be read'}", ""


def braces(text: str, start: int) -> Explanation:
    """For a text that begins with an unquoted `{{`."""
    end = text.find("\n", start)
    written = text[start : end if end >= 0 else len(text)].rstrip()
    quoted = "'" + written.replace("'", "''") + "'" if '"' in written or "\\" in written else f'"{written}"'
    return start, "a text was expected, and braces without quotes are a mapping", f"quote it: {quoted}"


def _goes_on(text: str, offset: int) -> Explanation:
    before = _EMPTY_COLLECTION.search(text[:offset])
    if before and before[1] == "[]":
        return offset, "the list continues after an empty list", "remove `[]`"
    if before:
        return offset, "the mapping continues after an empty mapping", "remove `{}`"
    return offset, "the file goes on after its value has ended", "mend the indentation"


_EMPTY_COLLECTION = re.compile(r"^(\[\]|\{\})[ \t]*(?:#.*)?(?:\n[ \t]*(?:#.*)?)*\Z", re.MULTILINE)


def _unquoted_value(text: str, offset: int) -> Explanation | None:
    """A text on this line that begins with a character which means something else in YAML."""
    line_start = text.rfind("\n", 0, offset) + 1
    found = _VALUE.match(text, line_start)
    if not found or found.end() > offset:
        return None
    start = found.end()
    if text.startswith("{{", start):
        return braces(text, start)
    mark = text[start : start + 1]
    if mark not in _MEANINGS:
        return None
    return start, _MEANINGS[mark].format(mark), "quote the whole text"


_VALUE = re.compile(r"[ \t]*(?:-[ ]+)*(?:[^\s:#'\"{\[-][^:#\n]*:[ ]+)?(?=\S)")
_OPENS = "a text cannot begin with `{}` without quotes: it opens a %s"
_MEANINGS = {
    "{": _OPENS % "mapping",
    "[": _OPENS % "list",
    "*": "a text cannot begin with `{}` without quotes: it refers to an anchor",
    "&": "a text cannot begin with `{}` without quotes: it sets an anchor",
    **dict.fromkeys("%@`", "a text cannot begin with {!r} without quotes: it is reserved"),
    **dict.fromkeys("'\"", "a quoted text ends with its second {}, and this line goes on behind it"),
}

_UNMISTAKABLE = (
    (r"found character '\t'", "a tab cannot indent a line", "use spaces"),
    ("unknown escape character", "this escape is not known in a double-quoted text",
     r"write `\\` for a backslash, or use single quotes"),
    ("incompatible YAML document", "this version of YAML is not read", "remove the %YAML line"),
)  # fmt: skip
_EXPLANATIONS = (
    ("mapping values are not allowed", "a second `key: value` begins inside a value",
     "quote a text that contains a colon and a blank, or mend the indentation"),
    ("could not find expected ':'", "a key without a colon", "write `key: value`"),
    ("expected a comment or a line break", "text stands on the same line as `|` or `>`",
     "begin it on the next line, indented"),
    ("found '?'", "a key stands where the list before it goes on", "indent it, or begin it with `- `"),
    ("found '-'", "a list item stands where a key was expected", "indent it, or give the list a key"),
    ("expected <block end>", "this line does not fit the lines above it", "mend the indentation"),
)  # fmt: skip
