"""Budgets: the whole and its parts may be only so long.

Source: docs/checks.md 4.
"""

from __future__ import annotations

from collections.abc import Iterator

from workbench.check.checked_scope import CheckedScope
from workbench.check.finding import Finding, Part
from workbench.check.rule import Rule
from workbench.check.subject import Subject
from workbench.config.model import Budgets, PartBudget
from workbench.prompt import EntryView, ToolView


def over_budget(subject: Subject) -> Iterator[Finding]:
    """Every part, and every whole, that is longer than the composition allows."""
    budgets = subject.settings.budgets
    if budgets is None:
        return
    for scope in subject.scopes:
        yield from _wholes(scope, budgets, subject)
        for part, view, text in _parts(scope):
            limit, is_named = _limit(part, view.name, budgets)
            size = subject.sizes.of(text, scope)
            if limit is not None and size.number > limit:
                source = view.source
                yield Finding(
                    rule=part,
                    severity="error",
                    message=f"{part} {view.name} has {size}; {limit:,} are allowed",
                    remedy="shorten it, or raise its limit"
                    if is_named
                    else "shorten it, or give it a limit of its own",
                    part=part,
                    name=view.name,
                    owner=view.owner,
                    position=None if source is None else source.position("", 0),
                    scopes=(scope.label,),
                )
    yield from _limits_of_nothing(subject, budgets)


def _wholes(scope: CheckedScope, budgets: Budgets, subject: Subject) -> Iterator[Finding]:
    for key, title, text, limit in (
        ("whole", "the system text has", scope.texts.system, budgets.whole),
        ("runtime_context", "the runtime context has", scope.texts.context, budgets.runtime_context),
        ("tools", "all tool schemas together have", scope.texts.all_tools, budgets.tools),
    ):
        if limit is None or not text:
            continue
        size = subject.sizes.of(text, scope)
        if size.number > limit:
            yield Finding(
                rule=key.replace("_", "-"),
                severity="error",
                message=f"{title} {size} in scope {scope.label}; {limit:,} are allowed",
                remedy="shorten its longest parts, or raise the limit",
                part="prompt",
                name=scope.label,
                position=subject.place((*budgets.at, key), of_key=True),
                scopes=(scope.label,),
            )


def _parts(scope: CheckedScope) -> Iterator[tuple[Part, EntryView | ToolView, str]]:
    for entry in scope.effective_entries():
        if entry.rendered:
            yield entry.kind, entry, entry.rendered
    for tool in scope.effective_tools():
        yield "tool", tool, scope.texts.tools[tool.name]


def _limit(part: Part, name: str, budgets: Budgets) -> tuple[int | None, bool]:
    """Its limit, and whether that names it."""
    for named in budgets.parts:
        if getattr(named, part) == name:
            return named.limit, True
    general: int | None = getattr(budgets, part)
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
                position=subject.place(part.at),
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
    return any(entry.kind == kind and entry.name == name for entry in scope.effective_entries())


BUDGET = Rule(
    "budget",
    over_budget,
    "The whole or a part is longer than the composition's `budgets` allow.",
    ("whole", "runtime-context", "tools", "section", "context", "tool", "unused"),
)
