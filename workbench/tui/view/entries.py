"""The list beside the text: sections, contexts, tools and variables, each group under its heading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from workbench.prompt.views import EntryView, Preview, ToolView, VariableView
from workbench.tui.view.pieces import OWNER_ROLES, Role
from workbench.tui.view.sizes import (
    context_total,
    entry_size,
    number,
    section_total,
    tool_size,
    tool_total,
)
from workbench.visible import visible_line

Kind: TypeAlias = Literal["section", "context", "tool", "variable"]
Entry: TypeAlias = EntryView | ToolView | VariableView

HEADINGS: dict[Kind, str] = {
    "section": "Sections",
    "context": "Runtime context",
    "tool": "Tools",
    "variable": "Variables",
}


class EntryKey(NamedTuple):
    """What makes an entry the same one in the next preview."""

    kind: Kind
    name: str
    layer: str
    nth: int = 0
    """Of entries that are equal in the three fields above: two tools may share a name."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the list: a heading, an entry, or the blank between two groups (both fields None)."""

    heading: Kind | None = None
    key: EntryKey | None = None
    sign: str = ""
    sign_role: Role = "text"
    order: str = ""
    name: str = ""
    """Ready to be shown."""
    name_role: Role = "text"
    right: str = ""
    """Size, value or remark at the right edge."""
    right_role: Role = "soft"
    wide_right: bool = False
    """`right` is words rather than a number, and may take half of the row."""
    size: int = 0
    """For the bar; 0 where there is none."""


def keyed(preview: Preview) -> Iterator[tuple[EntryKey, Entry]]:
    """All entries in list order with their keys."""
    groups: tuple[tuple[Kind, Iterable[Entry]], ...] = (
        ("section", preview.sections),
        ("context", preview.contexts),
        ("tool", preview.tools),
        ("variable", preview.variables),
    )
    for kind, entries in groups:
        seen: Counter[tuple[str, str]] = Counter()
        for entry in entries:
            nth = seen[entry.name, entry.layer]
            seen[entry.name, entry.layer] += 1
            yield EntryKey(kind, entry.name, entry.layer, nth), entry


def rows(entries: Iterable[tuple[EntryKey, Entry]], preview: Preview, *, blanks: bool) -> list[Row]:
    """The lines of the list. `blanks` puts an empty one between two groups."""
    lines: list[Row] = []
    group: Kind | None = None
    for key, entry in entries:
        if key.kind != group:
            if blanks and lines:
                lines.append(Row())
            group = key.kind
            lines.append(_heading(group, preview))
        lines.append(_row(key, entry))
    return lines


def is_sent(entry: Entry) -> bool:
    """The model reads it, or would if nothing had failed."""
    if isinstance(entry, EntryView):
        return entry.state == "effective" and entry.rendered != ""
    return entry.state == "effective"


def sign_of(entry: Entry) -> tuple[str, Role]:
    """The sign in front of an entry, and its colour."""
    if isinstance(entry, VariableView):
        return ("∅", "soft") if entry.state == "shadowed" else ("»" if entry.set_by else "", "listener")
    if isinstance(entry, EntryView) and entry.failure is not None:
        return "×", "failed"
    if entry.state == "removed":
        return "−", "removed"
    if entry.state != "effective":
        return "∅", "soft"
    if entry.added_by is not None:
        return "+", "listener"
    return ("»" if entry.changed_by else ""), "listener"


def order_text(order: float | None) -> str:
    """An order as it was given: `1000`, `-0.5`; empty without one."""
    if order is None:
        return ""
    return str(int(order)) if order == int(order) and abs(order) < 1e15 else f"{order:g}"


def _heading(kind: Kind, preview: Preview) -> Row:
    return Row(heading=kind, name=HEADINGS[kind], right=_total(kind, preview), right_role="faint")


def _total(kind: Kind, preview: Preview) -> str:
    match kind:
        case "section":
            total = section_total(preview)
        case "context":
            total = context_total(preview)
        case "tool":
            total = tool_total(preview)
        case "variable":
            return ""
    return "–" if total is None else number(total)


def _row(key: EntryKey, entry: Entry) -> Row:
    sign, sign_role = sign_of(entry)
    name_role: Role = "text" if is_sent(entry) else "faint"
    name = str(visible_line(entry.name))
    if isinstance(entry, VariableView):
        value, value_role = _value(entry)
        return Row(None, key, sign, sign_role, "", name, name_role, value, value_role, wide_right=True)
    if isinstance(entry, ToolView):
        size = tool_size(entry)
        return Row(None, key, sign, sign_role, "", name, name_role, number(size), size=size)
    size = entry_size(entry) if entry.state == "effective" else 0
    right = number(size) if entry.state == "effective" else entry.state
    return Row(
        None,
        key,
        sign,
        sign_role,
        order_text(entry.order),
        name,
        name_role,
        right,
        "soft" if is_sent(entry) else "faint",
        wide_right=entry.state != "effective",
        size=size,
    )


def _value(variable: VariableView) -> tuple[str, Role]:
    if variable.state == "shadowed":
        return "shadowed", "faint"
    if variable.value is None:
        return "no value", "pending"
    if variable.value == "":
        return "empty", "faint"
    return str(visible_line(variable.value)), "value"


def owner_role(entry: Entry) -> Role:
    """The colour of the class of its owner."""
    return OWNER_ROLES.get(entry.owner.kind, "owner-plugin")
