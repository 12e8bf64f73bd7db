"""Which row of the page stands where: a wrap index that measures only what is looked at.

Chunks that nobody has looked at have an estimated height. When a better one is known, the rows that are
on the screen stay where they are and the offset of the page moves instead.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from workbench.prompt.views import Failure
from workbench.tui.view.blocks import Block
from workbench.tui.view.entries import EntryKey
from workbench.tui.view.notes import note_rows
from workbench.tui.view.page import OPEN, Chunk, Page
from workbench.tui.view.pieces import Line
from workbench.tui.view.wrap import row_count_guess, row_starts

MEASURE_AT_ONCE = 128 * 1024
"""Characters up to which a page is measured as a whole when it is laid out,"""
CHUNKS_AT_ONCE = 400
"""and chunks."""


class Place(NamedTuple):
    """A line of a block, as a person would name it."""

    block: int
    line: int
    """Index of the line; -1 is the band above the first."""


def named(page: Page, place: Place | None) -> tuple[EntryKey | None, int]:
    """A place by its entry, which outlives the page."""
    if place is None or place.block >= len(page.blocks):
        return None, 0
    return page.blocks[place.block].key, place.line


def found(page: Page, name: tuple[EntryKey | None, int]) -> Place | None:
    """The place of that name on another page; None: there is none."""
    block = page.block_of.get(name[0]) if name[0] is not None else None
    if block is None:
        return None
    return Place(block, min(name[1], page.blocks[block].raw.count("\n")))


class TextRow(NamedTuple):
    """A row of text: offsets in the visible text of its block."""

    start: int
    end: int


class Located(NamedTuple):
    """What stands in one row of the page."""

    block: int
    item: TextRow | Line | None
    """Text, a line of a note, or None for the band of the block."""


class _Note(NamedTuple):
    """Rows of a note between two rows of text."""

    before: int
    """Index of the row of text that follows."""
    rows: list[Line]

    @property
    def height(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class _Measured:
    """The rows of a chunk below its band."""

    starts: list[int]
    """Offset of each row of text."""
    end: int
    note: _Note | None

    @property
    def height(self) -> int:
        return len(self.starts) + (self.note.height if self.note else 0)

    def row(self, index: int) -> TextRow | Line:
        """Text or a line of the note."""
        note = self.note
        if note is not None and index >= note.before:
            if index < note.before + note.height:
                return note.rows[index - note.before]
            index -= note.height
        end = self.starts[index + 1] if index + 1 < len(self.starts) else self.end
        return TextRow(self.starts[index], end)


class Layout:
    """The rows of one page at one width."""

    def __init__(self, page: Page, width: int | None, note_width: int) -> None:
        """`width`: cells for text, None for no wrapping. `note_width`: cells for the notes of failures."""
        self.page = page
        self.width = width
        self._note_width = note_width
        self._measured: dict[int, _Measured] = {}
        self._heights = [self._guess(chunk) for chunk in page.chunks]
        self._ends: list[int] | None = None
        self.mistakes = 0
        """How often a height was guessed wrong: then the rows behind it lie elsewhere."""
        few = len(page.chunks) <= CHUNKS_AT_ONCE
        if few and sum(len(block.raw) for block in page.blocks) <= MEASURE_AT_ONCE:
            for index in range(len(page.chunks)):
                self._measure(index)

    @property
    def total(self) -> int:
        """Rows of the whole page, as far as is known."""
        ends = self._row_ends()
        return ends[-1] if ends else 0

    def settle(self, top: int, height: int) -> int:
        """Measures what a window of `height` rows at `top` shows; the top of the same window afterwards."""
        count = len(self._heights)
        if count == 0:
            return 0
        chunk, inside = self._locate(min(max(top, 0), self.total - 1))
        missing = height
        index = chunk
        while index < count and missing + inside > 0:
            self._measure(index)
            missing -= self._heights[index]
            index += 1
        index = chunk - 1
        while index >= 0 and missing + inside > 0:  # the end of the page is in the window
            self._measure(index)
            missing -= self._heights[index]
            index -= 1
        return self._start_of(chunk) + min(inside, self._heights[chunk] - 1)

    def at(self, row: int) -> Located | None:
        """What stands in that row; None behind the end."""
        if not 0 <= row < self.total:
            return None
        chunk_index, inside = self._locate(row)
        self._measure(chunk_index)
        chunk = self.page.chunks[chunk_index]
        if self._has_band(chunk):
            if inside == 0:
                return Located(chunk.block, None)
            inside -= 1
        measured = self._measured[chunk_index]
        return Located(chunk.block, measured.row(inside)) if inside < measured.height else None

    def place_at(self, row: int) -> Place | None:
        """The line that the row belongs to; that of the text above for a note."""
        while (located := self.at(row)) is not None:
            if located.item is None:
                return Place(located.block, -1)
            if isinstance(located.item, TextRow):
                content = self.page.blocks[located.block].content
                return Place(located.block, content.line_at(located.item.start))
            row -= 1
        return None

    def row_of_block(self, block: int) -> int:
        """The row of its band, or of its first line where there are no bands."""
        return self._start_of(self.page.first_chunk[block])

    def rows_of_block(self, block: int) -> range:
        """Its rows, the band and blank lines included."""
        behind = block + 1 < len(self.page.blocks)
        return range(self.row_of_block(block), self.row_of_block(block + 1) if behind else self.total)

    def row_of(self, place: Place) -> int:
        """The first row of that line."""
        if place.line < 0:
            return self.row_of_block(place.block)
        starts = self.page.blocks[place.block].content.line_starts
        return self.row_of_offset(place.block, starts[min(place.line, len(starts) - 1)])

    def line_after(self, place: Place, step: int) -> Place | None:
        """The next line, or the one before (`step` -1); None at the ends."""
        blocks = self.page.blocks
        block, line = place.block, place.line + step
        if line >= len(blocks[block].content.line_starts):
            block, line = block + 1, 0
        elif line < 0:
            block -= 1
            line = len(blocks[block].content.line_starts) - 1 if block >= 0 else 0
        return Place(block, line) if 0 <= block < len(blocks) else None

    def rows_of_line(self, place: Place) -> tuple[int, int]:
        """The first row of that line, and how many there are, a note in between included."""
        first = self.row_of(place)
        starts = self.page.blocks[place.block].content.line_starts
        if place.line + 1 < len(starts):
            return first, self.row_of_offset(place.block, starts[place.line + 1]) - first
        last = self.row_of_offset(place.block, len(self.page.blocks[place.block].content.text))
        return first, last - first + 1

    def row_of_offset(self, block: int, offset: int) -> int:
        """The row that holds the character at `offset` of the visible text."""
        index = self.page.first_chunk[block]
        while OPEN != self.page.chunks[index].end <= offset:
            index += 1
        self._measure(index)
        measured = self._measured[index]
        below_band = self._start_of(index) + self._has_band(self.page.chunks[index])
        position = max(0, bisect_right(measured.starts, offset) - 1)
        note = measured.note
        return below_band + position + (note.height if note and position >= note.before else 0)

    def _guess(self, chunk: Chunk) -> int:
        block = self.page.blocks[chunk.block]
        band = 1 if self._has_band(chunk) else 0
        if chunk.is_first and chunk.end == OPEN:
            return band + row_count_guess(len(block.raw), block.raw.count("\n") + 1, self.width)
        text = block.content.text
        end = len(text) if chunk.end == OPEN else chunk.end
        return band + row_count_guess(end - chunk.start, text.count("\n", chunk.start, end), self.width)

    def _has_band(self, chunk: Chunk) -> bool:
        return chunk.is_first and not self.page.is_bare

    def _measure(self, index: int) -> None:
        if index in self._measured:
            return
        chunk = self.page.chunks[index]
        block = self.page.blocks[chunk.block]
        starts, end = self._text_rows(block, chunk)
        note = None
        if block.failure is not None and self._holds_failure(block.failure, block, chunk):
            note = self._note(block.failure, block, starts, end)
        measured = self._measured[index] = _Measured(starts, end, note)
        height = measured.height + self._has_band(chunk)
        if height != self._heights[index]:
            self._heights[index] = height
            self._ends = None
            self.mistakes += 1

    def _text_rows(self, block: Block, chunk: Chunk) -> tuple[list[int], int]:
        """The offset of each row, and the end of the last one."""
        text = block.content.text
        if block.failure is not None and not text:
            return [], 0
        end = len(text) if chunk.end == OPEN else chunk.end
        piece = str(text) if chunk.end == OPEN and chunk.start == 0 else text[chunk.start : end]
        starts = row_starts(piece, self.width)
        if chunk.end != OPEN and starts[-1] == len(piece) and len(starts) > 1:
            starts.pop()  # the line end belongs to the row before it; the next chunk has the next line
        return ([chunk.start + start for start in starts] if chunk.start else starts), end

    @staticmethod
    def _holds_failure(failure: Failure, block: Block, chunk: Chunk) -> bool:
        if failure.offset is None:
            return chunk.is_first
        offset = block.content.text.to_visible(failure.offset)
        return chunk.start <= offset and (chunk.end == OPEN or offset < chunk.end)

    def _note(self, failure: Failure, block: Block, starts: list[int], end: int) -> _Note:
        if failure.offset is None or not starts:
            return _Note(0, note_rows(failure, self._note_width, None, ""))
        text = block.content.text
        start = text.to_visible(failure.offset)
        behind = max(start + 1, text.to_visible(failure.offset + failure.length))
        row = max(0, bisect_right(starts, start) - 1)
        row_end = starts[row + 1] if row + 1 < len(starts) else end
        group = text[start : min(behind, row_end)].rstrip("\n")
        return _Note(row + 1, note_rows(failure, self._note_width, text[starts[row] : start], group))

    def _row_ends(self) -> list[int]:
        if self._ends is None:
            self._ends = list(accumulate(self._heights))
        return self._ends

    def _locate(self, row: int) -> tuple[int, int]:
        chunk = bisect_right(self._row_ends(), row)
        return chunk, row - self._start_of(chunk)

    def _start_of(self, chunk: int) -> int:
        return self._row_ends()[chunk - 1] if chunk else 0
