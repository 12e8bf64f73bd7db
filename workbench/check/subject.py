"""What rules look at: a composition, and one assembly of it for each of its layers.

Source: docs/checks.md 1.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workbench.check.checked_scope import CheckedScope
from workbench.check.checked_text import CheckedText, TextPart
from workbench.check.measure import Sizes
from workbench.config import Composition
from workbench.config.model import CheckEntry
from workbench.config.nodes import Document, Path
from workbench.core import Fiber
from workbench.prompt import EntryView, Owner, Position, ToolView


@dataclass(frozen=True, slots=True)
class CheckedTool:
    """A tool schema, the same in all the scopes that are named."""

    view: ToolView
    scopes: tuple[str, ...]
    parameters: Any
    """Parsed anew; nobody else holds it."""


class Subject:
    """Everything about one composition that a rule may ask for. Nothing of it may be changed."""

    def __init__(
        self,
        composition: Composition,
        scopes: Iterable[CheckedScope],
        fibers: Iterable[Fiber] = (),
        notes: Iterable[str] = (),
        sizes: Sizes | None = None,
    ) -> None:
        self.composition = composition
        self.scopes = tuple(scopes)
        self.fibers = tuple(fibers)
        """Every load of every plugin."""
        self.notes = tuple(notes)
        """What opening the composition noted."""
        self.sizes = sizes or Sizes()
        """Lengths of texts in the unit of the budgets."""

    @property
    def file(self) -> str:
        """The composition as the person named it."""
        return self.composition.file

    @property
    def settings(self) -> CheckEntry:
        """The key `check` of the composition."""
        return self.composition.entries.check or CheckEntry()

    def place(self, path: Path, *, of_key: bool = False) -> Position:
        """Where the value at `path` of the composition, or its key, is written."""
        return place_in(self.composition.document, path, of_key=of_key)

    def seen_from(self, labels: Iterable[str]) -> Subject:
        """The same with these scopes alone, for a rule that belongs to them."""
        wanted = set(labels)
        scopes = [scope for scope in self.scopes if scope.label in wanted]
        return (
            self if len(scopes) == len(self.scopes) else Subject(self.composition, scopes, self.fibers, self.notes)
        )

    @cached_property
    def texts(self) -> tuple[CheckedText, ...]:
        """All sections and contexts in force, once each, however many scopes show them."""
        return tuple(self._texts(_entries))

    @cached_property
    def values(self) -> tuple[CheckedText, ...]:
        """The values of all variables that have one, once each."""
        return tuple(self._texts(_values))

    @cached_property
    def descriptions(self) -> tuple[CheckedText, ...]:
        """The descriptions of all tools that are sent, once each."""
        return tuple(self._texts(_descriptions))

    @cached_property
    def tools(self) -> tuple[CheckedTool, ...]:
        """All tool schemas that are sent, once each."""
        views: dict[tuple[object, ...], ToolView] = {}
        labels: dict[tuple[object, ...], list[str]] = {}
        for scope in self.scopes:
            for tool in scope.effective_tools():
                key = (tool.name, tool.layer, tool.owner, tool.description, tool.parameters_json)
                views.setdefault(key, tool)
                labels.setdefault(key, []).append(scope.label)
        return tuple(
            CheckedTool(view, tuple(labels[key]), json.loads(view.parameters_json)) for key, view in views.items()
        )

    def _texts(self, of: Callable[[CheckedScope], Iterator[_Row]]) -> Iterator[CheckedText]:
        rows: dict[tuple[object, ...], _Row] = {}
        labels: dict[tuple[object, ...], list[str]] = {}
        for scope in self.scopes:
            for row in of(scope):
                part, view, text = row
                key: tuple[object, ...] = (part, view.name, view.layer, view.owner, text, is_literal(view))
                rows.setdefault(key, row)
                labels.setdefault(key, []).append(scope.label)
        for key, (part, view, text) in rows.items():
            yield CheckedText(part, view.name, text, view.owner, view.layer, view, tuple(labels[key]))


_Row = tuple[TextPart, Any, str]


def place_in(document: Document, path: Path, *, of_key: bool = False) -> Position:
    """The place of a value, or of its key, in whichever file of the composition it stands."""
    offset = document.key_offset(path) if of_key else document.offset(path)
    problem = document.problem(offset, path, "")
    return Position(problem.file, problem.line or 1, problem.column or 1)


def is_literal(view: object) -> bool:
    """Whether braces are text there."""
    return isinstance(view, EntryView) and view.literal


def _entries(scope: CheckedScope) -> Iterator[_Row]:
    for entry in scope.effective_entries():
        yield entry.kind, entry, entry.text


def _values(scope: CheckedScope) -> Iterator[_Row]:
    for variable in scope.preview.variables:
        if variable.state == "effective" and variable.value:
            yield "variable", variable, variable.value


def _descriptions(scope: CheckedScope) -> Iterator[_Row]:
    for tool in scope.effective_tools():
        yield "tool", tool, tool.description


def is_one_owner(owners: Iterable[Owner]) -> bool:
    """Whether one plugin answers for all of it. What a composition file holds may be by many people."""
    names = {(owner.plugin, owner.kind) for owner in owners}
    return len(names) == 1 and next(iter(names))[1] != "deployment"
