"""The filter of the place Registry: words, and words with a field such as `owner:bash` or `is:shadowed`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from workbench.config.registry.facts import PluginFact, Registration

FIELDS: Final = ("owner", "layer", "kind", "is", "text")
HINT: Final = "words   owner:bash   layer:main   kind:tool   is:shadowed, waiting, error"


class Filter(NamedTuple):
    """Every term must hold."""

    terms: tuple[tuple[str, str], ...]
    """Field and what it has to contain, both in lower case; an empty field stands for all of them."""

    def keeps(self, each: Registration) -> bool:
        """Whether a registration is shown."""
        return all(_TESTS[field](each, word) for field, word in self.terms)

    def keeps_plugin(self, plugin: PluginFact) -> bool:
        """Whether a plugin is shown."""
        return all(_plugin_has(plugin, field, word) for field, word in self.terms)


def filter_for(query: str) -> Filter | None:
    """None for nothing."""
    terms = []
    for word in query.lower().split():
        field, colon, rest = word.partition(":")
        if colon and field in FIELDS:
            if rest:
                terms.append((field, rest))
        else:
            terms.append(("", word))
    return Filter(tuple(terms)) if terms else None


def states_of(each: Registration) -> tuple[str, ...]:
    """What `is:` can ask about a registration."""
    states = []
    if each.shadowed_in:
        states.append("shadowed")
    if each.shadows:
        states.append("shadows")
    if each.denied_in:
        states.append("denied")
    if each.is_complete:
        states.append("complete")
    if each.state != "active":
        states.append(each.state)
    return tuple(states)


def _any(each: Registration, word: str) -> bool:
    key = each.key
    return (
        word in key.name.lower()
        or word in each.owner.plugin.lower()
        or word == key.kind
        or word in key.layer.lower()
        or word in key.of.lower()
        or word in states_of(each)
        or (each.text is not None and word in each.text.lower())
    )


_TESTS: Final[dict[str, Callable[[Registration, str], bool]]] = {
    "": _any,
    "owner": lambda each, word: word in each.owner.plugin.lower(),
    "layer": lambda each, word: word in each.key.layer.lower(),
    "kind": lambda each, word: each.key.kind.startswith(word) or each.key.kind + "s" == word,
    "is": lambda each, word: word in states_of(each),
    "text": lambda each, word: each.text is not None and word in each.text.lower(),
}


def _plugin_has(plugin: PluginFact, field: str, word: str) -> bool:
    match field:
        case "owner":
            return word in plugin.name.lower()
        case "layer":
            return word in plugin.layer.lower()
        case "kind":
            return word in ("plugin", "plugins", "fiber")
        case "is":
            return word == plugin.state or (word == "error" and plugin.state == "failed") or word in _also(plugin)
        case "text":
            return word in plugin.reason.lower()
        case _:
            return word in plugin.name.lower() or word == plugin.state or word in plugin.reason.lower()


def _also(plugin: PluginFact) -> tuple[str, ...]:
    return ("cycle",) if plugin.cycle else ()
