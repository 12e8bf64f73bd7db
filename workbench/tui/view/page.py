"""The text beside the list: one page for what is sent as the system text, the snapshot, or the tools."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from rich.cells import cell_len

from workbench.prompt.views import EntryView, Preview, ToolView
from workbench.tui.view.blocks import Block, EntryBlock, FailureBlock, TextBlock, ToolBlock
from workbench.tui.view.entries import Entry, EntryKey, PluginTrouble, is_sent
from workbench.tui.view.pieces import Piece, outside
from workbench.tui.view.sizes import CHARACTERS, Sizes

PageName: TypeAlias = Literal["system", "context", "tools", "entry"]

CHUNK = 64 * 1024
"""Characters after which a long text is cut at the next line end, so that only what is seen is wrapped."""


OPEN = -1
"""The end of a text whose length is not known before it is looked at."""


class Chunk(NamedTuple):
    """A stretch of one block that is wrapped at one time."""

    block: int
    start: int
    end: int
    """Offsets in the visible text of the block; `end` of the last chunk is `OPEN`."""
    is_first: bool


@dataclass
class Page:
    """Blocks in order, and the chunks that they are laid out in."""

    name: PageName
    blocks: list[Block]
    is_bare: bool = False
    """No bands and no gutter: the text alone."""
    sizes: Sizes = CHARACTERS
    """Shown in the bands; may change without another layout."""
    chunks: list[Chunk] = field(init=False)
    first_chunk: list[int] = field(init=False)
    """By block."""
    block_of: dict[EntryKey, int] = field(init=False)

    @property
    def most_lines(self) -> int:
        """Of one block."""
        return max((block.raw.count("\n") + 1 for block in self.blocks), default=1)

    @cached_property
    def widest_line(self) -> int:
        """Cells of the widest line of all blocks."""
        lines = (line for block in self.blocks for line in block.content.text.split("\n"))
        return max((cell_len(line) for line in lines), default=0)

    def __post_init__(self) -> None:
        self.chunks = []
        self.first_chunk = []
        for index, block in enumerate(self.blocks):
            self.first_chunk.append(len(self.chunks))
            self.chunks += _chunks(index, block)
        self.block_of = {block.key: index for index, block in enumerate(self.blocks) if block.key is not None}


def sent_page(name: PageName, entries: Iterable[tuple[EntryKey, Entry]], preview: Preview, names: bool) -> Page:
    """All that is sent of one kind, in order; when something failed, the faulty block in its raw form."""
    kind = {"system": "section", "context": "context", "tools": "tool"}[name]
    has_failed = bool(preview.failures)
    entries = tuple(entries)
    shown = {entry.failure for _, entry in entries if isinstance(entry, EntryView)}
    blocks: list[Block] = [
        FailureBlock(failure) for failure in preview.failures if name == "system" and failure not in shown
    ]
    if name == "context" and preview.context:
        blocks += _snapshot_header(preview, preview.context)
    for key, entry in entries:
        if key.kind != kind or not is_sent(entry):
            continue
        if isinstance(entry, EntryView):
            blocks.append(EntryBlock(key, entry, names=names, soft=has_failed and entry.failure is None))
        elif isinstance(entry, ToolView):
            blocks.append(ToolBlock(key, entry))
    return Page(name, blocks)


def entry_page(key: EntryKey, entry: Entry) -> Page:
    """One entry alone, because it is not sent."""
    if isinstance(entry, EntryView):
        return Page("entry", [EntryBlock(key, entry)])
    if isinstance(entry, ToolView):
        return Page("entry", [ToolBlock(key, entry)])
    if isinstance(entry, PluginTrouble):
        title = outside(entry.name, "owner-plugin")
        return Page("entry", [TextBlock(entry.reason, title, outside(entry.state), owner_role="owner-plugin")])
    return Page("entry", [])


def plain_page(name: PageName, preview: Preview) -> Page:
    """The text alone, as it is sent."""
    text = preview.context if name == "context" else preview.system
    return Page(name, [TextBlock(text)] if text else [], is_bare=True)


def _snapshot_header(preview: Preview, text: str) -> list[Block]:
    spans = [span for span in preview.context_spans if span.part == "header"]
    if not spans:
        return []
    lead = text[spans[0].start : spans[-1].end].rstrip("\n")
    title, fact = (Piece("snapshot", "soft"),), (Piece("sent as a user message", "faint"),)
    return [TextBlock(lead, title, fact, owner_role="owner-harness", soft=True)]


def _chunks(index: int, block: Block) -> list[Chunk]:
    if len(block.raw) <= CHUNK:
        return [Chunk(index, 0, OPEN, True)]
    text = block.content.text
    edges = [0]
    while len(text) - edges[-1] > CHUNK:
        at_line_end = text.rfind("\n", edges[-1], edges[-1] + CHUNK) + 1
        edges.append(at_line_end if at_line_end > edges[-1] else edges[-1] + CHUNK)
    return [Chunk(index, start, end, start == 0) for start, end in zip(edges, [*edges[1:], OPEN], strict=True)]
