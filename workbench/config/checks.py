"""Rules between the entries of a composition: names, references, layers.

Source: docs/compositions.md 2 to 9.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.config.model import CompositionEntries
from workbench.config.nodes import Document, Path
from workbench.config.problems import LoadProblem, did_you_mean

REST = "<unlisted-tools>"
GLOBAL_LABEL = "(global)"
AGENT_VARIABLES = ("model", "cwd", "provider")
"""Variables that say what the agent of an assembly is; no entry may register them for all."""


def check_entries(document: Document, entries: CompositionEntries) -> list[LoadProblem]:
    """Every broken rule, each at its place."""
    found = (
        document.problem(document.offset(path), path, message, remedy)
        for rule in (
            _scope_names,
            _scope_references,
            _rings,
            _lineage,
            _layers,
            _variables,
            _tool_order,
            _tools,
            _models,
        )
        for path, message, remedy in rule(document, entries)
    )
    return list(dict.fromkeys(found))  # All tools of one imported file make one mistake together.


_Finding = tuple[Path, str, str]
_VARIABLE_NAME = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)


def _scope_names(document: Document, entries: CompositionEntries) -> Iterator[_Finding]:
    first: dict[str, Path] = {}
    for entry in entries.every_scope:
        if entry.name == GLOBAL_LABEL:
            yield (*entry.at, "name"), f'"{GLOBAL_LABEL}" is the name of the global layer', "choose another"
        elif entry.name in first:
            place = _place(document, first[entry.name])
            message = f'there is a scope or agent "{entry.name}" already, at {place}'
            yield (*entry.at, "name"), message, "choose another name"
        first.setdefault(entry.name, (*entry.at, "name"))


def _scope_references(document: Document, entries: CompositionEntries) -> Iterator[_Finding]:
    known = {entry.name for entry in entries.every_scope}
    for entry in (
        *entries.every_scope, *entries.plugins, *entries.sections, *entries.contexts,
        *entries.variables, *entries.tools, *entries.restrictions,
    ):  # fmt: skip
        if entry.scope is not None and entry.scope not in known:
            remedy = did_you_mean(entry.scope, known, _or_none("scopes and agents here: ", known))
            yield (*entry.at, "scope"), f'there is no scope or agent "{entry.scope}"', remedy


def _rings(document: Document, entries: CompositionEntries) -> Iterator[_Finding]:
    around = {entry.name: entry.scope for entry in entries.every_scope}
    for entry in entries.every_scope:
        ring = _ring_from(entry.name, around)
        if ring and ring[0] == min(ring):
            message = "these scopes stand inside each other: " + " → ".join((*ring, ring[0]))
            yield (*entry.at, "scope"), message, "remove one `scope:`"


def _lineage(document: Document, entries: CompositionEntries) -> Iterator[_Finding]:
    parents = {agent.name: agent.parent for agent in entries.agents}
    for agent in entries.agents:
        if agent.parent is not None and agent.parent not in parents:
            remedy = did_you_mean(agent.parent, parents, _or_none("agents here: ", parents))
            yield (*agent.at, "parent"), f'there is no agent "{agent.parent}"', remedy
        ring = _ring_from(agent.name, parents)
        if ring and ring[0] == min(ring):
            message = "these agents descend from each other: " + " → ".join((*ring, ring[0]))
            yield (*agent.at, "parent"), message, "remove one `parent:`"


def _layers(document: Document, entries: CompositionEntries) -> Iterator[_Finding]:
    taken: dict[tuple[str, str | None, str], Path] = {}
    for agent in entries.agents:
        if agent.persona is not None:
            taken["section", agent.name, "deployment:persona"] = (*agent.at, "persona")
    for kind, several in (
        ("section", entries.sections),
        ("context", entries.contexts),
        ("variable", entries.variables),
        ("tool", entries.tools),
    ):
        for entry in several:
            layer = f'scope "{entry.scope}"' if entry.scope else "the global layer"
            place = taken.setdefault((kind, entry.scope, entry.name), (*entry.at, "name"))
            if place != (*entry.at, "name"):
                message = f'{layer} has a {kind} "{entry.name}" already, at {_place(document, place)}'
                yield (*entry.at, "name"), message, "rename one, or put it into another scope"
    for section in entries.sections:
        if section.scope is None and section.name == "deployment:persona":
            yield (*section.at, "name"), "the prompt service owns this section", "write `persona:` at the top"
        if section.scope is None and section.name == "harness:identity" and entries.include_harness_identity:
            remedy = "write `include_harness_identity: false` to replace it"
            yield (*section.at, "name"), "the prompt service owns this section", remedy


def _variables(document: Document, entries: CompositionEntries) -> Iterator[_Finding]:
    for variable in entries.variables:
        if not _VARIABLE_NAME.fullmatch(variable.name):
            remedy = "use small letters, digits and _, a letter first"
            yield (*variable.at, "name"), f'"{variable.name}" cannot be the name of a variable', remedy
        elif variable.scope is None and variable.name in AGENT_VARIABLES:
            remedy = f"give the agents a `{variable.name}:`, or set it in a scope"
            yield (*variable.at, "name"), f'"{variable.name}" is what an agent is', remedy


def _tool_order(document: Document, entries: CompositionEntries) -> Iterator[_Finding]:
    order = entries.tool_order
    if order is None:
        return
    for index, name in enumerate(order):
        if name in order[:index]:
            yield ("tool_order", index), f'"{name}" is listed more than once', "keep one"
    if REST not in order:
        remedy = f'add "{REST}" where all other tools belong'
        yield ("tool_order",), f"tool_order does not say where the other tools go: {REST} is missing", remedy


def _tools(document: Document, entries: CompositionEntries) -> Iterator[_Finding]:
    for tool in entries.tools:
        if tool.name == REST:
            yield (*tool.at, "name"), f"{REST} is reserved for tool_order", "choose another name"
    for restriction in entries.restrictions:
        if restriction.allow is None and restriction.deny is None:
            yield restriction.at, "this restriction restricts nothing", "add `allow:` or `deny:`"


def _models(document: Document, entries: CompositionEntries) -> Iterator[_Finding]:
    first: dict[str, Path] = {}
    for model in entries.models:
        given = [name for name in ("script", "replay", "endpoint") if getattr(model, name) is not None]
        if not given and document.at((*model.at, "endpoint")) is None:
            yield model.at, f'nobody answers for "{model.name}"', "add `script:`, `replay:` or `endpoint:`"
        elif len(given) > 1:
            message = f'"{model.name}" is {" and ".join(given)} at once'
            yield (*model.at, given[1]), message, "make two entries of it"
        if model.name in first:
            message = f'there is a model provider "{model.name}" already, at {_place(document, first[model.name])}'
            yield (*model.at, "name"), message, "choose another name"
        first.setdefault(model.name, (*model.at, "name"))


def _ring_from(name: str, around: dict[str, str | None]) -> list[str]:
    """The names on the way from `name` back to itself; empty when the way ends elsewhere."""
    ring = [name]
    while (step := around.get(ring[-1])) is not None and step not in ring:
        ring.append(step)
    return ring if step == name else []


def _place(document: Document, path: Path) -> str:
    place = document.position(document.offset(path))
    return f"{place.line}:{place.column}" if place.file == document.file else str(place)


def _or_none(label: str, names: object) -> str:
    known = sorted(names)  # type: ignore[call-overload]
    return label + (", ".join(known) if known else "none")
