"""The question before a plugin is stopped or restarted: what would be undone, and who stands on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from workbench.config.registry.facts import PluginFact, Registry
from workbench.tui.view.pieces import Line, Piece, outside
from workbench.tui.view.question import Choice, Question
from workbench.tui.view.registry_rows import plural
from workbench.tui.view.sizes import counted, number


def stop_question(plugin: PluginFact, registry: Registry, action: Literal["stop", "restart"]) -> Question:
    """The answering keys are others than those that ask."""
    verb = "Stop" if action == "stop" else "Restart"
    name = outside(plugin.name, "strong", bold=True)
    title = (Piece(f"{verb} ", "strong", bold=True), *name, Piece("?", "strong"))
    word = "yes, stop it" if action == "stop" else "yes, restart it"
    return Question(
        title, tuple(_facts(plugin, registry, action)), (Choice("y", word, True), Choice("n", "no", False))
    )


def _facts(plugin: PluginFact, registry: Registry, action: str) -> Iterator[Line]:
    family = _family(plugin, registry)
    owned = [each for member in family for each in registry.owned_by(member.uid)]
    kinds = Counter(each.kind for each in owned)
    words = ", ".join(f"{number(n)} {kind if n == 1 else plural(kind)}" for kind, n in kinds.items())
    if owned:
        yield (Piece(f"It undoes {counted(len(owned), 'registration')}: ", "soft"), Piece(f"{words}."))
    else:
        yield (Piece("It has registered nothing.", "soft"),)
    if len(family) > 1:
        names = ", ".join(member.name for member in family[1:])
        yield (Piece("With it end the plugins that it has loaded: ", "soft"), *outside(names), Piece("."))
    users = sorted({user for each in owned if each.kind == "service" for user in each.dependents})
    others = [user for user in users if user not in {member.name for member in family}]
    if others:
        ending = "; they come back with it." if action == "restart" else ", until another one provides these."
        lead = Piece("Plugins that stand on its services are undone and wait: ", "soft")
        yield (lead, *outside(", ".join(others)), Piece(ending, "soft"))
    if action == "stop":
        yield (Piece("It does not come back by itself; it can be started again.", "soft"),)
    yield (Piece("Afterwards the runtime is searched for what is left of it.", "soft"),)


def _family(plugin: PluginFact, registry: Registry) -> list[PluginFact]:
    """The plugin and all below it."""
    found = [plugin]
    for member in found:
        found += registry.children(member.uid)
    return [member for member in found if member.state != "stopped"]
