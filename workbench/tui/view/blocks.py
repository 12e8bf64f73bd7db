"""The text of one entry as the prompt viewer shows it: what stands in it, and who wrote which piece.

A block is cheap to make: nothing about it is worked out before it is looked at.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from workbench.prompt.views import EntryView, Failure, Owner, Span, ToolView
from workbench.tui.view.entries import EntryKey, is_sent, owner_role, sign_of
from workbench.tui.view.pieces import OWNER_ROLES, Line, Piece, Role, outside
from workbench.tui.view.sizes import CHARACTERS, Sizes
from workbench.tui.view.wrap import TAB_STOPS
from workbench.visible import VisibleText, visible


class Run(NamedTuple):
    """A piece of a block's text that looks different. Offsets are those of the visible text."""

    start: int
    end: int
    role: Role
    bold: bool = False
    underline: bool = False
    ground: Role | None = None
    variable: str | None = None
    """Name of the variable that this piece is the value of, or refers to."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a block shows."""

    text: VisibleText
    runs: tuple[Run, ...] = ()
    """In order, without overlaps."""
    line_starts: tuple[int, ...] = (0,)
    signs: dict[int, tuple[str, Role]] = field(default_factory=dict)
    """Sign beside a line number, by line index."""

    def line_at(self, offset: int) -> int:
        """Index of the line that holds the character at `offset`."""
        return bisect_right(self.line_starts, offset) - 1


class Block:
    """A piece of a page: a band with a name and an owner, and lines below it."""

    __slots__ = ("_content", "key", "owner_role", "raw")

    has_numbers = True
    """Its lines are numbered, because errors and people refer to them."""
    soft = False
    """Not the subject now: another entry has failed, or this one is not sent."""
    failure: Failure | None = None
    """Shown under the line that it is about, or under the band."""

    def __init__(self, key: EntryKey | None, raw: str, owner_role: Role) -> None:
        self.key = key
        self.raw = raw
        """The text before `visible()`; its length and line ends tell how large the block will be."""
        self.owner_role = owner_role
        """Colour of the owner bar."""
        self._content: Content | None = None

    @property
    def content(self) -> Content:
        """What the block shows; worked out once."""
        if self._content is None:
            self._content = self.make_content()
        return self._content

    def make_content(self) -> Content:
        return plain_content(self.raw)

    def title(self) -> Line:
        """Left end of the band."""
        raise NotImplementedError

    def facts(self, sizes: Sizes = CHARACTERS) -> Line:
        """Right end of the band."""
        raise NotImplementedError


class EntryBlock(Block):
    """A section or a context. `names` shows `{{model}}` in place of its value."""

    __slots__ = ("_is_raw", "entry", "failure", "soft")

    def __init__(self, key: EntryKey, entry: EntryView, *, names: bool = False, soft: bool = False) -> None:
        is_raw = names or entry.rendered is None
        super().__init__(key, entry.text if is_raw else entry.rendered or "", owner_role(entry))
        self.entry = entry
        self.soft = soft or not is_sent(entry)
        self.failure = entry.failure
        self._is_raw = is_raw

    def make_content(self) -> Content:
        return _raw_content(self.entry) if self._is_raw else _rendered_content(self.entry)

    def title(self) -> Line:
        return outside(self.entry.name, self.owner_role)

    def facts(self, sizes: Sizes = CHARACTERS) -> Line:
        return _entry_facts(self.entry, sizes)


class ToolBlock(Block):
    """A tool: its description, a blank line, its parameters as JSON."""

    __slots__ = ("soft", "tool")

    def __init__(self, key: EntryKey, tool: ToolView) -> None:
        described = f"{tool.description}\n\n" if tool.description else ""
        super().__init__(key, described + tool.parameters_json, owner_role(tool))
        self.tool = tool
        self.soft = not is_sent(tool)

    def make_content(self) -> Content:
        return _tool_content(self.raw, len(self.raw) - len(self.tool.parameters_json))

    def title(self) -> Line:
        return outside(self.tool.name, self.owner_role)

    def facts(self, sizes: Sizes = CHARACTERS) -> Line:
        owners = _owners(self.tool.owner, self.tool.changed_by)
        return _facts(owners, str(sizes.tool(self.tool) or ""))


class FailureBlock(Block):
    """A failure that belongs to no entry that could be shown."""

    __slots__ = ("_what", "failure")

    def __init__(self, failure: Failure) -> None:
        owner = failure.owner
        super().__init__(None, "", OWNER_ROLES.get(owner.kind, "owner-plugin") if owner else "failed")
        self.failure = failure
        self._what = failure

    def title(self) -> Line:
        what = self._what.name or self._what.part or "assembly"
        return (Piece("× ", "failed", bold=True), *outside(what))

    def facts(self, sizes: Sizes = CHARACTERS) -> Line:
        owner = self._what.owner
        return _facts(outside(owner.plugin, "soft") if owner else (), "not assembled")


class TextBlock(Block):
    """Text that is no entry: the first line of a snapshot, a whole text as it is sent, a problem of a file."""

    __slots__ = ("_fact", "_title", "has_numbers", "soft")

    def __init__(
        self,
        text: str,
        title: Line = (),
        fact: Line = (),
        *,
        owner_role: Role = "rule",
        soft: bool = False,
        has_numbers: bool = False,
    ) -> None:
        super().__init__(None, text, owner_role)
        self.soft = soft
        self.has_numbers = has_numbers
        self._title, self._fact = title, fact

    def title(self) -> Line:
        return self._title

    def facts(self, sizes: Sizes = CHARACTERS) -> Line:
        return self._fact


