"""Which listener put words into a prompt or took them out.

Source: docs/prompt-assembly.md 9.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from workbench.prompt.trace import Change, ListenerSpan
from workbench.prompt.views import Preview


@dataclass(frozen=True, slots=True)
class ListenerChange:
    """A listener that put the text in or took it out."""

    listener: ListenerSpan
    change: Change
    wrote: bool
    """True: the text is there since this change. False: it is gone since."""


def listener_changes(preview: Preview, says: Callable[[str], bool]) -> Iterator[ListenerChange]:
    """Changes before or after which a text is there that `says` approves, in call order of the listeners.

    Words are found as they are written and as the model reads them, with values in place of `{{names}}`.
    """
    values = values_of(preview)
    for listener in preview.trace.listeners:
        for change in listener.changes:
            was_there = change.before is not None and said(change.before, says, values)
            is_there = change.after is not None and said(change.after, says, values)
            if was_there != is_there:
                yield ListenerChange(listener, change, wrote=is_there)


def said(text: str, says: Callable[[str], bool], values: Mapping[str, str]) -> bool:
    """Whether the text says it, as it is written or with its values."""
    return says(text) or ("{{" in text and says(filled(text, values)))


def values_of(preview: Preview) -> dict[str, str]:
    """The values in force."""
    return {
        variable.name: variable.value
        for variable in preview.variables
        if variable.state == "effective" and variable.value is not None
    }


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with what is known in place of its groups; what is not known stays as it is written."""
    return _GROUP.sub(lambda group: values.get(group[1], group[0]), text)


_GROUP = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}")
