"""What changed between two versions of a tool's schema, or of a list of tools.

A provider caches bytes, so the order of keys is a change; but it is named once and as such, and never as
changed values. Lists are compared in order, since that of `enum` and `prefixItems` carries meaning.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from workbench.check.json_pointer import step
from workbench.prompt import ToolSchema, ToolView

ABSENT = "(absent)"
"""Stands for a value that is not there on one side."""


class Tool(Protocol):
    """A tool schema, such as `workbench.prompt.ToolSchema`."""

    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def parameters(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class ValueChange:
    """One value that is different."""

    pointer: str
    """JSON pointer into the parameters; `description` without a slash is that of the tool."""
    before: str
    """As JSON, or `(absent)`."""
    after: str

    def __str__(self) -> str:
        return f"{self.pointer or '(whole)'}: {self.before} -> {self.after}"


@dataclass(frozen=True, slots=True)
class SchemaDifference:
    """How one tool differs from itself."""

    name: str
    changes: tuple[ValueChange, ...]
    key_order: tuple[str, ...]
    """Pointers of the objects whose keys come in another order."""

    @property
    def state(self) -> Literal["same", "key order only", "changed"]:
        """Key order alone is a change of bytes, and of nothing else."""
        if self.changes:
            return "changed"
        return "key order only" if self.key_order else "same"

    def lines(self) -> Iterator[str]:
        """Each changed value, and the order of keys once."""
        for change in self.changes:
            yield f"tool {self.name}, {change}"
        if self.key_order:
            where = ", ".join(pointer or "the top" for pointer in self.key_order)
            only = " only: the content is equal, the bytes are not" if not self.changes else ""
            yield f"tool {self.name}, key order{only} ({where})"


@dataclass(frozen=True, slots=True)
class ToolsDifference:
    """How two lists of tools differ, in whatever order they were delivered."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[SchemaDifference, ...]

    @property
    def is_same(self) -> bool:
        """Whether the provider gets the same bytes, once the tools are sorted."""
        return not (self.added or self.removed or self.changed)


def compare_tools(before: Iterable[Tool], after: Iterable[Tool]) -> ToolsDifference:
    """Compare by name. Tools of one name are matched in the order in which they come."""
    old, new = _by_name(before), _by_name(after)
    differences = [compare_schemas(old[key], new[key]) for key in old if key in new]
    return ToolsDifference(
        added=tuple(name for name, number in new if (name, number) not in old),
        removed=tuple(name for name, number in old if (name, number) not in new),
        changed=tuple(difference for difference in differences if difference.state != "same"),
    )


def compare_schemas(before: Tool, after: Tool) -> SchemaDifference:
    """Compare two versions of one tool."""
    changes: list[ValueChange] = []
    key_order: list[str] = []
    if before.description != after.description:
        changes.append(ValueChange("description", _written(before.description), _written(after.description)))
    _compare("", before.parameters, after.parameters, changes, key_order)
    return SchemaDifference(after.name, tuple(changes), tuple(key_order))


def compare_views(before: ToolView, after: ToolView) -> SchemaDifference:
    """Compare a tool of two previews."""
    return compare_schemas(
        *(ToolSchema(v.name, v.description, json.loads(v.parameters_json)) for v in (before, after))
    )


def _by_name(tools: Iterable[Tool]) -> dict[tuple[str, int], Tool]:
    found: dict[tuple[str, int], Tool] = {}
    counts: dict[str, int] = {}
    for tool in tools:
        number = counts.get(tool.name, 0)
        counts[tool.name] = number + 1
        found[tool.name, number] = tool
    return found


def _compare(pointer: str, before: Any, after: Any, changes: list[ValueChange], key_order: list[str]) -> None:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        _compare_objects(pointer, before, after, changes, key_order)
    elif isinstance(before, list) and isinstance(after, list):
        for index in range(max(len(before), len(after))):
            at = step(pointer, index)
            if index >= len(before):
                changes.append(ValueChange(at, ABSENT, _written(after[index])))
            elif index >= len(after):
                changes.append(ValueChange(at, _written(before[index]), ABSENT))
            else:
                _compare(at, before[index], after[index], changes, key_order)
    elif _written(before) != _written(after):  # as JSON: 1, 1.0 and true are three things
        changes.append(ValueChange(pointer, _written(before), _written(after)))


def _compare_objects(
    pointer: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    changes: list[ValueChange],
    key_order: list[str],
) -> None:
    if [key for key in before if key in after] != [key for key in after if key in before]:
        key_order.append(pointer)
    for key in before:
        at = step(pointer, key)
        if key in after:
            _compare(at, before[key], after[key], changes, key_order)
        else:
            changes.append(ValueChange(at, _written(before[key]), ABSENT))
    for key in after:
        if key not in before:
            changes.append(ValueChange(step(pointer, key), ABSENT, _written(after[key])))


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
