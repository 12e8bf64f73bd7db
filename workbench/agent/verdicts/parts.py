"""The parts that a request is read as: pieces of its system text, its tools, its messages.

A log of ours says which section each piece of the system text is, and whose. In other logs, and in captured
requests, the text is cut where it has headings, so that there is something to compare.

Source: docs/sessions.md 13.
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from workbench.agent.log.canonical import tool_line
from workbench.agent.log.json_lines import encode_json
from workbench.prompt.views import Owner
from workbench.values.frozen import FrozenDict

PartKind = Literal["section", "tool", "message"]

WHOLE = "system text"
"""Name of a system text that has no parts."""
BEGINNING = "beginning"
"""Name of what stands before the first heading."""


@dataclass(frozen=True, slots=True)
class PartSpan:
    """A stretch of one part with one owner."""

    end: int
    """Behind its last character, inside the part."""
    owner: Owner
    variable: str = ""
    """It is the value of this variable."""
    is_listener: bool = False
    """A listener of the waterfall wrote it."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a request."""

    kind: PartKind
    name: str
    text: str
    """Of a tool and of a message: as it is shown, in lines."""
    owner: Owner | None
    """None: nobody has recorded it."""
    spans: tuple[PartSpan, ...] = ()
    """Who wrote which stretch of it, in order; () where all of it is the owner's."""

    def owner_at(self, offset: int) -> Owner | None:
        """Who wrote the character at `offset`, or the last one before it."""
        if not self.spans:
            return self.owner
        found = bisect_right(self.spans, offset, key=lambda span: span.end)
        return self.spans[min(found, len(self.spans) - 1)].owner


def fixed_parts(system: str | None, tools: Sequence[FrozenDict], recorded: RecordedParts | None) -> list[Part]:
    """System text and tools as parts, in the order of the request."""
    text = system or ""
    sections = recorded.cut(text) if recorded is not None else None
    if sections is None:
        sections = cut_by_headings(text)
    owners = recorded.tools if recorded is not None else {}
    return [*sections, *(_tool(tool, owners) for tool in tools)]


def _tool(tool: FrozenDict, owners: Mapping[str, Owner]) -> Part:
    name = str(tool.get("name"))
    return Part("tool", name, json.dumps(tool, ensure_ascii=False, indent=2), owners.get(name))


def tool_text(tool: FrozenDict) -> str:
    """A tool as a provider reads it, for counting."""
    return tool_line(tool)[2:-1].decode("utf-8")


def cut_by_headings(text: str) -> list[Part]:
    """The parts of a text whose owners nobody knows: from heading to heading, outside of blocks of code."""
    starts = list(_headings(text))
    if not text:
        return []
    if not starts:
        return [Part("section", WHOLE, text, None)]
    parts = [Part("section", BEGINNING, text[: starts[0][0]], None)] if starts[0][0] else []
    seen: dict[str, int] = {}
    for index, (start, heading) in enumerate(starts):
        end = starts[index + 1][0] if index + 1 < len(starts) else len(text)
        seen[heading] = number = seen.get(heading, 0) + 1
        parts.append(Part("section", heading if number == 1 else f"{heading} ({number})", text[start:end], None))
    return parts


def _headings(text: str) -> Iterator[tuple[int, str]]:
    """Where each heading begins, and its words."""
    fence = ""
    for found in _MARKED.finditer(text):
        if found["fence"]:
            if not fence:
                fence = found["fence"]
            elif found["fence"].startswith(fence):
                fence = ""
        elif not fence:
            yield found.start(), (found["heading"] or found["tag"]).strip()[:80]


