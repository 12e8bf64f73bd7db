"""One row of the tree of what is registered as pieces: name, kind, order, owner, remark; and their headings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from rich.cells import cell_len

from workbench.config.registry.facts import GLOBAL, PluginFact, Registration
from workbench.prompt.trace import AssemblyTrace
from workbench.tui.view.entries import order_text
from workbench.tui.view.frame import Bar, Region
from workbench.tui.view.pieces import OWNER_ROLES, Line, Piece, Role, cut, outside, spread, width_of
from workbench.tui.view.registry_rows import GROUPINGS, Grouping, Row
from workbench.tui.view.sizes import number

ASSEMBLE: Final = "system-prompt/assemble"
_TITLES: Final[Mapping[Grouping, str]] = {"layer": "Layers", "plugin": "Plugins", "kind": "Kinds"}
_SHORT_KINDS: Final[Mapping[str, str]] = {
    "restriction": "restrict",
    "tool provider": "provider",
    "presentation": "present.",
    "code runtime": "code",
    "suppressor": "suppress",
}
STATES: Final[Mapping[str, tuple[str, Role]]] = {
    "active": ("", "soft"),
    "waiting": ("◌", "waiting"),
    "loading": ("◐", "pending"),
    "stopping": ("◐", "pending"),
    "failed": ("×", "failed"),
    "stopped": ("○", "soft"),
}
"""Sign and colour of a state; its word stands beside it."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Cells of each column; 0: it is not there."""

    width: int
    name: int
    kind: int
    order: int
    owner: int
    remark: int
    margin: int = 1

    @classmethod
    def of(cls, width: int, margin: int = 1) -> Columns:
        """As they fit into a pane of that width."""
        room = width - 1 - margin
        if width < 40:
            return cls(width, max(1, room - 9), 8, 0, 0, 0, margin)
        if width < 62:
            name = max(10, room - 8 - 6 - 11 - 3)
            return cls(width, name, 8, 6, max(1, room - name - 8 - 6 - 3), 0, margin)
        if width < 96:
            name = 25
            return cls(width, name, 11, 6, 14, max(0, room - name - 11 - 6 - 14 - 5), margin)
        name = width * 34 // 100
        return cls(width, name, 13, 7, 18, max(0, room - name - 13 - 7 - 18 - 5), margin)


@dataclass(frozen=True, slots=True)
class Look:
    """What rows look like at the moment."""

    grouping: Grouping
    columns: Columns
    outcomes: Mapping[object, str]
    """Of the listeners of the last assembly, by `listener_mark`."""
    has_focus: bool = False


def listener_mark(fiber: int, label: str, layer: str, nth: int) -> object:
    """What tells the listeners of an assembly apart."""
    return fiber, label, layer, nth


def outcomes_of(trace: AssemblyTrace | None) -> dict[object, str]:
    """How each listener of an assembly treated `next`."""
    found: dict[object, str] = {}
    for listener in trace.listeners if trace is not None else ():
        nth = 0
        while (mark := listener_mark(listener.owner.fiber, listener.label, listener.scope or GLOBAL, nth)) in found:
            nth += 1
        found[mark] = listener.outcome
    return found


def heading(grouping: Grouping, columns: Columns, *, has_focus: bool) -> Bar:
    """The line above the tree: what it is grouped by, and what stands in the columns."""
    is_short = columns.width < 62
    left: Line = (Piece(" "), Piece(_TITLES[grouping], "strong" if has_focus else "soft", bold=True), Piece("  "))
    regions = []
    for each in GROUPINGS:
        word = {"plugin": "owner"}.get(each, each)
        text = word if is_short and each != grouping else f"by {word}"
        start = width_of(left)
        left = (*left, Piece(text, "text" if each == grouping else "faint", underline=each == grouping))
        regions.append(Region(start, width_of(left), f"registry.by_{each}"))
        left = (*left, Piece(" " if is_short else "  "))
    right = _column_heads(grouping, columns)
    used = width_of(left)
    at = columns.width - width_of(right)
    if used > at:  # column heads give way
        right = cut_left(right, columns.width - used)
    return Bar((*left, Piece(" " * max(0, columns.width - used - width_of(right))), *right), (), tuple(regions))


def cut_left(line: Line, width: int) -> Line:
    """The end of a line in at most `width` cells, by whole pieces."""
    kept: Line = ()
    for piece in reversed(line):
        if width_of((piece, *kept)) > width:
            break
        kept = (piece, *kept)
    return kept


