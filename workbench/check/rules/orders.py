"""Equal orders: two entries whose place beside each other is decided by their names alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from workbench.check.finding import Finding
from workbench.check.rule import Rule
from workbench.check.subject import Subject, is_one_owner
from workbench.prompt import EntryView


def equal_orders(subject: Subject) -> Iterator[Finding]:
    """One finding for all equal orders of the same owners: they have one cause."""
    for scope in subject.scopes:
        for entries in (scope.preview.sections, scope.preview.contexts):
            by_owners: dict[tuple[object, ...], list[list[EntryView]]] = {}
            for entries_there in _sharing(entries):
                owners = tuple((entry.owner, entry.layer) for entry in entries_there)
                by_owners.setdefault(owners, []).append(entries_there)
            for groups in by_owners.values():
                yield _finding(groups, scope.label)


def _sharing(entries: tuple[EntryView, ...]) -> Iterator[list[EntryView]]:
    """Entries in force that say something and share their order, in groups of two and more."""
    placed = [entry for entry in entries if entry.state == "effective" and entry.order is not None and entry.text]
    for _order, together in groupby(placed, key=lambda entry: entry.order):
        group = list(together)
        if len(group) > 1:
            yield group


def _finding(groups: list[list[EntryView]], label: str) -> Finding:
    group = groups[0]
    first, last = group[0], group[-1]
    names = " and ".join(entry.name for entry in group[:3]) + (" and more" if len(group) > 3 else "")
    further = f", and so it is with {len(groups) - 1} further orders" if len(groups) > 1 else ""
    return Finding(
        severity="note" if is_one_owner(entry.owner for entry in group) else "warning",
        message=f"{first.kind}s {names} share the order {first.order:g}: their names decide{further}",
        remedy="give each an order of its own",
        part=first.kind,
        name=last.name,
        owner=last.owner,
        position=None if last.source is None else last.source.position(last.text, 0),
        scopes=(label,),
    )


EQUAL_ORDERS = Rule(
    "equal-orders",
    equal_orders,
    "Sections, or contexts, of one scope have the same order. A note where one plugin registers all of them.",
)
