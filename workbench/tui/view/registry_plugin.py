"""What is known about one plugin: its state, what it stands on, what it did and how that is undone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from workbench.config.registry.facts import LedgerEntry, Need, Outcome, PluginFact
from workbench.tui.view.details import Fact
from workbench.tui.view.pieces import OWNER_ROLES, Line, Piece, outside
from workbench.tui.view.registry_document import Facts, Part, Rows, Title, Words
from workbench.tui.view.registry_inspector import Sight, clock, source_parts
from workbench.tui.view.registry_lines import state_line
from workbench.tui.view.registry_rows import plural
from workbench.tui.view.sizes import counted, number

SHOWN = 500
"""Effects of one plugin that are listed; what is beyond is counted."""


def plugin_parts(plugin: PluginFact, sight: Sight) -> tuple[Part, ...]:
    """All about one plugin."""
    role = OWNER_ROLES.get(plugin.owner.kind, "owner-plugin")
    parts: list[Part] = [Title(outside(plugin.name, role, bold=True), (Piece("plugin", "soft"),))]
    if plugin.outcome is not None:
        parts += _outcome(plugin.outcome)
    parts += [Words(()), Facts(tuple(_facts(plugin, sight)))]
    if plugin.state == "failed":
        parts += [Title((Piece("× Why it failed", "failed", bold=True),)), Words(outside(plugin.reason, "failed"))]
    if plugin.state != "stopped":
        parts += _needs(plugin.needs) if plugin.needs else ()
        parts += _provides(plugin, sight)
        parts += _registered(plugin, sight)
        parts += _ledger(sight.ledger)
    parts += source_parts(plugin.source, sight.excerpt)
    return tuple(parts)


def duration(seconds: float) -> str:
    """`41 s`, `2 min`, `3 h`."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"


_VERBS = {"stop": "Stopped", "restart": "Restarted", "start": "Started"}


def outcome_line(outcome: Outcome) -> Line:
    """`Stopped bash: ✓ nothing left.`"""
    verb = _VERBS[outcome.action]
    subject = (Piece(f"{verb} ", "strong", bold=True), *outside(outcome.plugin, "strong", bold=True))
    if outcome.left:
        return (*subject, Piece(": "), Piece(f"× {number(len(outcome.left))} left", "failed", bold=True))
    if outcome.action == "start":
        failed = (Piece(": "), *outside(outcome.error.split("\n")[0], "failed"))
        return (*subject, *failed) if outcome.error else (*subject, Piece("."))
    proof = (Piece(": "), Piece("✓ nothing left", "running", bold=True))
    if outcome.error:
        return (*subject, *proof, Piece(", and then "), *outside(outcome.error.split("\n")[0], "failed"))
    return (*subject, *proof)


def _outcome(outcome: Outcome) -> Iterator[Part]:
    yield Words(())
    yield Words((*outcome_line(outcome), Piece(f"  {clock(outcome.at)}", "faint")))
    if outcome.left:
        counts = Counter((left.kind, left.name) for left in outcome.left)
        rows = tuple(
            (
                (Piece("× ", "failed"), *outside(f"{kind}  ", "soft"), *outside(name)),
                (Piece(f"{count}×" if count > 1 else "", "faint"),),
            )
            for (kind, name), count in counts.items()
        )
        yield Rows(rows)


def _facts(plugin: PluginFact, sight: Sight) -> Iterator[Fact]:
    state = state_line(plugin.state) if plugin.state != "active" else (Piece("● ", "running"), Piece("active"))
    if plugin.reason and plugin.state != "failed" and not plugin.cycle:
        state = (*state, Piece("  "), *outside(plugin.reason, "soft"))
    yield Fact("state", state)
    if plugin.cycle:
        ring = " → ".join((*plugin.cycle, plugin.cycle[0]))
        yield Fact("cycle", (Piece("◌ ", "waiting"), *outside(ring), Piece("  none of them can start", "soft")))
    if plugin.since:
        yield Fact("since", (Piece(clock(plugin.since)), *_age(plugin)))
    yield Fact("class", (Piece(plugin.owner.kind),))
    yield Fact("layer", outside(plugin.layer))
    parent = sight.registry.plugin(plugin.parent) if plugin.parent is not None else None
    if parent is not None:
        yield Fact("loaded by", outside(parent.name))
    children = sight.registry.children(plugin.uid)
    if children:
        yield Fact("loaded", outside(", ".join(child.name for child in children)))


def _age(plugin: PluginFact) -> Line:
    if plugin.state in ("loading", "stopping"):
        return (Piece(f", for {duration(plugin.seconds)}", "pending"),)
    return ()


def _needs(needs: tuple[Need, ...]) -> Iterator[Part]:
    yield Title((Piece("Stands on", "soft", bold=True),))
    rows: list[tuple[Line, Line]] = []
    for need in needs:
        if need.provider:
            line: Line = (Piece("✓ ", "running"), *outside(need.service), Piece("  of ", "soft"))
            line = (*line, *outside(need.provider))
        elif need.is_required:
            line = (Piece("◌ ", "waiting"), *outside(need.service), Piece("  nobody provides it", "waiting"))
        else:
            line = (Piece("– ", "soft"), *outside(need.service), Piece("  absent", "soft"))
        rows.append((line, () if need.is_required else (Piece("optional", "faint"),)))
    yield Rows(tuple(rows))


def _provides(plugin: PluginFact, sight: Sight) -> Iterator[Part]:
    if not plugin.provides:
        return
    yield Title((Piece("Provides", "soft", bold=True),))
    rows: list[tuple[Line, Line]] = []
    for name in plugin.provides:
        services = [each for each in sight.registry.named("service", name) if each.owner.fiber == plugin.uid]
        if not services:
            rows.append(((Piece("○ ", "soft"), *outside(name), Piece("  not now", "soft")), ()))
            continue
        users = ", ".join(services[0].dependents)
        line = (Piece("● ", "running"), *outside(name), Piece("  for ", "soft"))
        rows.append(((*line, *(outside(users) if users else (Piece("nobody", "soft"),))), ()))
    yield Rows(tuple(rows))


def _registered(plugin: PluginFact, sight: Sight) -> Iterator[Part]:
    owned = sight.registry.owned_by(plugin.uid)
    if not owned:
        return
    counts = Counter(each.kind for each in owned)
    words = ", ".join(f"{number(n)} {kind if n == 1 else plural(kind)}" for kind, n in counts.items())
    yield Title((Piece("Registered", "soft", bold=True),), (Piece(counted(len(owned), "registration"), "faint"),))
    yield Words((Piece(words),))


def _ledger(ledger: tuple[LedgerEntry, ...] | None) -> Iterator[Part]:
    if not ledger:
        return
    heading = (Piece("Effects", "soft", bold=True), Piece("  undone from the last to the first", "faint"))
    total = sum(1 for _ in _flat(ledger, 0))
    yield Title(heading, (Piece(number(total), "faint"),))
    rows: list[tuple[Line, Line]] = []
    for depth, entry in _flat(ledger, 0):
        if len(rows) == SHOWN:
            rows.append(((Piece(f"… {number(total - SHOWN)} more", "soft"),), ()))
            break
        rows.append(((Piece("  " * depth), *outside(entry.label)), ()))
    yield Rows(tuple(rows))


def _flat(entries: tuple[LedgerEntry, ...], depth: int) -> Iterator[tuple[int, LedgerEntry]]:
    for entry in entries:
        yield depth, entry
        yield from _flat(entry.parts, depth + 1)