def problem_block(problem: str) -> Block:
    """Why a file cannot be used; `problem` is `file:line:column: message`."""
    place, _, message = problem.partition(": ")
    title = outside(place if message else "problem")
    return TextBlock(
        message or place,
        (Piece("× ", "failed", bold=True), *title),
        (Piece("not loaded", "soft"),),
        owner_role="failed",
    )


def plain_content(text: str) -> Content:
    """Text in which nothing is picked out but its hidden characters."""
    return _content(visible(text, tab_stops=TAB_STOPS), ())


def _entry_facts(entry: EntryView, sizes: Sizes) -> Line:
    owners = _owners(entry.owner, entry.changed_by)
    if entry.failure is not None:
        return _facts(owners, "not rendered")
    if entry.state != "effective":
        sign, role = sign_of(entry)
        remark = entry.remark or entry.state
        return (*owners, Piece("  "), Piece(f"{sign} ", role), *outside(remark, "soft"))
    return _facts(owners, str(sizes.entry(entry) or ""))


def _facts(owners: Line, size: str) -> Line:
    return (*owners, Piece("   "), Piece(size, "soft"))


def _owners(owner: Owner, changed_by: Iterable[Owner]) -> Line:
    """`bash`, or `bash » limits` where a listener of limits rewrote it."""
    line = outside(owner.plugin, "soft")
    for listener in changed_by:
        line = (*line, Piece(" » ", "listener"), *outside(listener.plugin, "listener"))
    return line


def _rendered_content(entry: EntryView) -> Content:
    text = visible(entry.rendered or "", tab_stops=TAB_STOPS)
    return _content(text, _span_runs(text, entry.spans))


def _raw_content(entry: EntryView) -> Content:
    text = visible(entry.text, tab_stops=TAB_STOPS)
    runs: list[Run] = []
    failure = entry.failure
    if failure is not None and failure.offset is not None and failure.length:
        start = text.to_visible(failure.offset)
        end = text.to_visible(failure.offset + failure.length)
        runs.append(Run(start, end, "failed", bold=True, ground="failed-line"))
    if not entry.literal:
        for match in _REFERENCE.finditer(text):
            if not any(run.start < match.end() and match.start() < run.end for run in runs):
                runs.append(Run(match.start(), match.end(), "value", underline=True, variable=match[1]))
    content = _content(text, sorted(runs))
    if failure is not None and failure.offset is not None:
        content.signs[content.line_at(text.to_visible(failure.offset))] = ("×", "failed")
    return content


def _span_runs(text: VisibleText, spans: Iterable[Span]) -> Iterator[Run]:
    for span in spans:
        start, end = text.to_visible(span.start), text.to_visible(span.end)
        if start == end:
            continue
        if span.variable is not None:
            yield Run(start, end, "value", underline=True, variable=span.variable)
        elif span.listener:
            yield Run(start, end, "listener", underline=True)


def _tool_content(raw: str, json_start: int) -> Content:
    text = visible(raw, tab_stops=TAB_STOPS)
    runs: list[Run] = []
    behind = text.to_visible(json_start)
    for match in _JSON_KEY.finditer(text, behind):
        runs.append(Run(behind, match.start(1), "soft"))
        runs.append(Run(match.start(1), match.end(1), "strong"))
        behind = match.end(1)
    runs.append(Run(behind, len(text), "soft"))
    return _content(text, (run for run in runs if run.start < run.end))


def _content(text: VisibleText, runs: Iterable[Run]) -> Content:
    """Adds the marks of hidden characters to the runs, and the signs of the lines that listeners wrote."""
    ordered = tuple(_with_marks(tuple(runs), text.marks)) if text.marks else tuple(runs)
    starts = (0, *(match.end() for match in _LINE_END.finditer(text)))
    content = Content(text, ordered, starts)
    for run in ordered:
        if run.role == "listener":
            first, last = content.line_at(run.start), content.line_at(max(run.start, run.end - 1))
            for line in range(first, last + 1):
                content.signs[line] = ("»", "listener")
    return content


def _with_marks(runs: tuple[Run, ...], marks: tuple[tuple[int, int], ...]) -> Iterator[Run]:
    """The runs, cut where a mark begins and ends; a mark keeps the look of its run on the `key` ground."""
    edges = sorted({*(e for m in marks for e in m), *(e for run in runs for e in (run.start, run.end))})
    run_index = mark_index = 0
    for start, end in pairwise(edges):
        while run_index < len(runs) and runs[run_index].end <= start:
            run_index += 1
        while mark_index < len(marks) and marks[mark_index][1] <= start:
            mark_index += 1
        run = runs[run_index] if run_index < len(runs) and runs[run_index].start <= start else None
        marked = mark_index < len(marks) and marks[mark_index][0] <= start
        if run is not None:
            yield run._replace(start=start, end=end, ground="key" if marked else run.ground)
        elif marked:
            yield Run(start, end, "text", ground="key")


_REFERENCE = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}")
_JSON_KEY = re.compile(r'^ *("(?:[^"\\\n]|\\.)*"):', re.MULTILINE)
_LINE_END = re.compile("\n")
