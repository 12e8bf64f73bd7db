"""What listeners changed: the differences between two moments of an assembly.

Source: docs/prompt-assembly.md 9.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from workbench.core.watched_waterfall import ListenerRecord
from workbench.prompt.owners import owner_of_listener
from workbench.prompt.recording import AssemblyState, Stretch, TextRow, TextState
from workbench.prompt.tool_schema import ToolSchema
from workbench.prompt.trace import Change, Phase
from workbench.prompt.views import Owner

TextKind = Literal["section", "context"]


class Difference(NamedTuple):
    """A change, and of which entry: two entries of one name are told apart."""

    change: Change
    subject: object = None
    """Identity of the section or context, as in its row after the change; None for tools and variables."""
    replaced: object = None
    """Identity of the entry that went when this one came under the same name."""


class Rewrite(NamedTuple):
    """A difference, and the listener that made it."""

    record: ListenerRecord
    owner: Owner
    change: Change
    subject: object
    replaced: object


def rewrites_of(stretches: list[Stretch]) -> list[Rewrite]:
    """Everything that listeners changed, in the order in which they did."""
    return [
        Rewrite(stretch.record, owner_of_listener(stretch.record.listener), *found)
        for stretch in stretches
        for found in differences(stretch.before, stretch.after, stretch.phase)
    ]


def differences(before: AssemblyState, after: AssemblyState, phase: Phase) -> list[Difference]:
    """The differences between two moments, in request order."""
    if before is after:
        return []
    return [
        *_texts("section", before.sections, after.sections, phase),
        *_texts("context", before.contexts, after.contexts, phase),
        *map(Difference, _tools(before.tools, after.tools, phase)),
        *map(Difference, _variables(before.variables, after.variables, phase)),
    ]


def _texts(kind: TextKind, before: TextState, after: TextState, phase: Phase) -> Iterator[Difference]:
    if before.is_same_as(after):
        return
    pairs = before.changed_pairs(after)
    if pairs is not None:
        yield from (_changed(kind, past, row, phase) for past, row in pairs if _differ(past, row))
        return
    old = {id(row.identity): row for row in before.rows()}
    new = {id(row.identity): row for row in after.rows()}
    gone: dict[str, list[TextRow]] = {}
    for row in before.rows():
        if id(row.identity) not in new:
            gone.setdefault(row.name, []).append(row)
    came = [row for row in new.values() if id(row.identity) not in old]
    replaced = {id(row.identity): gone[row.name].pop(0) for row in came if gone.get(row.name)}
    for rows in gone.values():
        for row in rows:
            yield Difference(Change(kind, row.name, "removed", row.text, None, phase), row.identity)
    moved = _moved([key for key in old if key in new], [key for key in new if key in old])
    for key, row in new.items():
        past = old.get(key) or replaced.get(key)
        if past is None:
            remark = _ignored_order(kind, row)
            yield Difference(Change(kind, row.name, "added", None, row.text, phase, remark), row.identity)
        elif key in replaced:
            remark = _text_remark(past, row) or "replaced by a new entry"
            change = Change(kind, row.name, "changed", past.text, row.text, phase, remark)
            yield Difference(change, row.identity, past.identity)
        elif _differ(past, row) and (_says_other(past, row) or key not in moved):
            yield _changed(kind, past, row, phase)
        elif key in moved:
            yield Difference(Change(kind, row.name, "moved", past.text, row.text, phase), row.identity)


def _differ(past: TextRow, row: TextRow) -> bool:
    return _says_other(past, row) or past.order != row.order


def _says_other(past: TextRow, row: TextRow) -> bool:
    return past.text != row.text or past.literal is not row.literal or past.name != row.name


def _changed(kind: TextKind, past: TextRow, row: TextRow, phase: Phase) -> Difference:
    """An entry that stands where it stood, and is not what it was."""
    remark = _text_remark(past, row) if _says_other(past, row) else _ignored_order(kind, row)
    return Difference(Change(kind, row.name, "changed", past.text, row.text, phase, remark), row.identity)


def _ignored_order(kind: str, row: TextRow) -> str:
    if row.order is None:
        return ""
    return f"its order {row.order} has no effect: {kind}s are sorted before the waterfall"


def _text_remark(past: TextRow, row: TextRow) -> str:
    remarks = []
    if past.name != row.name:
        remarks.append(f"renamed from {past.name}")
    if past.literal is not row.literal:
        remarks.append("literal from here on" if row.literal is True else "no longer literal: it is scanned")
    return "; ".join(remarks)


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
