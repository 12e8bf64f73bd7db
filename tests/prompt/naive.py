"""A second renderer, written from the text of the specification alone, character by character and slow.

Source: docs/prompt-assembly.md 10.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

FIRST = "abcdefghijklmnopqrstuvwxyz"
LATER = FIRST + "0123456789_"


class Fault(NamedTuple):
    """What a renderer says of a text that it cannot render."""

    code: str
    group: str
    offset: int


def is_name(text: str) -> bool:
    return text != "" and text[0] in FIRST and all(character in LATER for character in text)


def naive(text: str, variables: Mapping[str, str | None]) -> str | Fault:
    """The rendered text, or the first fault in it."""
    rendered = ""
    at = 0
    while at < len(text):
        if text[at : at + 2] != "{{":
            rendered += text[at]
            at += 1
            continue
        end = at + 2
        while end < len(text) and text[end] != "{" and text[end] != "}":
            end += 1
        if text[end : end + 2] == "}}":
            name, group = text[at + 2 : end], text[at : end + 2]
            if not is_name(name):
                return Fault("malformed", group, at)
            if name not in list(variables):
                return Fault("unknown", group, at)
            value = variables[name]
            if value is None:
                return Fault("no value", group, at)
            rendered += value
            at = end + 2
        elif "}}" in text[at + 2 :]:
            return Fault("malformed", text[at : at + 16], at)
        else:
            rendered += "{{"
            at += 2
    return rendered


def joined(texts: Iterable[str]) -> str:
    """The texts that are not empty, one blank line between each two."""
    result = ""
    for text in texts:
        if text != "":
            result = text if result == "" else result + "\n\n" + text
    return result
