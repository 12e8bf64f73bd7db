"""The answer of the place Registry: what is registered, by whom, in which layer?"""

from __future__ import annotations

from workbench.config.registry.facts import Registry
from workbench.tui.view.answer import Answer
from workbench.tui.view.pieces import Line, Piece, Role, outside
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
    facts: list[Line] = []
    """In the order in which they stand; with little room the first ones of `wanted` are kept."""
    wanted: list[Line] = []

    def add(sign: str, words: str, role: Role, text_role: Role | None = None) -> None:
        facts.append((Piece(f"{sign} ", role, bold=True), Piece(words, text_role or role)))
        wanted.append(facts[-1])

    if failed:
        add("×", f"{number(failed)} failed", "failed")
    if registry.cycles:
        add("◌", counted(len(registry.cycles), "cycle"), "waiting")
    if busy:
        add("◐", f"{number(len(busy))} {busy[0].state if len(busy) == 1 else 'in transition'}", "pending")
    if registry.shadowed:
        add("∅", f"{number(registry.shadowed)} shadowed", "soft", "text")
    if waiting:
        add("◌", f"{number(waiting)} waiting", "waiting", "text")
        if registry.shadowed:  # it matters less
            wanted[-2:] = [wanted[-1], wanted[-2]]
    if not facts:
        add("✓", "all active", "running", "soft")
    kept = wanted[:2] if short else wanted
    line: Line = ()
    for fact in facts:
        if any(fact is each for each in kept):
            line = (*line, *((Piece("  " if short else "   "),) if line else ()), *fact)
    return line