def _column_heads(grouping: Grouping, columns: Columns) -> Line:
    heads: Line = ()
    if columns.order:
        heads = (*heads, Piece("order".rjust(columns.order), "soft"), Piece("  "))
    if columns.owner:
        word = "layer" if grouping == "plugin" else "owner"
        heads = (*heads, Piece(word.ljust(columns.owner), "soft"))
    if columns.remark:
        heads = (*heads, Piece("  "), Piece("remark".ljust(columns.remark), "soft"))
    return (*heads, Piece(" " * columns.margin))


def row_line(row: Row, look: Look, *, is_cursor: bool) -> tuple[Line, Role]:
    """The row in the width of the columns, and its ground."""
    if row.is_blank:
        return (), "base"
    ground: Role = ("cursor" if look.has_focus else "cursor-idle") if is_cursor else "base"
    bar = Piece("▌" if is_cursor and look.has_focus else " ", "focus")
    indent = Piece(" " * (2 * row.depth + (1 if row.depth < 8 else 0)))
    fold = () if row.is_open is None else (Piece("▾ " if row.is_open else "▸ ", "faint"),)
    lead: Line = (bar, indent, *fold)
    if row.registration is not None:
        return _cells(lead, *_registration(row.registration, look, is_cursor), look.columns), ground
    if row.plugin is not None:
        return _plugin_line(row, lead, look, is_cursor), ground
    return _group_line(row, lead, look, is_cursor), ground


def _cells(lead: Line, name: Line, kind: Line, order: str, owner: Line, remark: Line, columns: Columns) -> Line:
    """Each part in its column; a remark takes the place of the owner where it has no column."""
    room = 1 + columns.name
    first = cut((*lead, *name), room)
    line: Line = (*first, Piece(" " * (room - width_of(first) + 1)))
    line = (*line, *_padded(kind, columns.kind))
    if columns.order:
        line = (*line, Piece(order.rjust(columns.order), "faint"), Piece("  "))
    if columns.owner:
        line = (*line, *_padded(owner if columns.remark or not _matters(remark) else remark, columns.owner))
    if columns.remark:
        line = (*line, Piece("  "), *_padded(remark, columns.remark))
    return line


def _matters(remark: Line) -> bool:
    return any(piece.role in ("failed", "waiting", "pending") for piece in remark)


def _padded(line: Line, width: int) -> Line:
    line = cut(line, width)
    return (*line, Piece(" " * (width - width_of(line))))


def _registration(each: Registration, look: Look, is_cursor: bool) -> tuple[Line, Line, str, Line, Line]:
    columns = look.columns
    name = outside(each.name, "strong" if is_cursor else "text", bold=is_cursor)
    kind: Line = (Piece(kind_word(each.kind, columns.kind), "faint"),)
    owner = owner_line(each)
    if look.grouping == "plugin":
        owner = outside(each.layer, "soft")
    elif look.grouping == "kind":
        kind = outside(each.layer, "faint")
    order = order_text(each.order) if each.kind != "listener" else ordinal(each.position)
    return name, kind, order, owner, remark_of(each, look)


def owner_line(each: Registration) -> Line:
    """The owner in the colour of its class."""
    if not each.owner.plugin:
        return (Piece("–", "faint"),)
    return outside(each.owner.plugin, OWNER_ROLES.get(each.owner.kind, "owner-plugin"))


def kind_word(kind: str, width: int) -> str:
    """The kind, shortened where the column is narrow."""
    return kind if cell_len(kind) <= width else _SHORT_KINDS.get(kind, kind[:width])


def ordinal(position: int) -> str:
    """`1st`; empty for none."""
    if position <= 0:
        return ""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(position % 10 if position % 100 not in (11, 12, 13) else 0, "th")
    return f"{position}{ending}"


def remark_of(each: Registration, look: Look) -> Line:
    """The one thing about it that is not as usual."""
    if each.kind == "listener":
        return _listener_remark(each, look)
    if each.kind == "service":
        if each.state != "active":
            return state_line(each.state)
        count = len(each.dependents)
        return (Piece(f"for {number(count)} plugin{'' if count == 1 else 's'}", "faint"),) if count else ()
    if each.shadowed_in:
        return (Piece("∅ in ", "soft"), *_scopes(each.shadowed_in))
    if each.denied_in:
        return (Piece("∅ denied in ", "soft"), *_scopes(each.denied_in))
    if each.shadows:
        return (Piece("shadows ", "soft"), *_scopes(each.shadows))
    if each.is_complete:
        return (Piece("complete", "changed"),)
    return ()


