"""Edits that listeners make: the same code for real assemblies and for the plain ones of the model.

An assembly's sections are said to be a list, so here they must behave as one.

Source: docs/prompt-assembly.md 9.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.prompt.steps import NAMES, VARIABLES
from workbench.prompt import NamedText, PromptAssembly


@dataclass
class PlainText:
    name: str
    text: str
    literal: bool = False
    order: float | None = None


@dataclass
class PlainAssembly:
    sections: list[PlainText] = field(default_factory=list)
    contexts: list[PlainText] = field(default_factory=list)
    tools: list[Any] = field(default_factory=list)
    variables: dict[str, str | None] = field(default_factory=dict)


def edit(assembly: Any, what: str, index: int, text: str) -> Any:
    """One edit of a listener; gives the assembly to go on with."""
    item_class = NamedText if isinstance(assembly, PromptAssembly) else PlainText
    part = "contexts" if index % 3 == 2 else "sections"
    items = getattr(assembly, part)
    at = index % len(items) if len(items) else None
    if what == "append":
        items.append(item_class(f"added{index}", text, order=0))
    elif what == "insert":
        items.insert(index, item_class(f"inserted{index}", text))
    elif what == "extend":
        items += [item_class(f"one{index}", text), item_class(f"two{index}", text, literal=True)]
    elif what == "append to each":
        for item in items:
            item.text += text
    elif what == "set text by name":
        for item in items:
            if item.name == NAMES[index % len(NAMES)]:
                item.text = text
    elif what == "reverse":
        items.reverse()
    elif what == "sort":
        items.sort(key=lambda item: item.text)
    elif what == "filter":
        setattr(assembly, part, [item for item in items if item.name != NAMES[index % len(NAMES)]])
    elif what == "new list":
        setattr(assembly, part, [item_class(item.name, item.text + text, item.literal) for item in items])
    elif what == "new assembly":
        return type(assembly)(
            sections=[*assembly.sections, item_class("fresh", text)],
            contexts=[*assembly.contexts],
            tools=assembly.tools,
            variables=dict(assembly.variables),
        )
    elif what == "clear":
        items.clear()
    elif what == "set variable":
        assembly.variables[VARIABLES[index % 3]] = text
    elif what == "no value":
        assembly.variables[VARIABLES[index % 3]] = None
    elif what == "drop variable":
        assembly.variables.pop(VARIABLES[index % 3], None)
    elif what == "read":
        assert len([item.text for item in items]) == len(items)
    elif what == "slice":
        items[index : index + 2] = [item_class(f"sliced{index}", text)]
    elif at is not None:
        if what == "set text":
            items[at].text = text
        elif what == "rename":
            items[at].name = f"renamed{index}"
        elif what == "literal":
            items[at].literal = True
        elif what == "not literal":
            items[at - len(items)].literal = False
        elif what == "order":
            items[at].order = index
        elif what == "delete":
            del items[at]
        elif what == "remove":
            items.remove(items[at])
        elif what == "pop":
            items.pop(at)
        elif what == "replace item":
            items[at] = item_class(items[at].name, items[at].text + text, items[at].literal)
    return assembly
