"""Strict `{{variables}}`: one scan from left to right, values never scanned again.

A text is compiled into pieces: literal, name, literal, name, …, literal. Texts with anything odd in them
are left to the exact scanner, which finds the first thing that is wrong.

Source: docs/prompt-assembly.md 10.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from workbench.prompt.errors import RenderCode

VARIABLE_NAME = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)
_REFERENCE = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}", re.ASCII)
_GROUP = re.compile(r"\{\{([^{}]*)\}\}")
split_references = _REFERENCE.split
"""Cut a text at its well-formed references: literal, name, literal, …"""

EXCERPT = 16
"""Characters shown of malformed text that is no complete group."""


@dataclass(frozen=True, slots=True)
class Group:
    """One `{{` that means something: a reference, or something malformed."""

    offset: int
    written: str
    """The group as written; for an incomplete one, an excerpt."""
    name: str | None
    """None: malformed."""

    @property
    def end(self) -> int:
        return self.offset + len(self.written)


@dataclass(frozen=True, slots=True)
class TemplateFault:
    """Why a text cannot be rendered."""

    code: RenderCode
    group: Group


def compile_text(text: str) -> list[str] | None:
    """The pieces of a well-formed text, or None when only the exact scanner can judge it."""
    if "{" not in text:
        return [text]
    pieces = split_references(text)
    for literal in pieces[:-1:2]:
        if "{" in literal and ("{{" in literal or literal[-1] == "{"):
            return None
    last = pieces[-1]
    if "{" in last:
        opening = last.find("{{")
        if opening >= 0 and last.find("}}", opening + 2) >= 0:
            return None
    return pieces


def groups_of(text: str) -> Iterator[Group]:
    """Every group of a text from left to right, up to and including the first malformed one."""
    position = text.find("{{")
    last_closing = text.rfind("}}") if position >= 0 else -1
    while position >= 0:
        match = _GROUP.match(text, position)
        if match is not None:
            name = match[1] if VARIABLE_NAME.fullmatch(match[1]) else None
            yield Group(position, match[0], name)
            if name is None:
                return
            position = match.end()
        elif last_closing >= position + 2:
            yield Group(position, text[position : position + EXCERPT], None)
            return
        else:
            position += 2
        position = text.find("{{", position)


def first_fault(text: str, variables: Mapping[str, str | None]) -> TemplateFault | None:
    """The first thing that keeps a text from being rendered with these variables."""
    for group in groups_of(text):
        code: RenderCode | Literal[""] = ""
        if group.name is None:
            code = "malformed"
        elif group.name not in variables:
            code = "unknown"
        elif variables[group.name] is None:
            code = "no value"
        if code:
            return TemplateFault(code, group)
    return None


def scan(text: str, variables: Mapping[str, str | None]) -> str | TemplateFault:
    """Render any text exactly, or say why not."""
    rendered: list[str] = []
    position = 0
    for group in groups_of(text):
        value = variables.get(group.name) if group.name is not None else None
        if value is None:
            fault = first_fault(text, variables)
            assert fault is not None
            return fault
        rendered.append(text[position : group.offset])
        rendered.append(value)
        position = group.end
    rendered.append(text[position:])
    return "".join(rendered)


def references_of(text: str) -> tuple[str, ...]:
    """Names that a text refers to, each once, in order of appearance."""
    return tuple(dict.fromkeys(group.name for group in groups_of(text) if group.name is not None))
