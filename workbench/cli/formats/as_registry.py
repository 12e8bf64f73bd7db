"""What is registered as lines, and as JSON: all that the place Registry of the screen shows.

Source: docs/registry.md 4. Keys are only ever added; `format` counts up when one changes its meaning.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from workbench.config.registry.facts import LedgerEntry, PluginFact, Registration, Registry
from workbench.prompt.source import TextSource
from workbench.prompt.template import references_of
from workbench.visible import visible_line

FORMAT = 1
_READ = frozenset({"section", "context", "tool", "variable"})


def registry_lines(registry: Registry, by: str) -> Iterator[str]:
    """Grouped `by` layer, plugin or kind. Everything in the lines is fit for a terminal."""
    layers = {each.layer for each in registry.registrations}
    total, owners = _counted(len(registry.registrations), "registration"), _counted(registry.owner_count, "owner")
    yield f"{total} by {owners} in {_counted(len(layers), 'layer')}"
    if by == "plugin":
        for plugin in registry.children(None):
            yield from _with_children(registry, plugin, 0)
    elif by == "kind":
        groups: dict[str, list[Registration]] = {}
        for each in registry.registrations:
            groups.setdefault(each.kind, []).append(each)
        for kind, entries in groups.items():
            yield f"{kind} {len(entries)}"
            if kind == "listener":
                entries.sort(key=lambda each: (each.key.of, each.position))
            yield from _table(entries, 1, with_layer=True)
    else:
        for layer in registry.layers:
            entries = list(registry.in_layer(layer.label))
            if entries:
                inside = f", inside {visible_line(layer.parent)}" if layer.parent and len(layer.chain) > 2 else ""
                note = f"  {visible_line(layer.note)}{inside}" if layer.note or inside else ""
                yield f"{visible_line(layer.label)} {len(entries)}{note}"
                yield from _table(entries, 1)
    if by != "plugin":
        yield from _not_active(registry)


def _with_children(registry: Registry, plugin: PluginFact, depth: int) -> Iterator[str]:
    needs = ", ".join(need.service if need.provider else f"{need.service} (absent)" for need in plugin.needs)
    facts = [plugin.state if not plugin.reason else f"{plugin.state}: {_one_line(plugin.reason)}"]
    facts += [f"needs {visible_line(needs)}"] if needs else []
    facts += [f"provides {visible_line(', '.join(plugin.provides))}"] if plugin.provides else []
    yield f"{'  ' * depth}{visible_line(plugin.name)}  {'  '.join(facts)}"
    yield from _table(registry.owned_by(plugin.uid), depth + 1, with_layer=True, with_owner=False)
    for child in registry.children(plugin.uid):
        yield from _with_children(registry, child, depth + 1)


def _not_active(registry: Registry) -> Iterator[str]:
    idle = [plugin for plugin in registry.plugins if plugin.state != "active"]
    if idle:
        yield f"not active {len(idle)}"
    for plugin in idle:
        yield f"  {visible_line(plugin.name)}  {plugin.state}: {_one_line(plugin.reason)}"


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _one_line(text: str) -> str:
    return str(visible_line(text.split("\n")[0]))


def _table(
    entries: Iterable[Registration], depth: int, *, with_layer: bool = False, with_owner: bool = True
) -> Iterator[str]:
    rows = [_cells(each, with_layer, with_owner) for each in entries]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if index == 1 else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield f"{'  ' * depth}{'  '.join(cells)}".rstrip()


def _cells(each: Registration, with_layer: bool, with_owner: bool) -> tuple[str, ...]:
    order = str(each.position or "")
    if each.order is not None:
        order = str(int(each.order)) if each.order == int(each.order) else repr(each.order)
    layer = (str(visible_line(each.layer)),) if with_layer else ()
    owner = (str(visible_line(each.owner.plugin)),) if with_owner else ()
    return (each.kind, order, str(visible_line(each.name)), *layer, *owner, _remark(each))


def _remark(each: Registration) -> str:
    remarks = []
    if each.kind == "listener":
        remarks.append(f"on {each.key.of}")
    if each.dependents:
        remarks.append(f"for {', '.join(each.dependents)}")
    if each.shadowed_in:
        remarks.append(f"shadowed in {', '.join(each.shadowed_in)}")
    if each.denied_in:
        remarks.append(f"denied in {', '.join(each.denied_in)}")
    if each.shadows:
        remarks.append(f"shadows {', '.join(each.shadows)}")
    if each.is_complete:
        remarks.append("complete")
    return str(visible_line("; ".join(remarks)))


def registry_json(registry: Registry, ledgers: Mapping[int, tuple[LedgerEntry, ...]], *, file: str) -> str:
    """The whole registry with the effects of each plugin. Ends without a line end."""
    document = {
        "format": FORMAT,
        "file": file,
        "layers": [
            {"label": layer.label, "chain": list(layer.chain), "note": layer.note} for layer in registry.layers
        ],
        "registrations": [_registration(registry, each) for each in registry.registrations],
        "plugins": [_plugin(plugin, ledgers.get(plugin.uid, ())) for plugin in registry.plugins],
        "cycles": [list(ring) for ring in registry.cycles],
    }
    return json.dumps(document, ensure_ascii=False, indent=2)


def _registration(registry: Registry, each: Registration) -> dict[str, Any]:
    made: dict[str, Any] = {
        "kind": each.kind,
        "name": each.name,
        "layer": each.layer,
        "owner": {"plugin": each.owner.plugin, "fiber": each.owner.fiber, "kind": each.owner.kind},
        "source": _source(each.source),
    }
    if each.order is not None:
        made |= {"order": each.order, "order_key": each.order_key or None}
    if each.kind == "listener":
        made |= {"event": each.key.of, "mode": each.mode or None, "position": each.position}
        made |= {"everywhere": each.is_everywhere}
    if each.kind == "service":
        made |= {"visibility": each.key.of or None, "value": each.detail, "dependents": list(each.dependents)}
        made |= {"state": each.state}
    if each.text is not None:
        made["text"] = each.text
    if each.kind in ("tool", "code runtime"):
        made["parameters"] = json.loads(each.detail)
    if each.kind in ("section", "context"):
        made |= {"complete": each.is_complete, "literal": each.is_literal, "computed": each.is_computed}
        is_open = each.text is not None and not each.is_literal
        made["references"] = list(references_of(each.text)) if is_open and each.text else []
    if each.kind in _READ:
        made |= {"shadowed_in": list(each.shadowed_in), "shadows": list(each.shadows)}
        made["read"] = [
            {"scope": scope, "layer": layer or None, "why": why} for scope, layer, why in registry.readings(each)
        ]
    if each.kind == "tool":
        made["denied_in"] = list(each.denied_in)
    return made


def _plugin(plugin: PluginFact, ledger: tuple[LedgerEntry, ...]) -> dict[str, Any]:
    return {
        "uid": plugin.uid,
        "name": plugin.name,
        "kind": plugin.owner.kind,
        "parent": plugin.parent,
        "layer": plugin.layer,
        "state": plugin.state,
        "reason": plugin.reason,
        "needs": [
            {"service": need.service, "required": need.is_required, "provider": need.provider or None}
            for need in plugin.needs
        ],
        "provides": list(plugin.provides),
        "cycle": list(plugin.cycle),
        "source": _source(plugin.source),
        "effects": [_effect(entry) for entry in ledger],
    }


def _effect(entry: LedgerEntry) -> Any:
    return {"label": entry.label, "parts": [_effect(part) for part in entry.parts]} if entry.parts else entry.label


def _source(source: TextSource | None) -> dict[str, Any] | None:
    return None if source is None else {"file": source.file, "line": source.line, "column": source.column}
