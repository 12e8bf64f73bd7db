"""Two texts compared by lines, and by words inside the lines that differ.

Five thousand lines take some milliseconds, and never more than a tenth of a second: where two texts have
nothing to hold on to, they count as replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from workbench.config.difference.sequences import Effort, runs

MOST_CHARACTERS = 100_000
"""Of all lines that differ, both sides together; what comes behind them counts as replaced."""
WORD_STEPS = 15_000
"""Of the search for shortest edits among words, for one comparison of two texts."""
WORD_LOOKS = 100_000
"""At words, for anchors among them."""
LEAST_SHARED = 0.3
"""Of the longer side: with fewer characters in common, a stretch of lines reads better as replaced."""

_WORD = re.compile(r"\w+|[^\S\n]+|\n|[^\w\s]")


class Piece(NamedTuple):
    """A piece of one text, or of both."""

    kind: Literal["same", "removed", "added"]
    text: str


def changed_pieces(before: str, after: str) -> tuple[Piece, ...]:
    """Both texts in pieces: without the added ones it is `before`, without the removed ones `after`."""
    if before == after:
        return (Piece("same", before),) if before else ()
    old, new = before.split("\n"), after.split("\n")
    pieces: list[Piece] = []
    effort, characters = Effort(WORD_STEPS, WORD_LOOKS), MOST_CHARACTERS
    for run in runs(old, new):
        old_text = _with_line_ends(old, run.old_start, run.old_end)
        new_text = _with_line_ends(new, run.new_start, run.new_end)
        if run.is_same:
            shared = min(old_text, new_text, key=len)  # the last line of one text may lack its end
            pieces += [Piece("same", shared), *_replaced(old_text[len(shared) :], new_text[len(shared) :])]
        elif old_text and new_text and (characters := characters - len(old_text) - len(new_text)) > 0:
            pieces += _by_words(old_text, new_text, effort)
        else:
            pieces += _replaced(old_text, new_text)
    return tuple(_joined(piece for piece in pieces if piece.text))


def _with_line_ends(lines: list[str], start: int, end: int) -> str:
    """Lines as they stand in the text: all but the last one of all have an end."""
    text = "\n".join(lines[start:end])
    return f"{text}\n" if start < end < len(lines) else text


def _by_words(old_text: str, new_text: str, effort: Effort) -> list[Piece]:
    old, new = _WORD.findall(old_text), _WORD.findall(new_text)
    changes: list[tuple[str, str, bool]] = []
    for run in runs(old, new, effort):
        removed, added = "".join(old[run.old_start : run.old_end]), "".join(new[run.new_start : run.new_end])
        changes.append((removed, added, run.is_same))
    pieces: list[Piece] = []
    for removed, added, is_same in _without_lone_blanks(changes):
        pieces += [Piece("same", removed)] if is_same else _replaced(removed, added)
    shared = sum(len(piece.text) for piece in pieces if piece.kind == "same" and not piece.text.isspace())
    if shared < LEAST_SHARED * max(len(old_text), len(new_text)):
        return _replaced(old_text, new_text)
    return pieces


def _without_lone_blanks(changes: list[tuple[str, str, bool]]) -> Iterator[tuple[str, str, bool]]:
    """A blank that stays between two changes belongs to them: three words in a row are one change."""
    old = new = ""
    for index, (removed, added, is_same) in enumerate(changes):
        is_inside = 0 < index < len(changes) - 1
        if not is_same or (is_inside and removed.isspace() and "\n" not in removed):
            old, new = old + removed, new + added
            continue
        if old or new:
            yield old, new, False
            old = new = ""
        yield removed, added, True
    if old or new:
        yield old, new, False


def _replaced(old_text: str, new_text: str) -> list[Piece]:
    pieces = [Piece("removed", old_text)] if old_text else []
    return [*pieces, Piece("added", new_text)] if new_text else pieces


def _joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Neighbours of one kind become one piece."""
    last: Piece | None = None
    for piece in pieces:
        if last is not None and last.kind == piece.kind:
            last = Piece(last.kind, last.text + piece.text)
        else:
            if last is not None:
                yield last
            last = piece
    if last is not None:
        yield last


class ChangedLine(NamedTuple):
    """One line of a comparison: of both texts, of the earlier, or of the later one."""

    kind: Literal["same", "removed", "added"]
    pieces: tuple[Piece, ...]
    """Its text without the line end; in a line of one side, what is `same` stands on both."""


def changed_lines(pieces: Iterable[Piece]) -> list[ChangedLine]:
    """The comparison line by line: what was, then what is, wherever lines differ."""
    lines: list[ChangedLine] = []
    old: list[list[Piece]] = [[]]
    new: list[list[Piece]] = [[]]

    pieces = tuple(pieces)
    is_new_only = all(piece.kind == "added" for piece in pieces)
    is_old_only = all(piece.kind == "removed" for piece in pieces)

    def flush() -> None:
        tail: list[ChangedLine] = []
        while old and new and old[-1] == new[-1]:
            tail.append(ChangedLine("same", tuple(old.pop())))
            new.pop()
        at_old = at_new = 0
        for old_at, new_at in (*_whole_lines(old, new), (len(old), len(new))):
            lines.extend(ChangedLine("removed", tuple(line)) for line in old[at_old:old_at])
            lines.extend(ChangedLine("added", tuple(line)) for line in new[at_new:new_at])
            lines.extend(ChangedLine("same", tuple(line)) for line in old[old_at : old_at + 1])
            at_old, at_new = old_at + 1, new_at + 1
        lines.extend(reversed(tail))
        old[:], new[:] = [[]], [[]]

    def grow(piece: Piece) -> None:
        if piece.text and piece.kind != "added":
            old[-1].append(piece)
        if piece.text and piece.kind != "removed":
            new[-1].append(piece)

    for piece in pieces:
        parts = piece.text.split("\n")
        if piece.kind == "same" and len(parts) > 2:  # the lines in between stand on both sides as they are
            grow(Piece("same", parts[0]))
            flush()
            lines.extend(ChangedLine("same", (Piece("same", part),) if part else ()) for part in parts[1:-1])
            parts = parts[-1:]
        for number, part in enumerate(parts):
            if number:  # a line end of this piece's side
                if piece.kind == "same":
                    flush()
                elif piece.kind == "removed":
                    old.append([])
                else:
                    new.append([])
            grow(Piece(piece.kind, part))
    if is_new_only:
        old.clear()
    if is_old_only:
        new.clear()
    if old and new and not old[-1] and not new[-1]:  # Behind the last line end of both there is no line.
        old.pop()
        new.pop()
    flush()
    return lines


def _whole_lines(old: list[list[Piece]], new: list[list[Piece]]) -> Iterator[tuple[int, int]]:
    """Where one and the same piece is a line of its own on both sides, though no line end beside it is shared."""
    places = {id(line[0]): at for at, line in enumerate(new) if len(line) == 1 and line[0].kind == "same"}
    for at, line in enumerate(old):
        if len(line) == 1 and id(line[0]) in places:
            yield at, places[id(line[0])]
