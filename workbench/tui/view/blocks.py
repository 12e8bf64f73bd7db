"""The text of one entry as the prompt viewer shows it: what stands in it, and who wrote which piece.

A block is cheap to make; its content is worked out when it is first looked at.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from workbench.prompt.views import EntryView, Failure, Owner, Span, ToolView
from workbench.tui.view.entries import EntryKey, is_sent, owner_role, sign_of
from workbench.tui.view.pieces import OWNER_ROLES, Line, Piece, Role, outside
from workbench.tui.view.sizes import UNIT, entry_size, number, tool_size
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


@dataclass
class Block:
    """One entry in the text: a band with its name and owner, and its lines below it."""

    key: EntryKey | None
    raw: str
    """The text before `visible()`; its length and line ends tell how large the block will be."""
    make: Callable[[], Content]
    title: Callable[[], Line]
    facts: Callable[[], Line]
    """Right end of the band."""
    owner_role: Role
    soft: bool = False
    """Not the subject now: another entry has failed, or this one is not sent."""
    has_numbers: bool = True
    """Its lines are numbered, because errors and people refer to them."""
    failure: Failure | None = None
    """Shown under the line that it is about, or under the band."""

    @cached_property
    def content(self) -> Content:
        """Worked out once."""
        return self.make()


def entry_block(key: EntryKey, entry: EntryView, *, names: bool = False, soft: bool = False) -> Block:
    """A section or a context. `names` shows `{{model}}` in place of its value."""
    raw_form = names or entry.rendered is None
    return Block(
        key=key,
        raw=entry.text if raw_form else entry.rendered or "",
        make=(lambda: _raw_content(entry)) if raw_form else (lambda: _rendered_content(entry)),
        title=lambda: outside(entry.name, owner_role(entry)),
        facts=lambda: _entry_facts(entry),
        owner_role=owner_role(entry),
        soft=soft or not is_sent(entry),
        failure=entry.failure,
    )


def tool_block(key: EntryKey, tool: ToolView) -> Block:
    """A tool: its description, a blank line, its parameters as JSON."""
    raw = f"{tool.description}\n\n{tool.parameters_json}" if tool.description else tool.parameters_json
    return Block(
        key=key,
        raw=raw,
        make=lambda: _tool_content(raw, len(raw) - len(tool.parameters_json)),
        title=lambda: outside(tool.name, owner_role(tool)),
        facts=lambda: _facts(_owners(tool.owner, tool.changed_by), f"{number(tool_size(tool))} {UNIT}"),
        owner_role=owner_role(tool),
        soft=not is_sent(tool),
    )


def header_block(text: str, title: str, fact: str) -> Block:
    """Text of the product itself around the entries, such as the first line of a snapshot."""
    return Block(
        key=None,
        raw=text,
        make=lambda: _content(visible(text, tab_stops=TAB_STOPS), ()),
        title=lambda: (Piece(title, "soft"),),
        facts=lambda: (Piece(fact, "faint"),),
        owner_role="owner-harness",
        soft=True,
    )


def failure_block(failure: Failure) -> Block:
    """A failure that belongs to no entry that could be shown."""
    kind = failure.owner.kind if failure.owner else "harness"
    return Block(
        key=None,
        raw="",
        make=lambda: Content(visible("")),
        title=lambda: (
            Piece("× ", "failed", bold=True),
            *outside(failure.name or failure.part or "assembly"),
        ),
        facts=lambda: _facts(outside(failure.owner.plugin, "soft") if failure.owner else (), "not assembled"),
        owner_role=OWNER_ROLES.get(kind, "owner-plugin"),
        failure=failure,
    )


def problem_block(problem: str) -> Block:
    """Why a file cannot be used; `problem` is `file:line:column: message`."""
    place, _, message = problem.partition(": ")
    return Block(
        key=None,
        raw=message or place,
        make=lambda: _content(visible(message or place, tab_stops=TAB_STOPS), ()),
        title=lambda: (Piece("× ", "failed", bold=True), *outside(place if message else "problem")),
        facts=lambda: (Piece("not loaded", "soft"),),
        owner_role="failed",
        has_numbers=False,
    )


def plain_block(text: str) -> Block:
    """A whole text as it is sent."""
    return Block(
        key=None,
        raw=text,
        make=lambda: _content(visible(text, tab_stops=TAB_STOPS), ()),
        title=lambda: (),
        facts=lambda: (),
        owner_role="rule",
    )


def _entry_facts(entry: EntryView) -> Line:
    owners = _owners(entry.owner, entry.changed_by)
    if entry.failure is not None:
        return _facts(owners, "not rendered")
    if entry.state != "effective":
        sign, role = sign_of(entry)
        remark = entry.remark or entry.state
        return (*owners, Piece("  "), Piece(f"{sign} ", role), *outside(remark, "soft"))
    return _facts(owners, f"{number(entry_size(entry))} {UNIT}")


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