def _scopes(labels: tuple[str, ...]) -> Line:
    more = f" +{len(labels) - 1}" if len(labels) > 1 else ""
    return (*outside(labels[0], "soft"), Piece(more, "faint"))


_OUTCOMES: Final[Mapping[str, Line]] = {
    "passed": (Piece("✓ ran", "faint"),),
    "short-circuited": (Piece("× no next", "failed"),),
    "not awaited": (Piece("× next not awaited", "failed"),),
    "raised": (Piece("× raised", "failed"),),
    "skipped": (Piece("– skipped", "soft"),),
}


def _listener_remark(each: Registration, look: Look) -> Line:
    if each.key.of != ASSEMBLE:
        return () if look.grouping == "kind" else outside(each.key.of, "faint")
    outcome = look.outcomes.get(listener_mark(each.owner.fiber, each.name, each.layer, each.key.nth))
    if outcome is None:
        return (Piece("– never ran", "soft"),) if look.outcomes else ()
    return _OUTCOMES.get(outcome, ())


def state_line(state: str) -> Line:
    """Sign and word."""
    sign, role = STATES[state]
    return (Piece(f"{sign} ", role, bold=True), Piece(state, role)) if sign else (Piece(state, role),)


def plugin_remark(plugin: PluginFact) -> Line:
    """Why it does not run, or what became of it."""
    outcome = plugin.outcome
    if plugin.state == "stopped" and outcome is not None:
        proof = "✓ nothing left" if outcome.is_clean else f"× {number(len(outcome.left))} left"
        role: Role = "running" if outcome.is_clean else "failed"
        return (*state_line("stopped"), Piece(", ", "soft"), Piece(proof, role))
    if plugin.state == "active":
        return ()
    words = plugin.reason.split("\n")[0].removeprefix("waits ")
    return (*state_line(plugin.state), *((Piece("  "), *outside(words, "soft")) if words else ()))


def _plugin_line(row: Row, lead: Line, look: Look, is_cursor: bool) -> Line:
    plugin, columns = row.plugin, look.columns
    assert plugin is not None
    role = OWNER_ROLES.get(plugin.owner.kind, "owner-plugin")
    name = outside(plugin.name, "strong" if is_cursor else role, bold=is_cursor or row.is_open is not None)
    count = f"{number(row.below)} " if row.below else ""
    if plugin.state == "active":
        needs = ", ".join(need.service for need in plugin.needs)
        words = f"needs {needs}" if needs else ""
        provides = f"provides {', '.join(plugin.provides)}" if plugin.provides else ""
        facts = "  ".join(word for word in (provides, words) if word)
        rest: Line = outside(facts, "faint")
    else:
        rest = plugin_remark(plugin)
    if look.grouping != "plugin":
        kind = (Piece("plugin", "faint"),)
        if plugin.state == "active":
            return _cells(lead, name, kind, "", outside(plugin.layer, "soft"), rest, columns)
        line = _cells(lead, name, kind, "", (), (), replace(columns, owner=0, remark=0))
        return (*line, *_padded(rest, max(0, columns.width - width_of(line) - columns.margin)))
    left = (*lead, *name)
    room = 1 + columns.name
    if width_of(left) < room:
        left = (*left, Piece(" " * (room - width_of(left))))
    return spread((*left, Piece(" "), *rest), (Piece(count, "faint"),), columns.width)


def _group_line(row: Row, lead: Line, look: Look, is_cursor: bool) -> Line:
    columns = look.columns
    count = (Piece(f"{number(row.below)} ", "faint"),)
    if row.depth and row.kind and row.kind != "event":
        title: Line = (Piece(row.title, "strong" if is_cursor else "text", bold=is_cursor),)
        kind = (Piece(kind_word(row.kind, columns.kind), "faint"),)
        if row.is_open:
            return _cells(lead, title, kind, "", (), (), columns)
        owners = row.owners
        words: Line = (Piece(f"{number(len(owners))} owners", "soft"),)
        if len(owners) == 1:
            words = outside(owners[0], "soft")
        return _cells(lead, title, kind, "", words if look.grouping != "plugin" else (), (), columns)
    if row.layer is not None:
        note = row.layer.note
        if row.layer.parent and row.layer.parent != GLOBAL:
            note = f"{note}, child of {row.layer.parent}" if note else f"inside {row.layer.parent}"
        title = (*outside(row.layer.label, "strong", bold=True), Piece("  "), *outside(note, "soft"))
    else:
        title = outside(row.title, "strong" if is_cursor or not row.depth else "text", bold=not row.depth)
    return spread((*lead, *title), count, columns.width)
