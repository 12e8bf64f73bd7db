"""Text that a model's tokenizer may read as the end of a message or the beginning of another.

The tokens are data, each group with its public source: check/control_tokens.json. Beside them, anything
of the form `<|word|>` counts as a likely one, since that is how most chat formats write theirs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from workbench.check.finding import Finding
from workbench.check.rule import Rule
from workbench.check.rules.strings_of_tools import strings_of
from workbench.check.subject import Subject

_LIKELY = r"<\|[a-z][a-z0-9_]{1,30}\|>|<｜[^｜\n]{1,40}｜>"
_REMEDY = "write it differently: a harness that does not escape it lets the text end the message"


class TokenTable(NamedTuple):
    """All known tokens, and the pattern that finds them."""

    models: dict[str, str]
    """By token, whose it is."""
    pattern: re.Pattern[str]


@cache
def token_table() -> TokenTable:
    """Read once."""
    groups = json.loads((files("workbench.check") / "control_tokens.json").read_text(encoding="utf-8"))["groups"]
    models = {token: group["models"] for group in reversed(groups) for token in group["tokens"]}
    written = "|".join(re.escape(token) for token in sorted(models, key=len, reverse=True))
    return TokenTable(models, re.compile(f"{written}|{_LIKELY}"))


def control_tokens(subject: Subject) -> Iterator[Finding]:
    """One finding for each text and token, at the first place."""
    for text in (*subject.texts, *subject.values, *subject.descriptions):
        for token, offset in _tokens(text.text):
            message = f"{text.title} holds {token}, {_whose(token)}"
            yield text.finding(message, offset=offset, length=len(token), remedy=_REMEDY)
    for tool in subject.tools:
        for string in strings_of(tool):
            for token, _offset in _tokens(string.text):
                message = f"the schema of tool {tool.view.name} holds {token}, {_whose(token)}"
                yield string.finding(message, remedy=_REMEDY)


def _tokens(text: str) -> list[tuple[str, int]]:
    if "<" not in text and "[" not in text:
        return []
    first: dict[str, int] = {}
    for found in token_table().pattern.finditer(text):
        first.setdefault(found[0], found.start())
    return list(first.items())


def _whose(token: str) -> str:
    models = token_table().models.get(token)
    return f"a control token of {models}" if models else "which has the form of a control token"


CONTROL_TOKEN = Rule("control-token", control_tokens, "A text reads as a control token of a model's chat format.")
