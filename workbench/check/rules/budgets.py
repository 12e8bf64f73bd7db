"""Budgets: the whole and its parts may be only so long.

Source: docs/checks.md 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.check.finding import Finding, Part
from workbench.check.measure import Measure, measure
from workbench.check.rule import Rule
from workbench.check.subject import CheckedScope, Subject, effective
from workbench.config.model import Budgets, PartBudget
from workbench.config.nodes import Path
from workbench.prompt import EntryView, Owner, Position, TextSource, ToolView


@dataclass(frozen=True, slots=True)
class _Sized:
    """One part and its length."""

    part: Part
    name: str
    size: int
    owner: Owner
    source: TextSource | None
    scope: str


def over_budget(subject: Subject) -> Iterator[Finding]:
    """Every part, and every whole, that is longer than the composition allows."""
    budgets = subject.settings.budgets
    if budgets is None:
        return
    by = measure(budgets.unit)
    for scope in subject.scopes:
        yield from _wholes(scope, budgets, by, subject)
        for sized in _sizes(scope, by):
            limit, named = _limit(sized, budgets)
            if limit is not None and sized.size > limit:
                place = sized.source
                yield Finding(
                    rule=sized.part,
                    severity="error",
                    message=f"{sized.part} {sized.name} has {sized.size:,} {by.unit}; {limit:,} are allowed",
                    remedy="shorten it, or raise its limit"
                    if named
                    else "shorten it, or give it a limit of its own",
                    part=sized.part,
                    name=sized.name,
                    owner=sized.owner,
                    position=None if place is None else place.position("", 0),
                    scopes=(sized.scope,),
                )
    yield from _limits_of_nothing(subject, budgets)


def _wholes(scope: CheckedScope, budgets: Budgets, by: Measure, subject: Subject) -> Iterator[Finding]:
    preview = scope.preview
    tools = "".join(map(_tool_text, preview.tools))
    for key, title, text, limit in (
        ("whole", "the system text", preview.system, budgets.whole),
        ("runtime_context", "the runtime context", preview.context, budgets.runtime_context),
        ("tools", "all tool schemas together", tools, budgets.tools),
    ):
        if limit is None or not text:
            continue
        size = by.count(text)
        if size > limit:
            verb = "have" if key == "tools" else "has"
            yield Finding(
                rule=key.replace("_", "-"),
                severity="error",
                message=f"{title} {verb} {size:,} {by.unit} in scope {scope.label}; {limit:,} are allowed",
                remedy="shorten its longest parts, or raise the limit",
                part="prompt",
                name=scope.label,
                position=_place(subject, ("check", "budgets", key)),
                scopes=(scope.label,),
            )


def _sizes(scope: CheckedScope, by: Measure) -> Iterator[_Sized]:
    view: EntryView | ToolView
    for view in effective(scope.preview):
        if view.rendered:
            yield _Sized(view.kind, view.name, by.count(view.rendered), view.owner, view.source, scope.label)
    for view in scope.preview.tools:
        if view.state == "effective":
            yield _Sized("tool", view.name, by.count(_tool_text(view)), view.owner, view.source, scope.label)


def _limit(sized: _Sized, budgets: Budgets) -> tuple[int | None, bool]:
    """Its limit, and whether that names it."""
    for part in budgets.parts:
        if getattr(part, sized.part) == sized.name:
            return part.limit, True
    general: int | None = getattr(budgets, sized.part)
    return general, False


def _limits_of_nothing(subject: Subject, budgets: Budgets) -> Iterator[Finding]:
    """Limits of parts that no assembly holds: most likely a slip of the pen."""
    for part in budgets.parts:
        kind, name = _named(part)
        if not any(_holds(scope, kind, name) for scope in subject.scopes):
            what = f"there is no {kind} {name}" if kind else "this limit names no section, context or tool"
            yield Finding(
                rule="unused",
                message=f"{what}, so its limit means nothing",
                remedy="correct the name, or remove the limit",
                position=_place(subject, part.at),
            )


def _named(part: PartBudget) -> tuple[str, str]:
    for kind in ("section", "context", "tool"):
        name = getattr(part, kind)
        if name is not None:
            return kind, name
    return "", ""


def _holds(scope: CheckedScope, kind: str, name: str) -> bool:
    if kind == "tool":
        return name in scope.tools
    return any(entry.kind == kind and entry.name == name for entry in effective(scope.preview))


def _tool_text(tool: ToolView) -> str:
    """What is counted of a tool: its name, its description and its parameters."""
    return f"{tool.name}\n{tool.description}\n{tool.parameters_json}" if tool.state == "effective" else ""


def _place(subject: Subject, path: Path) -> Position:
    document = subject.composition.document
    return Position(document.file, *document.place(document.key_offset(path)))


BUDGET = Rule(
    "budget",
    over_budget,
    "The whole or a part is longer than the composition's `budgets` allow.",
    ("whole", "runtime-context", "tools", "section", "context", "tool", "unused"),
)
