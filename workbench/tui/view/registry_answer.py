"""The answer of the place Registry: what is registered, by whom, in which layer?"""

from __future__ import annotations

from workbench.config.registry.facts import Registry
from workbench.tui.view.answer import Answer
from workbench.tui.view.pieces import Line, Piece, outside
from workbench.tui.view.sizes import counted, number


def registry_answer(registry: Registry, *, query: str = "", shown: int = 0, short: bool = False) -> Answer:
    """`34 registrations by 15 owners in 3 layers.`, with what is not as usual at the right."""
    total = len(registry.registrations)
    if query:
        sentence: Line = (
            Piece(f"{number(shown)} of {counted(total, 'registration')}", "strong", bold=True),
            Piece(" with "),
            *outside(query, "focus"),
            Piece("."),
        )
        return Answer(sentence, _facts(registry, short=short))
    if not total:
        sentence = (Piece("Nothing is registered", "strong", bold=True), Piece(" in any layer."))
        return Answer(sentence, _facts(registry, short=short))
    layers = sum(1 for layer in registry.layers if registry.in_layer(layer.label))
    sentence = (
        Piece(counted(total, "registration"), "strong", bold=True),
        Piece(f" by {counted(registry.owner_count, 'owner')} in {counted(layers, 'layer')}."),
    )
    return Answer(sentence, _facts(registry, short=short))


def _facts(registry: Registry, *, short: bool) -> Line:
    failed = sum(plugin.state == "failed" for plugin in registry.plugins)
    waiting = sum(plugin.state == "waiting" for plugin in registry.plugins)
    busy = [plugin for plugin in registry.plugins if plugin.state in ("loading", "stopping")]
    gap = Piece("  " if short else "   ")
    line: Line = ()

    def add(*pieces: Piece) -> None:
        nonlocal line
        line = (*line, *((gap,) if line else ()), *pieces)

    if failed:
        add(Piece("× ", "failed", bold=True), Piece(f"{number(failed)} failed", "failed"))
    if registry.cycles:
        add(Piece("◌ ", "waiting", bold=True), Piece(counted(len(registry.cycles), "cycle"), "waiting"))
    if busy:
        word = busy[0].state if len(busy) == 1 else "in transition"
        add(Piece("◐ ", "pending", bold=True), Piece(f"{number(len(busy))} {word}", "pending"))
    if registry.shadowed:
        add(Piece("∅ ", "soft"), Piece(f"{number(registry.shadowed)} shadowed"))
    if waiting:
        add(Piece("◌ ", "waiting"), Piece(f"{number(waiting)} waiting"))
    if not line:
        add(Piece("✓ ", "running"), Piece("all active", "soft"))
    return line
