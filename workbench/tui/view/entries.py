"""The list beside the text: sections, contexts, tools and variables, each group under its heading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from workbench.prompt.views import EntryView, Owner, Preview, ToolView, VariableView
from workbench.tui.view.budgets import budget_remark, is_over
from workbench.tui.view.pieces import OWNER_ROLES, Line, Role
from workbench.tui.view.sizes import CHARACTERS, Sizes, number
from workbench.visible import visible_line

Kind: TypeAlias = Literal["section", "context", "tool", "variable", "plugin"]


@dataclass(frozen=True, slots=True)
class PluginTrouble:
    """A plugin that does not do what it was loaded for."""

    owner: Owner
    state: Literal["failed", "waiting", "loading", "stopping"]
    reason: str
    """Why, or what is being waited for."""

    @property
    def name(self) -> str:
        return self.owner.plugin

    @property
    def layer(self) -> str:
        return ""


Entry: TypeAlias = EntryView | ToolView | VariableView | PluginTrouble

HEADINGS: dict[Kind, str] = {
    "section": "Sections",
    "context": "Runtime context",
    "tool": "Tools",
    "variable": "Variables",
    "plugin": "Plugins not running",
}


class EntryKey(NamedTuple):
    """What makes an entry the same one in the next preview."""

    kind: Kind
    name: str
    layer: str
    nth: int = 0
    """Of entries that are equal in the three fields above: two tools may share a name."""


class Row(NamedTuple):
    """One line of the list: a heading, an entry, or the blank between two groups."""

    heading: Kind | None
    key: EntryKey | None
    entry: Entry | None
    total: str = ""
    """Of the group, for a heading."""
    remark: Line = ()
    """In front of the total: what is the matter with its budget."""


class Cells(NamedTuple):
    """What is written in the line of an entry, ready to be shown."""

    sign: str
    sign_role: Role
    order: str
    name: str
    name_role: Role
    right: str
    """Size, value or remark at the right edge."""
    right_role: Role
    wide_right: bool = False
    """`right` is words rather than a number, and may take half of the row."""


BLANK = Row(None, None, None)


def keyed(preview: Preview, troubles: Iterable[PluginTrouble] = ()) -> Iterator[tuple[EntryKey, Entry]]:
    """All entries in list order with their keys."""
    groups: tuple[tuple[Kind, Iterable[Entry]], ...] = (
        ("section", preview.sections),
        ("context", preview.contexts),
        ("tool", preview.tools),
        ("variable", preview.variables),
        ("plugin", troubles),
    )
    for kind, entries in groups:
        seen: set[EntryKey] = set()
        for entry in entries:
            key = EntryKey(kind, entry.name, entry.layer)
            while key in seen:
                key = key._replace(nth=key.nth + 1)
            seen.add(key)
            yield key, entry


def rows(
    entries: Iterable[tuple[EntryKey, Entry]], preview: Preview, *, blanks: bool, sizes: Sizes = CHARACTERS
) -> list[Row]:
    """The lines of the list. `blanks` puts an empty one between two groups."""
    lines: list[Row] = []
    group: Kind | None = None
    for key, entry in entries:
        if key.kind != group:
            if blanks and lines:
                lines.append(BLANK)
            group = key.kind
            lines.append(_heading(group, preview, sizes))
        lines.append(Row(None, key, entry))
    return lines


def size_of(entry: Entry, sizes: Sizes = CHARACTERS) -> int:
    """What the bar of an entry shows; 0 for none."""
    if isinstance(entry, EntryView):
        size = sizes.entry(entry) if entry.state == "effective" else None
    elif isinstance(entry, ToolView):
        size = sizes.tool(entry) if entry.state == "effective" else None
    else:
        return 0
    return 0 if size is None else size.amount


_TROUBLE_SIGNS: dict[str, tuple[str, Role]] = {
    "failed": ("×", "failed"),
    "waiting": ("◌", "waiting"),
    "loading": ("◐", "pending"),
    "stopping": ("◐", "pending"),
}


def is_sent(entry: Entry) -> bool:
    """The model reads it, or would if nothing had failed."""
    if isinstance(entry, PluginTrouble):
        return False
    if isinstance(entry, EntryView):
        has_text = (entry.text if entry.rendered is None else entry.rendered) != ""
        return entry.state == "effective" and (has_text or entry.failure is not None)
    return entry.state == "effective"


def sign_of(entry: Entry) -> tuple[str, Role]:
    """The sign in front of an entry, and its colour."""
    if isinstance(entry, PluginTrouble):
        return _TROUBLE_SIGNS[entry.state]
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


def _heading(kind: Kind, preview: Preview, sizes: Sizes) -> Row:
    match kind:
        case "section":
            total, budget = sizes.system(preview), sizes.budget("whole")
        case "context":
            total, budget = sizes.context(preview), sizes.budget("runtime_context")
        case "tool":
            total, budget = sizes.tools(preview), sizes.budget("tools")
        case "variable" | "plugin":
            return Row(kind, None, None)
    return Row(kind, None, None, "–" if total is None else total.short, budget_remark(budget))


def cells(entry: Entry, sizes: Sizes = CHARACTERS) -> Cells:
    """What is written in the line of an entry."""
    sign, sign_role = sign_of(entry)
    role: Role = "text" if is_sent(entry) else "faint"
    name = str(visible_line(entry.name))
    if isinstance(entry, VariableView):
        value, value_role = _value(entry)
        return Cells(sign, sign_role, "", name, role, value, value_role, wide_right=True)
    if isinstance(entry, PluginTrouble):
        return Cells(sign, sign_role, "", name, "text", entry.state, sign_role, wide_right=True)
    size_role: Role = "soft" if is_sent(entry) else "faint"
    if isinstance(entry, ToolView):
        return Cells(sign, sign_role, "", name, role, *_size_cell(entry, sizes, size_role))
    order = order_text(entry.order)
    if entry.state != "effective":
        return Cells(sign, sign_role, order, name, role, entry.state, size_role, wide_right=True)
    return Cells(sign, sign_role, order, name, role, *_size_cell(entry, sizes, size_role))


def _size_cell(entry: EntryView | ToolView, sizes: Sizes, role: Role) -> tuple[str, Role]:
    """The number alone: the heading above says whether it is exact. `over 84` is above its budget."""
    if isinstance(entry, ToolView):
        size, budget = sizes.tool(entry), sizes.budget("tool", entry.name)
    else:
        size, budget = sizes.entry(entry), sizes.budget(entry.kind, entry.name)
    if size is None:
        return "–", role
    return (f"over {number(size.amount)}", "failed") if is_over(budget) else (number(size.amount), role)


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
