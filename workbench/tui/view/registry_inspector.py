"""What is known about one registration: facts, who reads which, its texts, its source."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from workbench.config.registry.facts import GLOBAL, LedgerEntry, PluginFact, Reading, Registration, Registry
from workbench.prompt.source import TextSource
from workbench.prompt.template import references_of
from workbench.prompt.trace import AssemblyTrace
from workbench.prompt.views import EntryView, Preview, ToolView, VariableView
from workbench.tui.view.details import Fact
from workbench.tui.view.difference import difference_lines
from workbench.tui.view.entries import order_text
from workbench.tui.view.file_place import file_and_line
from workbench.tui.view.pieces import Line, Piece, cut, outside, spread, width_of
from workbench.tui.view.registry_document import Drawn, Facts, Part, Rows, Text, Title, Words
from workbench.tui.view.registry_lines import (
    ASSEMBLE,
    Columns,
    Look,
    ordinal,
    outcomes_of,
    owner_line,
    remark_of,
    state_line,
)
from workbench.tui.view.sizes import CHARACTERS, Size, Sizes, counted, entry_size
from workbench.tui.view.source_excerpt import Excerpt, json_runs


@dataclass(frozen=True, slots=True)
class Sight:
    """Everything that the inspector may need, as it is now."""

    registry: Registry
    preview: Preview | None = None
    sizes: Sizes = CHARACTERS
    scope: str = ""
    """Label of the scope that is looked at."""
    read: Mapping[str, Size | None] = field(default_factory=dict)
    """How much each scope reads of the chosen entry, as far as it was counted."""
    excerpt: Excerpt | None = None
    ledger: tuple[LedgerEntry, ...] | None = None
    """Of the chosen plugin."""
    is_short: bool = False
    """Little room."""


HIDDEN_PARAMETERS: Final = ("", "{}")


def registration_parts(each: Registration, sight: Sight) -> tuple[Part, ...]:
    """All about one registration."""
    title = outside(each.name, "strong", bold=True)
    kind: Line = (Piece(each.kind, "soft"),)
    parts: list[Part] = [Title(title, kind), Words(()), Facts(tuple(_facts(each, sight)))]
    parts += _readings(each, sight)
    if each.kind == "listener":
        parts += _call_order(each, sight)
    parts += _texts(each, sight)
    parts += _variables(each, sight)
    parts += source_parts(each.source, sight.excerpt)
    return tuple(parts)


def clock(seconds: float) -> str:
    """`14:01:58`, as it is here."""
    return time.strftime("%H:%M:%S", time.localtime(seconds))


def entry_of(each: Registration, preview: Preview | None) -> EntryView | ToolView | VariableView | None:
    """The same registration as the assembly saw it."""
    if preview is None:
        return None
    groups: dict[str, tuple[EntryView, ...] | tuple[ToolView, ...] | tuple[VariableView, ...]] = {
        "section": preview.sections,
        "context": preview.contexts,
        "tool": preview.tools,
        "variable": preview.variables,
    }
    views = groups.get(each.kind, ())
    return next((view for view in views if view.name == each.name and view.layer == each.layer), None)


def text_of(each: Registration, preview: Preview | None) -> str | None:
    """Its raw text; of a computed one as the last assembly got it. None: nobody has asked for it yet."""
    if each.text is not None:
        return each.text
    view = entry_of(each, preview)
    if isinstance(view, EntryView) and view.state not in ("shadowed", "suppressed"):
        return view.text if view.registered_text is None else view.registered_text
    return view.value if isinstance(view, VariableView) else None


def size_of_view(view: EntryView | ToolView | VariableView | None, sizes: Sizes) -> Size | None:
    """What it costs where it is read."""
    if isinstance(view, EntryView):
        return sizes.entry(view) if view.state == "effective" else Size(entry_size(view))
    return sizes.tool(view) if isinstance(view, ToolView) else None


def _facts(each: Registration, sight: Sight) -> Iterator[Fact]:
    layer = outside(each.layer)
    if each.shadows:
        layer = (*layer, Piece(", shadows ", "soft"), *_joined(each.shadows))
    yield Fact("layer", layer)
    plugin = sight.registry.plugin(each.owner.fiber)
    yield Fact("owner", _owner(each, plugin, sight))
    if each.order is not None:
        key: Line = (Piece(f"  {each.order_key}" if each.order_key else "  its own number", "soft"),)
        yield Fact("order", (Piece(order_text(each.order)), *key))
    if each.kind == "listener":
        mode: Line = (Piece(f"  {each.mode}", "soft"),) if each.mode else ()
        yield Fact("event", (*outside(each.key.of), *mode))
        yield Fact("called", (Piece(ordinal(each.position)), *_hears(each)))
    if each.kind == "service":
        yield from _service(each)
    yield Fact("since", _since(each, plugin))
    if each.kind not in ("section", "context", "tool", "variable"):
        remark = remark_of(each, Look("layer", Columns.of(80), outcomes_of(_trace(sight))))
        if remark and each.kind != "service":
            yield Fact("state", remark)
    for label, scopes in (("shadowed", each.shadowed_in), ("denied", each.denied_in)):
        if scopes:
            yield Fact(label, (Piece("∅ in ", "soft"), *_joined(scopes)))
    form = _form(each)
    if form:
        yield Fact("form", (Piece(", ".join(form)),))
    view = entry_of(each, sight.preview)
    size = size_of_view(view, sight.sizes)
    if size is not None:
        trust = f"  {size.trust}" if size.trust else ""
        yield Fact("size", (Piece(str(size)), Piece(trust, "soft")))
    if isinstance(view, EntryView) and view.changed_by:
        names = ", ".join(owner.plugin for owner in view.changed_by)
        yield Fact("changed", (Piece("» by ", "listener"), *outside(names, "listener")))


def _trace(sight: Sight) -> AssemblyTrace | None:
    return None if sight.preview is None else sight.preview.trace


def _form(each: Registration) -> list[str]:
    words = []
    if each.is_complete:
        words.append("complete: it alone is sent")
    if each.is_literal:
        words.append("literal: braces are text")
    if each.is_computed:
        words.append("computed at each assembly")
    return words


def _hears(each: Registration) -> Line:
    if each.is_everywhere:
        return (Piece("  hears every scope", "soft"),)
    if each.layer == GLOBAL:
        return ()
    return (Piece("  hears ", "soft"), *outside(each.layer, "soft"), Piece(" and what is inside it", "soft"))


def _service(each: Registration) -> Iterator[Fact]:
    yield Fact("value", outside(each.detail))
    yield Fact("state", (*state_line(each.state), Piece(" provider", "soft")))
    if each.key.of:
        yield Fact("seen in", outside(each.key.of))
    users = outside(", ".join(each.dependents)) if each.dependents else (Piece("nobody", "soft"),)
    yield Fact("used by", users)


def _owner(each: Registration, plugin: PluginFact | None, sight: Sight) -> Line:
    line = owner_line(each)
    if plugin is not None and plugin.owner.plugin != each.owner.plugin and not sight.is_short:
        line = (*line, Piece("  by plugin ", "soft"), *outside(plugin.name, "soft"))
    return line


def _since(each: Registration, plugin: PluginFact | None) -> Line:
    if each.since is not None:
        return (Piece(clock(each.since)),)
    if plugin is not None and plugin.since:
        return (Piece(clock(plugin.since)), Piece(", with its plugin", "soft"))
    return (Piece("the start", "soft"),)


def _joined(labels: tuple[str, ...]) -> Line:
    return outside(", ".join(labels))


def _readings(each: Registration, sight: Sight) -> Iterator[Part]:
    readings = sight.registry.readings(each)
    if not readings:
        return
    yield Title((Piece("Who reads which", "soft", bold=True),))
    yield Drawn(partial(_reading_lines, readings, each.layer, sight))


def _reading_lines(readings: tuple[Reading, ...], layer: str, sight: Sight, width: int) -> list[Line]:
    names = [outside(reading.scope) for reading in readings]
    name_width = min(max(map(width_of, names)), max(6, width // 2 - 4))
    lines = []
    for reading in readings:
        is_here = reading.scope in (sight.scope, sight.scope.strip("()"))
        name = cut(outside(reading.scope, "strong" if is_here else "text", bold=is_here), name_width)
        lead = (*name, Piece(" " * (name_width - width_of(name) + 2)))
        if not reading.layer:
            lines.append(cut((*lead, Piece("– ", "soft"), *outside(reading.why, "soft")), width))
            continue
        is_this = reading.layer == layer
        what = (Piece("this one"),) if is_this else outside(reading.layer, "soft")
        size = sight.read.get(reading.scope)
        words = "" if size is None else size.short if width < 36 else str(size)
        sign = Piece("✓ ", "running" if is_this else "soft")
        lines.append(spread((*lead, sign, *what), (Piece(words, "faint"),), width, gap=1))
    return lines


def _call_order(each: Registration, sight: Sight) -> Iterator[Part]:
    others = [
        other for other in sight.registry.registrations if other.kind == "listener" and other.key.of == each.key.of
    ]
    look = Look("kind", Columns.of(80), outcomes_of(_trace(sight)))
    yield Title((Piece("Call order", "soft", bold=True),), (Piece(counted(len(others), "listener"), "faint"),))
    lines: list[tuple[Line, Line]] = []
    for other in sorted(others, key=lambda one: one.position):
        is_this = other is each
        name = outside(other.name, "strong" if is_this else "text", bold=is_this)
        layer = () if other.layer == GLOBAL else (Piece(" in ", "soft"), *outside(other.layer, "soft"))
        number = Piece(ordinal(other.position).rjust(5) + "  ", "faint")
        line = (number, *name, Piece("  "), *owner_line(other), *layer)
        lines.append((line, remark_of(other, look) if other.key.of == ASSEMBLE else ()))
    yield Rows(tuple(lines))


def _texts(each: Registration, sight: Sight) -> Iterator[Part]:
    view = entry_of(each, sight.preview)
    raw = text_of(each, sight.preview)
    if each.kind == "tool":
        yield Title((Piece("Description", "soft", bold=True),))
        yield Text(each.text or "", has_numbers=False)
        if each.detail not in HIDDEN_PARAMETERS:
            shown = _indented(each.detail)
            yield Title((Piece("Parameters", "soft", bold=True),))
            yield Text(shown, runs=json_runs(shown))
        return
    if each.kind == "variable":
        yield from _value(view if isinstance(view, VariableView) else None, sight)
        return
    if each.kind not in ("section", "context"):
        if each.kind == "restriction":
            yield from _restricted(each, sight)
        return
    rendered = view.rendered if isinstance(view, EntryView) else None
    title = "Text" if each.text is not None else "Text, computed"
    if raw is None:
        yield Title((Piece("Text", "soft", bold=True),))
        yield Words((Piece("Computed at each assembly that reads it; no assembly in this scope has.", "soft"),))
    elif raw == "":
        yield Title((Piece(title, "soft", bold=True),))
        yield Words((Piece("Empty: it keeps its name, and nothing of it is sent.", "soft"),))
    else:
        is_all = rendered == raw
        right = "as it is sent" if is_all else f"{len(raw):,} chars"
        yield Title((Piece(title, "soft", bold=True),), (Piece(right, "faint"),))
        yield Text(raw)
    if isinstance(view, EntryView):
        yield from _changed(view, rendered, raw)
    for hidden in _hidden_by(each, sight):
        size = Piece("" if hidden.text is None else f"{len(hidden.text):,} chars", "faint")
        heading = (Piece("Hidden by it, from ", "soft", bold=True), *outside(hidden.layer, "soft", bold=True))
        yield Title(heading, (size,))
        text = text_of(hidden, sight.preview)
        if text is None:
            yield Words((Piece("Computed by ", "soft"), *owner_line(hidden), Piece("; not asked here.", "soft")))
        else:
            yield Text(text, role="soft")


def _changed(view: EntryView, rendered: str | None, raw: str | None) -> Iterator[Part]:
    if view.registered_text is not None and view.registered_text != view.text:
        names = ", ".join(owner.plugin for owner in view.changed_by) or "a listener"
        heading = (Piece("» Rewritten by ", "soft", bold=True), *outside(names, "listener", bold=True))
        before, after = view.registered_text, view.text
        yield Title(heading)
        yield Drawn(lambda width: difference_lines(before, after, width, side_by_side=False))
    if view.failure is not None:
        yield Title((Piece("× not rendered", "failed", bold=True),))
        yield Words(outside(view.failure.message, "failed"))
    elif rendered is not None and rendered not in (raw, ""):
        yield Title((Piece("Rendered", "soft", bold=True),), (Piece("as it is sent", "faint"),))
        yield Text(rendered)


def _hidden_by(each: Registration, sight: Sight) -> Iterator[Registration]:
    for other in sight.registry.named(each.kind, each.name):
        if other.layer in each.shadows:
            yield other


def _value(view: VariableView | None, sight: Sight) -> Iterator[Part]:
    yield Title((Piece("Value", "soft", bold=True), Piece("  in ", "soft"), *outside(sight.scope, "soft")))
    if view is None:
        yield Words((Piece("Not asked for in this scope.", "soft"),))
    elif view.state == "shadowed":
        yield Words((Piece("∅ shadowed here", "soft"),))
    elif view.value is None:
        yield Words((Piece("no value here", "pending"),))
    else:
        yield Text(view.value, role="value", has_numbers=False)
    if view is not None:
        used = ", ".join(view.used_in) or "nowhere in this prompt"
        yield Facts((Fact("used in", outside(used)),))


def _restricted(each: Registration, sight: Sight) -> Iterator[Part]:
    hidden = [
        other
        for other in sight.registry.registrations
        if other.kind == "tool" and each.layer in other.denied_in and other.layer != each.layer
    ]
    right = (Piece(counted(len(hidden), "tool"), "faint"),)
    yield Title((Piece("Hidden from ", "soft", bold=True), *outside(each.layer, "soft", bold=True)), right)
    if not hidden:
        yield Words((Piece("Nothing: the scope would not see these tools anyway.", "soft"),))
    yield Rows(tuple(((*outside(tool.name), Piece("  "), *owner_line(tool)), ()) for tool in hidden))


def _variables(each: Registration, sight: Sight) -> Iterator[Part]:
    raw = text_of(each, sight.preview)
    if each.kind not in ("section", "context") or not raw or each.is_literal:
        return
    names = references_of(raw)
    if not names:
        return
    values = {view.name: view for view in (sight.preview.variables if sight.preview else ())}
    facts = []
    for name in names:
        view = values.get(name)
        value: Line = (Piece("unknown", "failed"),)
        if view is not None:
            value = (
                (Piece("no value", "pending"),)
                if view.value is None
                else (
                    *outside(view.value, "value", underline=True),
                    Piece("  "),
                    *outside(view.owner.plugin, "soft"),
                )
            )
        facts.append(Fact(name, value))
    yield Title((Piece("Values that it refers to", "soft", bold=True),))
    yield Facts(tuple(facts), label=max(len(name) for name in names) + 2)


def source_parts(source: TextSource | None, excerpt: Excerpt | None) -> Iterator[Part]:
    """Where it stands, with the lines there."""
    if source is None:
        return
    yield Drawn(lambda width: [(), _source_title(source, width)])
    if excerpt is None or excerpt.source != source:
        yield Words((Piece("…", "faint"),))
    elif excerpt.error:
        yield Words(outside(excerpt.error, "soft"))
    else:
        yield Text(excerpt.text, first_line=excerpt.first_line, runs=excerpt.runs, marked=source.line)


def _source_title(source: TextSource, width: int) -> Line:
    word = Piece("Source  ", "soft", bold=True)
    return word, *outside(file_and_line(source, max(8, width - len(word.text))), "soft")


def _indented(document: str) -> str:
    import json

    try:
        return json.dumps(json.loads(document), ensure_ascii=False, indent=2)
    except ValueError:
        return document
