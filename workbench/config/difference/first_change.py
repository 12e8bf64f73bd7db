"""The first place at which two assemblies differ: from there on a provider's prefix cache is lost.

Source: docs/compositions.md 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from workbench.prompt import EntryView, Owner, Position, Preview, ToolView
from workbench.prompt.source import line_and_column

Action = Literal["added", "removed", "changed", "moved"]
_BLOCK = 4096


@dataclass(frozen=True, slots=True)
class FirstChange:
    """The first part of a prompt that is another one."""

    part: Literal["section", "tool", "context", "message"]
    """The system text is compared first, then the tools, then the runtime-context message. Messages by steps."""
    name: str
    action: Action
    owner: Owner
    layer: str
    offset: int
    """Characters of the system text, or of the runtime-context message, that stay. Of a tool: tools that stay;
    of a message: messages."""
    line: int
    """In that text, from 1; of a tool or a message: its number in the list."""
    of: int
    """Characters, or tools, that there were before."""
    position: Position | None
    """The same place in the file."""

    @property
    def sentence(self) -> str:
        """What it is, in one line. Names in it are outside text."""
        where = f" ({self.position})" if self.position else ""
        unit = {"tool": "tools", "message": "messages"}.get(self.part, "characters")
        whole = {
            "section": "the system text",
            "tool": "the list",
            "context": "the runtime-context message",
            "message": "the conversation",
        }
        kept = f"{self.offset:,} of {self.of:,} {unit} of {whole[self.part]} before it stay"
        return f"{self.part} {self.name} of {self.owner.plugin} is {self.action}{where}; {kept}"


def first_change(before: Preview, after: Preview) -> FirstChange | None:
    """None when both give the same request. Where one has no text, the raw texts of its parts are compared."""
    return (
        _first_text("section", before.sections, after.sections, before.system, after.system)
        or _first_tool(_effective_tools(before), _effective_tools(after))
        or _first_text("context", before.contexts, after.contexts, before.context, after.context)
    )


def common_prefix(one: str, other: str) -> int:
    """How many characters two texts have in common from the start on. By blocks, then by halves."""
    end = min(len(one), len(other))
    start = 0
    while start < end and one[start : start + _BLOCK] == other[start : start + _BLOCK]:
        start += _BLOCK
    low, high = min(start, end), min(start + _BLOCK, end)
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def text_of(entry: EntryView) -> str:
    """What the entry says: rendered, else as it stands."""
    return entry.text if entry.rendered is None else entry.rendered


def in_force(entries: Sequence[EntryView]) -> list[EntryView]:
    """The entries of the text, in order: in force, and with a text."""
    return [entry for entry in entries if entry.state == "effective" and text_of(entry)]


def _first_text(
    part: Literal["section", "context"],
    before: Sequence[EntryView],
    after: Sequence[EntryView],
    old_text: str | None,
    new_text: str | None,
) -> FirstChange | None:
    if old_text is not None and old_text == new_text:
        return None
    old, new = in_force(before), in_force(after)
    offset = 0 if old_text is None or new_text is None else common_prefix(old_text, new_text)
    texts = old_text or "", new_text or ""
    for was, is_now in zip_longest(old, new):
        if was is not None and is_now is not None and was.name == is_now.name:
            if text_of(was) != text_of(is_now):
                return _made(part, "changed", is_now, offset, texts, common_prefix(text_of(was), text_of(is_now)))
        elif is_now is not None and is_now.name not in {entry.name for entry in old}:
            return _made(part, "added", is_now, offset, texts)
        elif was is not None and was.name not in {entry.name for entry in new}:
            return _made(part, "removed", was, offset, texts)
        elif is_now is not None:
            return _made(part, "moved", is_now, offset, texts)
    return None


def _made(
    part: Literal["section", "context"],
    action: Action,
    entry: EntryView,
    offset: int,
    texts: tuple[str, str],
    inside: int = 0,
) -> FirstChange:
    """`inside` characters of the entry stay, too. `texts` are the whole ones, before and after."""
    position = None
    if entry.source is not None:
        is_as_written = text_of(entry) == entry.text
        position = entry.source.position(entry.text, inside if is_as_written else 0)
    line = line_and_column(texts[1], min(offset, len(texts[1])))[0]
    return FirstChange(part, entry.name, action, entry.owner, entry.layer, offset, line, len(texts[0]), position)


def _effective_tools(preview: Preview) -> list[ToolView]:
    return [tool for tool in preview.tools if tool.state == "effective"]


def _first_tool(old: Sequence[ToolView], new: Sequence[ToolView]) -> FirstChange | None:
    for index, (was, is_now) in enumerate(zip_longest(old, new)):
        if was is not None and is_now is not None and _schema(was) == _schema(is_now):
            continue
        tool, action = _changed_tool(was, is_now, old, new)
        position = tool.source.position("", 0) if tool.source is not None else None
        return FirstChange("tool", tool.name, action, tool.owner, tool.layer, index, index + 1, len(old), position)
    return None


def _changed_tool(
    was: ToolView | None, is_now: ToolView | None, old: Sequence[ToolView], new: Sequence[ToolView]
) -> tuple[ToolView, Action]:
    if was is not None and is_now is not None and was.name == is_now.name:
        return is_now, "changed"
    if is_now is not None and is_now.name not in {tool.name for tool in old}:
        return is_now, "added"
    if was is not None and was.name not in {tool.name for tool in new}:
        return was, "removed"
    moved = is_now or was
    assert moved is not None
    return moved, "moved"


def _schema(tool: ToolView) -> tuple[str, str, str]:
    return tool.name, tool.description, tool.parameters_json
