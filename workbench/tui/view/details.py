"""What is known about the chosen entry, from the most to the least wanted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from workbench.prompt.source import TextSource
from workbench.prompt.views import EntryView, Failure, Owner, Preview, ToolView, VariableView
from workbench.tui.view.budgets import budget_line, budget_remark
from workbench.tui.view.entries import Entry, PluginTrouble, order_text, owner_role, sign_of
from workbench.tui.view.file_place import file_and_line, short_path
from workbench.tui.view.pieces import OWNER_ROLES, Line, Piece, outside
from workbench.tui.view.sizes import CHARACTERS, Size, Sizes, counted


class Fact(NamedTuple):
    """One labelled line."""

    label: str
    value: Line


@dataclass(frozen=True, slots=True)
class Details:
    """The content of the detail panel; how many facts are shown is for the panel to decide."""

    title: Line
    kind: str
    right: Line = ()
    """The one thing that a person might have to act on."""
    facts: tuple[Fact, ...] = ()
    values: tuple[Fact, ...] = ()
    """Variables that it refers to, by name."""
    summary: Line = ()
    """Everything that matters, on one line."""
    advice: tuple[Line, ...] = ()
    """What a failure means and how it is mended."""


SAVED = "this view follows when the file is saved"
"""How a correction comes to the screen, unless somebody knows better."""


def details(entry: Entry, preview: Preview, sizes: Sizes = CHARACTERS, *, follows: str = SAVED) -> Details:
    """About one entry."""
    if isinstance(entry, PluginTrouble):
        return _trouble(entry)
    if isinstance(entry, ToolView):
        return _tool(entry, preview, sizes)
    if isinstance(entry, VariableView):
        return _variable(entry)
    return _entry(entry, preview, sizes, follows)


def _entry(entry: EntryView, preview: Preview, sizes: Sizes, follows: str) -> Details:
    values = {variable.name: variable for variable in preview.variables if variable.state == "effective"}
    shown = tuple(Fact(name, _value(values.get(name))) for name in entry.references)
    whole = sizes.system(preview) if entry.kind == "section" else sizes.context(preview)
    facts = [
        Fact("owner", _owner_line(entry.owner, entry.source)),
        Fact("layer", _layer_line(entry)),
        Fact("order", _order_line(entry)),
    ]
    if entry.changed_by:
        facts.append(Fact("changed", (Piece("by "), *_names(entry.changed_by))))
    if shown:
        facts.append(Fact("values", _joined(shown)))
    of = "the system text" if entry.kind == "section" else "the snapshot"
    facts += _size_facts(sizes.entry(entry), whole if entry.state == "effective" else None, of)
    facts += _budget_facts(sizes, entry.kind, entry.name)
    facts += _reason_facts(sizes.entry(entry))
    if entry.literal or entry.complete:
        words = [
            w
            for w, on in (
                ("literal: braces are text", entry.literal),
                ("complete: it alone is sent", entry.complete),
            )
            if on
        ]
        facts.append(Fact("form", (Piece(", ".join(words)),)))
    return Details(
        title=outside(entry.name, "strong", bold=True),
        kind=entry.kind if entry.kind == "section" else "runtime context",
        right=_entry_remark(entry) or budget_remark(sizes.budget(entry.kind, entry.name)),
        facts=tuple(facts),
        values=shown,
        summary=(*_owner_line(entry.owner, entry.source), *_behind_owner(_layer_line(entry))),
        advice=advice(entry.failure, preview, follows) if entry.failure else (),
    )


def _tool(tool: ToolView, preview: Preview, sizes: Sizes) -> Details:
    whole = sizes.tools(preview) if tool.state == "effective" else None
    sign, role = sign_of(tool)
    facts = [
        Fact("owner", _owner_line(tool.owner, tool.source)),
        Fact("layer", outside(tool.layer)),
        *_size_facts(sizes.tool(tool), whole, "all tools"),
        *_budget_facts(sizes, "tool", tool.name),
        *_reason_facts(sizes.tool(tool)),
    ]
    if tool.changed_by:
        facts.append(Fact("changed", (Piece("by "), *_names(tool.changed_by))))
    if tool.added_by is not None:
        facts.append(Fact("added", (Piece("by "), *_names([tool.added_by]))))
    facts.append(Fact("says", outside(tool.description.split("\n")[0])))
    return Details(
        title=outside(tool.name, "strong", bold=True),
        kind="tool",
        right=(
            (Piece(f"{sign} ", role), Piece(tool.state))
            if tool.state != "effective"
            else budget_remark(sizes.budget("tool", tool.name))
        ),
        facts=tuple(facts),
        summary=(*_owner_line(tool.owner, tool.source), *_behind_owner(outside(tool.layer, "soft"))),
    )


def _variable(variable: VariableView) -> Details:
    used = ", ".join(variable.used_in) if variable.used_in else "nowhere in this prompt"
    facts = [
        Fact("value", _value(variable)),
        Fact("owner", _owner_line(variable.owner, variable.source)),
        Fact("layer", outside(variable.layer)),
        Fact("used in", outside(used)),
    ]
    if variable.set_by is not None:
        facts.insert(1, Fact("set", (Piece("by "), *_names([variable.set_by]))))
    return Details(
        title=outside("{{" + variable.name + "}}", "strong", bold=True),
        kind="variable",
        right=(Piece("∅ ", "soft"), Piece("shadowed")) if variable.state == "shadowed" else (),
        facts=tuple(facts),
        summary=(*_value(variable), Piece("  used in ", "soft"), *outside(used)),
    )


def _trouble(trouble: PluginTrouble) -> Details:
    sign, role = sign_of(trouble)
    reason = outside(trouble.reason.split("\n")[0])
    ends = "Everything else goes on; this ends when its cause does."
    return Details(
        title=outside(trouble.name, "strong", bold=True),
        kind="plugin",
        right=(Piece(f"{sign} {trouble.state}", role),),
        facts=(Fact("why", reason),),
        summary=reason,
        advice=(reason, (Piece(ends, "soft"),)),
    )


def advice(failure: Failure, preview: Preview, follows: str = SAVED) -> tuple[Line, ...]:
    """What follows from it, and what to do. `follows`: how a correction comes to the screen."""
    others = sum(1 for section in preview.sections if section.state == "effective" and section.rendered)
    meaning = "No request can be made until this is mended"
    rest = f"; the other {counted(others, 'section')} {'renders' if others == 1 else 'render'}." if others else "."
    lines: list[Line] = [(Piece(meaning + rest, "text"),)]
    behind = Piece(f"; {follows}.", "soft")
    name = failure.group.strip("{} \n")
    if failure.code == "unknown":
        lines.append((Piece("Correct the text, or register ", "soft"), *outside(name, "strong", bold=True), behind))
    elif failure.code == "no value":
        lines.append(
            (
                Piece("Give ", "soft"),
                *outside(name, "strong", bold=True),
                Piece(" a value for this scope", "soft"),
                behind,
            )
        )
    elif failure.code == "malformed":
        lines.append((Piece("Write a name such as {{model}}, or register the text as literal", "soft"), behind))
    elif failure.owner is not None and failure.owner.kind == "package":
        package = failure.owner.plugin.partition(":")[0]
        lines.append(
            (
                Piece("Stop ", "soft"),
                *outside(package, "strong", bold=True),
                Piece(" in the place Packages.", "soft"),
            )
        )
    else:
        owner = failure.owner.plugin if failure.owner else "what it names"
        lines.append((Piece("Correct ", "soft"), *outside(owner, "strong", bold=True), behind))
    return tuple(lines)


def _entry_remark(entry: EntryView) -> Line:
    sign, role = sign_of(entry)
    if entry.failure is not None:
        return (Piece(f"{sign} not rendered", "failed"),)
    if entry.state != "effective":
        return (Piece(f"{sign} ", role), *outside(entry.remark or entry.state))
    if entry.remark:
        return (Piece("~ ", "changed"), *outside(entry.remark))
    return ()


def _owner_line(owner: Owner, source: TextSource | None) -> Line:
    role = OWNER_ROLES.get(owner.kind, "owner-plugin")
    if source is None:
        return outside(owner.plugin, role)
    folder, slash, file = short_path(source.file).rpartition("/")
    if file == owner.plugin:  # the owner is a file: say it once
        return *outside(folder + slash, "soft"), *outside(file, role), *outside(f":{source.line}", "soft")
    return *outside(owner.plugin, role), Piece("  "), *outside(file_and_line(source), "soft")


def _behind_owner(layer: Line) -> Line:
    """A log does not say which layer it was."""
    return (Piece(" · ", "soft"), *layer) if any(piece.text for piece in layer) else ()


def _layer_line(entry: EntryView) -> Line:
    line = outside(entry.layer)
    if entry.state == "shadowed":
        line = (*line, Piece("  ∅ ", "soft"), *outside(entry.remark or "shadowed", "soft"))
    return line


def _order_line(entry: EntryView) -> Line:
    if entry.order is None and entry.added_by is None and not entry.layer:
        return (Piece("not recorded", "soft"),)
    if entry.order is None:
        added = _names([entry.added_by]) if entry.added_by else (Piece("a listener", "listener"),)
        return (Piece("none: added by "), *added)
    line: Line = (Piece(order_text(entry.order)),)
    if entry.order_key:
        line = (*line, Piece(f"  {entry.order_key}", "soft"))
    return line


def _size_facts(size: Size | None, whole: Size | None, of: str) -> list[Fact]:
    if size is None:
        return []
    line: Line = (Piece(str(size)),)
    if size.trust:
        line = (*line, Piece(f" {size.trust}", "soft"))
    if whole is not None and whole.amount:
        share = 100 * size.amount / whole.amount
        line = (*line, Piece(f", {share:.0f} % of {of}" if share >= 1 else f", under 1 % of {of}", "soft"))
    return [Fact("size", line)]


def _reason_facts(size: Size | None) -> list[Fact]:
    return [Fact("why", outside(size.reason, "soft"))] if size is not None and size.reason else []


def _budget_facts(sizes: Sizes, part: str, name: str) -> list[Fact]:
    """The limit of the part, and that of the whole that it is in."""
    whole = {"section": "whole", "context": "runtime_context", "tool": "tools"}[part]
    facts = []
    for label, use in (("budget", sizes.budget(part, name)), ("of all", sizes.budget(whole))):
        if use is not None:
            facts.append(Fact(label, budget_line(use, sizes.budget_unit)))
    return facts


def _value(variable: VariableView | None) -> Line:
    if variable is None:
        return (Piece("unknown", "failed"),)
    if variable.value is None:
        return (Piece("no value", "pending"),)
    if variable.value == "":
        return (Piece("empty text", "soft"),)
    return outside(variable.value, "value", underline=True)


def _names(owners: Iterable[Owner]) -> Line:
    line: Line = ()
    for owner in owners:
        line = (*line, *((Piece(", "),) if line else ()), *outside(owner.plugin, "listener"))
    return line


def _joined(facts: Iterable[Fact]) -> Line:
    line: Line = ()
    for fact in facts:
        gap = (Piece("   "),) if line else ()
        line = (*line, *gap, *outside(fact.label, "soft"), Piece(" "), *fact.value)
    return line


def owner_class(entry: Entry) -> str:
    """The word for the class of its owner, so that the colour is not alone."""
    return owner_role(entry).removeprefix("owner-")
