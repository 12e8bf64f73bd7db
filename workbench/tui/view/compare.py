"""Two requests compared, part by part: the rows of all that differs, drawn when they are asked for."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple, Protocol

from workbench.check.schema_difference import ABSENT, SchemaDifference, compare_views
from workbench.config.difference.prompts import PartDifference
from workbench.config.difference.request import GivenUp, RequestDifference, request_difference
from workbench.prompt.views import EntryView, Owner, Preview, ToolView
from workbench.tokens import Count
from workbench.tui.view.difference import Form, TextDifference, owner_band
from workbench.tui.view.file_place import file_and_line
from workbench.tui.view.panel import wrapped
from workbench.tui.view.pieces import Line, Piece, outside
from workbench.tui.view.prefix_line import BREAK
from workbench.tui.view.sizes import NOT_EXACT, number
from workbench.values.frozen import FrozenDict

LARGE: Final = 100_000
"""Characters of all that differs from which on rows are laid out in a thread."""
_INDENT: Final = 5


class Rows(Protocol):
    """Rows, each drawn when it is asked for."""

    def __len__(self) -> int: ...
    def __getitem__(self, row: int, /) -> Line: ...


class Body(Protocol):
    """Something that stands below the band of a part."""

    def layout(self, form: Form) -> Rows:
        """Its rows in that form."""
        ...


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence below a difference."""

    line: Line

    def layout(self, form: Form) -> list[Line]:
        """Wrapped by words."""
        pad = Piece(" " * _INDENT)
        return [(pad, *row) for row in wrapped(self.line, max(8, form.column - _INDENT))]


@dataclass(frozen=True)
class Change:
    """A part that is another one, with what is drawn of it."""

    part: PartDifference[Any]
    before: Count | None
    after: Count | None
    bodies: tuple[Body, ...]
    is_first: bool
    """The prefix breaks in it."""

    @property
    def owner(self) -> Owner:
        """Of the part as it is now; of a removed one, as it was."""
        owner: Owner = self.part.view.owner
        return owner

    @property
    def grown(self) -> int | None:
        """By how many tokens; None: it is not rendered on a side where it is."""
        is_unknown = (self.part.before and not self.before) or (self.part.after and not self.after)
        return None if is_unknown else _tokens(self.after) - _tokens(self.before)

    def band(self, width: int, *, is_chosen: bool = False) -> Line:
        """Its name, owner and tokens."""
        return owner_band(self.part.name, self.owner, self._facts(), width, is_chosen=is_chosen)

    def _facts(self) -> Line:
        was = "–" if self.part.before and not self.before else number(_tokens(self.before))
        now = "–" if self.part.after and not self.after else number(_tokens(self.after))
        is_exact = all(count is None or count.label == "exact" for count in (self.before, self.after))
        sign = "" if is_exact else f"{NOT_EXACT} "
        amounts = now if self.part.state == "moved" else f"{was} → {now}"
        return (Piece(f"{sign}{amounts} tok", "soft"),)


def _tokens(count: Count | None) -> int:
    return 0 if count is None else count.tokens


class Position(NamedTuple):
    """Where a row stands."""

    change: int
    """Index into `Comparison.changes`."""
    is_band: bool


@dataclass
class Comparison:
    """All that differs between two previews."""

    request: RequestDifference
    changes: tuple[Change, ...]
    is_large: bool
    _layouts: dict[Form, ComparisonLayout] = field(default_factory=dict)

    def layout(self, form: Form) -> ComparisonLayout:
        """The rows in that form; those of two forms are kept."""
        layout = self._layouts.get(form)
        if layout is None:
            layout = ComparisonLayout(self.changes, form)
            while len(self._layouts) > 1:
                self._layouts.pop(next(iter(self._layouts)))
            self._layouts[form] = layout
        return layout

    def has_layout(self, form: Form) -> bool:
        """Whether its rows are there already."""
        return form in self._layouts


class ComparisonLayout:
    """All rows, from the first changed part to the last; a blank one between two parts."""

    def __init__(self, changes: Sequence[Change], form: Form) -> None:
        self.form = form
        self._changes = changes
        self._rows: list[list[Rows]] = [[body.layout(form) for body in change.bodies] for change in changes]
        self.starts = [0]
        """The row of each band, and the number of all rows."""
        for bodies in self._rows:
            self.starts.append(self.starts[-1] + 2 + sum(len(rows) for rows in bodies))

    def __len__(self) -> int:
        return max(0, self.starts[-1] - 1)

    def __getitem__(self, row: int) -> Line:
        return self.row(row)

    def row(self, row: int, *, chosen: int | None = None) -> Line:
        """One row; the band of the `chosen` change is marked."""
        if not 0 <= row < len(self):
            raise IndexError(row)
        index, is_band = self.position(row)
        if is_band:
            width = self.form.width if self.form.is_side_by_side else self.form.column
            return self._changes[index].band(width, is_chosen=index == chosen)
        at = row - self.starts[index] - 1
        for rows in self._rows[index]:
            if at < len(rows):
                return rows[at]
            at -= len(rows)
        return ()

    def position(self, row: int) -> Position:
        """The change that a row belongs to."""
        index = min(bisect_right(self.starts, row) - 1, len(self._changes) - 1)
        return Position(index, row == self.starts[index])

    @cached_property
    def widest(self) -> int:
        """Cells of the widest line of all texts."""
        bodies = (body for change in self._changes for body in change.bodies)
        return max((body.widest for body in bodies if isinstance(body, TextDifference)), default=0)

    @cached_property
    def stretches(self) -> list[int]:
        """The first row of each stretch that differs, in all parts."""
        found: list[int] = []
        for start, bodies in zip(self.starts, self._rows, strict=False):
            at, count = start + 1, len(found)
            for rows in bodies:
                changes = getattr(rows, "changes", None)
                found += [at + row for row in changes()] if changes is not None else ()
                at += len(rows)
            if len(found) == count:  # such as one that has moved
                found.append(start)
        return found


