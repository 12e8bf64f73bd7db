"""What a listener changed: the differences between two moments of an assembly.

Source: docs/prompt-assembly.md 9.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Literal

from workbench.prompt.recording import AssemblyState, ListenerNotes, TextRow, TextState
from workbench.prompt.tool_schema import ToolSchema
from workbench.prompt.trace import Change

Phase = Literal["before next", "after next"]


def changes_of(notes: ListenerNotes) -> tuple[Change, ...]:
    """Everything that one listener changed, before its `next()` and after it."""
    found: list[Change] = []
    first_end = notes.at_next if notes.at_next is not None else notes.after
    if first_end is not None:
        found += difference(notes.before, first_end, "before next" if notes.at_next is not None else "after next")
    if notes.after_next is not None and notes.after is not None:
        found += difference(notes.after_next, notes.after, "after next")
    return tuple(found)


def difference(before: AssemblyState, after: AssemblyState, phase: Phase) -> list[Change]:
    """The differences between two moments, in request order."""
    if before is after:
        return []
    return [
        *_texts("section", before.sections, after.sections, phase),
        *_texts("context", before.contexts, after.contexts, phase),
        *_tools(before.tools, after.tools, phase),
        *_variables(before.variables, after.variables, phase),
    ]


def _texts(
    kind: Literal["section", "context"], before: TextState, after: TextState, phase: Phase
) -> Iterator[Change]:
    if before.is_same_as(after):
        return
    old = {id(row.identity): row for row in before.rows()}
    new = {id(row.identity): row for row in after.rows()}
    for row in before.rows():
        if id(row.identity) not in new:
            yield Change(kind, row.name, "removed", row.text, None, phase)
    kept = [key for key in old if key in new]
    moved = _moved(kept, [key for key in new if key in old])
    for row in after.rows():
        past = old.get(id(row.identity))
        if past is None:
            yield Change(kind, row.name, "added", None, row.text, phase, _ignored_order(kind, row))
        elif past.text != row.text or past.literal is not row.literal:
            yield Change(kind, row.name, "changed", past.text, row.text, phase, _flag_remark(past, row))
        elif past.name != row.name:
            yield Change(kind, row.name, "changed", past.text, row.text, phase, f"renamed from {past.name}")
        elif id(row.identity) in moved:
            yield Change(kind, row.name, "moved", past.text, row.text, phase)
        elif past.order != row.order:
            yield Change(kind, row.name, "changed", past.text, row.text, phase, _ignored_order(kind, row))


def _ignored_order(kind: str, row: TextRow) -> str:
    if row.order is None:
        return ""
    return f"its order {row.order:g} has no effect: {kind}s are sorted before the waterfall"


def _flag_remark(past: TextRow, row: TextRow) -> str:
    if past.literal is row.literal:
        return ""
    return "literal from here on" if row.literal is True else "no longer literal: it is scanned"


def _moved(before: list[int], after: list[int]) -> set[int]:
    """Keys that stand elsewhere relative to the others. Cheap, and enough to say that something moved."""
    if before == after:
        return set()
    return {key for key, other in zip(before, after, strict=True) if key != other}


def _tools(before: tuple[ToolSchema, ...], after: tuple[ToolSchema, ...], phase: Phase) -> Iterator[Change]:
    if before is after:
        return
    old = _by_name(before)
    new = _by_name(after)
    for name, texts in old.items():
        for text in texts[len(new.get(name, ())) :]:
            yield Change("tool", name, "removed", text, None, phase)
    for name, texts in new.items():
        past = old.get(name, [])
        for index, text in enumerate(texts):
            if index >= len(past):
                yield Change("tool", name, "added", None, text, phase)
            elif past[index] != text:
                yield Change("tool", name, "changed", past[index], text, phase)
    if list(old) != list(new) and old == new:
        for name in _moved_names(list(old), list(new)):
            yield Change("tool", name, "moved", old[name][0], new[name][0], phase)


def _moved_names(before: list[str], after: list[str]) -> list[str]:
    return [name for name, other in zip(after, before, strict=True) if name != other]


def _by_name(schemas: tuple[ToolSchema, ...]) -> dict[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for schema in schemas:
        texts.setdefault(schema.name, []).append(schema.json.decode("utf-8", "replace"))
    return texts


def _variables(before: dict[str, str | None], after: dict[str, str | None], phase: Phase) -> Iterator[Change]:
    if before == after:
        return
    for name, value in before.items():
        if name not in after:
            yield Change("variable", name, "removed", value, None, phase)
        elif after[name] != value:
            yield Change("variable", name, "changed", value, after[name], phase)
    for name, value in after.items():
        if name not in before:
            yield Change("variable", name, "added", None, value, phase)


def pretty_json(encoded: bytes) -> str:
    """JSON bytes as indented text, for people."""
    return json.dumps(json.loads(encoded), ensure_ascii=False, indent=2)