_MARKED = re.compile(
    r"^(?: {0,3}(?P<fence>`{3,}|~{3,}).*| {0,3}#{1,6}[ \t]+(?P<heading>\S.*?)[ \t#]*"
    r"|(?P<tag><[A-Za-z][\w:.-]*>)[ \t]*)$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class RecordedParts:
    """What a `request/parts` record says: who wrote which stretch of the system text, and whose the tools are."""

    stretches: tuple[tuple[str, int, PartSpan], ...]
    """Name of the section (empty between sections), length, and the stretch, whose `end` is not used."""
    tools: Mapping[str, Owner]
    remarks: tuple[tuple[Owner, str], ...] = ()
    """What was remarked about listeners, such as an order that has no effect."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RecordedParts | None:
        """None for what is no such record: it is only ever a help."""
        try:
            stretches = tuple(_stretch(each) for each in data["system"])
            tools = {str(each["name"]): _owner(each) for each in data.get("tools") or ()}
            remarks = tuple((_owner(each), str(each["words"])) for each in data.get("remarks") or ())
        except (KeyError, TypeError, ValueError):
            return None
        return cls(stretches, tools, remarks)

    def cut(self, text: str) -> list[Part] | None:
        """The sections of `text`; None when it is not the text that the record tells of."""
        if sum(length for _, length, _ in self.stretches) != len(text):
            return None
        parts: list[Part] = []
        at, start, name = 0, 0, ""
        spans: list[PartSpan] = []
        for section, length, span in (*self.stretches, ("", 0, _NOBODY)):
            if section != name:
                if name:
                    parts.append(Part("section", name, text[start:at], _main(spans), tuple(spans)))
                elif text[start:at].strip():
                    return None
                start, name, spans = at, section, []
            at += length
            spans.append(PartSpan(at - start, span.owner, span.variable, span.is_listener))
        return parts


def _main(spans: Iterable[PartSpan]) -> Owner:
    """Whose section it is: the owner of what is neither a value nor a listener's."""
    listed = list(spans)
    own = next((span for span in listed if not span.variable and not span.is_listener), listed[0])
    return own.owner


def _stretch(record: Mapping[str, Any]) -> tuple[str, int, PartSpan]:
    length = record["length"]
    if type(length) is not int or length < 0:
        raise ValueError("a length")
    span = PartSpan(0, _owner(record), str(record.get("variable", "")), record.get("listener") is True)
    return str(record.get("name", "")), length, span


def _owner(record: Mapping[str, Any]) -> Owner:
    kind = record.get("kind", "plugin")
    return Owner(str(record.get("owner", "")), 0, kind if kind in _KINDS else "plugin")


_KINDS = ("harness", "deployment", "plugin", "package", "team")
_NOBODY = PartSpan(0, Owner("", 0))


def message_part(index: int, message: FrozenDict) -> Part:
    """A message as a part. Its owner is who said it."""
    return Part("message", f"message[{index}]", message_text(message), _sender(message))


def _sender(message: FrozenDict) -> Owner | None:
    source = message.get("source")
    if isinstance(source, Mapping):
        kind = source.get("kind")
        if kind == "plugin" and source.get("plugin"):
            return Owner(str(source["plugin"]), 0)
        if isinstance(kind, str) and kind:
            return Owner(kind, 0, "deployment" if kind == "user" else "harness")
    role = message.get("role")
    return Owner(str(role), 0, "harness") if role == "assistant" else None


def message_text(message: FrozenDict) -> str:
    """A message as lines: its role, then its blocks."""
    content = message.get("content")
    blocks = content if isinstance(content, list | tuple) else [content]
    lines = [f"{message.get('role')}:", *map(_block_text, blocks)]
    return "\n".join(lines)


_PICTURES = ("image", "image_url", "input_image", "document", "file", "input_file", "audio", "input_audio")
"""Blocks whose bytes nobody reads. No set: the type of a damaged block may be a list."""


def _block_text(block: object) -> str:
    if isinstance(block, Mapping) and block.get("type") in ("text", "reasoning"):
        said = block.get("text")
        if isinstance(said, str):
            return said
    if isinstance(block, Mapping) and block.get("type") in _PICTURES:
        encoded = encode_json(block)
        found = hashlib.sha256(encoded).hexdigest()[:12]
        return f"[{block['type']}, {len(encoded):,} bytes, sha256 {found}]"
    return encode_json(block).decode("utf-8")
