"""A tool that a text names and that the scope does not have.

Most words that look like a tool's name are none, so a word counts only when

- a tool of that name is loaded or restricted somewhere in the composition, or comes with the workbench, and
- it stands in backticks, or its name has an underscore, so that it is no word of prose; a plain word such as
  `read` needs a neighbour that calls it a tool (`call`, `use`, `tool`, …), in backticks as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.check.finding import Finding
from workbench.check.rule import Rule
from workbench.check.subject import Subject
from workbench.prompt import SECTION_POSITIONS

_TOOL_SECTION = "tool:"
FIRST_PARTY_TOOLS = frozenset(
    {
        position.name.removeprefix(_TOOL_SECTION)
        for position in SECTION_POSITIONS.values()
        if position.name.startswith(_TOOL_SECTION)
    }
    | {"todo_write"}
)
"""Names of tools that come with the workbench, whether loaded here or not."""

_CANDIDATE = re.compile(
    r"(?P<before>\b[A-Za-z]+ )?"
    r"(?:`(?P<quoted>[A-Za-z][\w.-]*)`"
    r"|(?<![\w`{./-])(?P<bare>[a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?![\w`}(/=-]))"
    r"(?: (?P<after>tools?|calls?)\b)?"
)
_CALLING = frozenset("tool tools call calling calls use using uses via invoke prefer through".split())


def missing_tools(subject: Subject) -> Iterator[Finding]:
    """One finding for each tool that a text names in vain."""
    composed = frozenset(name for scope in subject.scopes for name in (*scope.tools, *scope.known_tools))
    known = composed | FIRST_PARTY_TOOLS
    visible = {scope.label: scope.tools for scope in subject.scopes}
    registered = {scope.label: scope.known_tools for scope in subject.scopes}
    for text in (*subject.texts, *subject.descriptions):
        if "`" not in text.text and "_" not in text.text:
            continue
        told: set[str] = set()
        for mention in _CANDIDATE.finditer(text.text):
            name = mention["quoted"] or mention["bare"]
            if name not in known or name in told or not _is_meant(mention, name):
                continue
            told.add(name)
            lacking = tuple(label for label in text.scopes if name not in visible[label])
            if not lacking:
                continue
            why = "is not loaded"
            if all(name in registered[label] for label in lacking):
                why = "is hidden here"
            elif name in composed:
                why = "is not loaded in this scope"
            yield text.finding(
                f"{text.title} names the tool {name}, which {why}",
                offset=mention.start("quoted" if mention["quoted"] else "bare"),
                length=len(name),
                remedy="load the tool, or let the text follow it",
                scopes=lacking,
            )


def _is_meant(mention: re.Match[str], name: str) -> bool:
    if "_" in name:
        return True
    before = (mention["before"] or "").strip().lower()
    return mention["quoted"] is not None and (before in _CALLING or mention["after"] is not None)


MISSING_TOOL = Rule("missing-tool", missing_tools, "A text names a tool that its scope does not have.")