def compare(
    before: Preview,
    after: Preview,
    *,
    messages: tuple[Sequence[FrozenDict], Sequence[FrozenDict]] | None = None,
    given_up: threading.Event | None = None,
    progress: Callable[[str], object] | None = None,
) -> Comparison:
    """Everything that a screen needs, for a thread. Raises `GivenUp` when `given_up` is set."""
    request = request_difference(before, after, messages=messages, given_up=given_up, progress=progress)
    changes: list[Change] = []
    characters = 0
    for index, part in enumerate(request.changes):
        if index % 100 == 0:
            if progress is not None:
                progress(f"{number(index)} of {number(len(request.changes))} changes")
            if given_up is not None and given_up.is_set():
                raise GivenUp
        prefix = request.prefix
        kind = prefix.first.part if prefix is not None else ""
        is_first = prefix is not None and (part.kind, part.name) == (kind, prefix.first.name)
        is_first = is_first and not any(change.is_first for change in changes)
        bodies = tuple(_bodies(part, _break_remark(request) if is_first else ()))
        characters += sum(len(body.before) + len(body.after) for body in bodies if isinstance(body, TextDifference))
        changes.append(Change(part, *request.sizes(part), bodies, is_first))
    return Comparison(request, tuple(changes), characters > LARGE)


def _break_remark(request: RequestDifference) -> Line:
    prefix = request.prefix
    if prefix is None:
        return ()
    sign, sign_behind = (
        "" if label == "exact" else f"{NOT_EXACT} " for label in (prefix.label, prefix.label_behind)
    )
    where = f", at {file_and_line(prefix.first.position)}" if prefix.first.position else ""
    return (
        Piece(f"{BREAK} ", "broken", bold=True),
        Piece(f"first changed token, {sign}{number(prefix.number)}", "soft"),
        *outside(where, "soft"),
        Piece(f"; {sign_behind}{number(prefix.read_anew)} from there on", "soft"),
    )


def _bodies(part: PartDifference[Any], remark: Line) -> Iterator[Body]:
    if isinstance(part.view, ToolView):
        yield from _tool_bodies(part, remark)
    elif part.state == "moved":
        yield Note((Piece("moved; its text is the same", "soft"),))
        if remark:
            yield Note(remark)
    else:
        yield _text(part, remark)
        if part.is_moved:
            yield Note((Piece("it has moved, too", "soft"),))
    if part.kind == "context":
        yield Note((Piece("context, appended as a message: it breaks nothing", "soft"),))


def _text(part: PartDifference[EntryView], remark: Line) -> TextDifference:
    values = _values(part.before), _values(part.after)
    difference = TextDifference(_entry_text(part.before), _entry_text(part.after), values=values)
    if remark:
        difference.remarks = {difference.first_place: remark}
    return difference


def _values(view: EntryView | None) -> list[tuple[int, int]]:
    if view is None or view.rendered is None:
        return []
    return [(span.start, span.end) for span in view.spans if span.variable is not None]


def _entry_text(view: EntryView | None) -> str:
    if view is None:
        return ""
    return view.text if view.rendered is None else view.rendered


def _tool_bodies(part: PartDifference[ToolView], remark: Line) -> Iterator[Body]:
    before, after = part.before, part.after
    if before is None or after is None:
        yield TextDifference(_tool_text(before), _tool_text(after))
    else:
        yield from _schema_bodies(compare_views(before, after))
        if part.is_moved:
            yield Note((Piece("it has moved in the list", "soft"),))
    if remark:
        yield Note(remark)


def _schema_bodies(compared: SchemaDifference) -> Iterator[Body]:
    """Value by value, with its path in the schema; the order of keys once, and as such."""
    for change in compared.changes:
        yield Note((Piece("~ ", "changed", bold=True), *outside(change.pointer or "(whole)", "soft")))
        before, after = ("" if value == ABSENT else value for value in (change.before, change.after))
        yield TextDifference(before, after, has_numbers=False)
    if compared.key_order:
        where = ", ".join(pointer or "the top" for pointer in compared.key_order)
        only = "" if compared.changes else "only the "
        yield Note(
            (
                Piece("~ ", "changed", bold=True),
                Piece(f"{only}order of keys: the bytes differ, the values do not; in ", "soft"),
                *outside(where, "soft"),
            )
        )


def _tool_text(tool: ToolView | None) -> str:
    return "" if tool is None else f"{tool.description}\n{tool.parameters_json}"
