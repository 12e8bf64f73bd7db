"""A difference of two prompts, as lines for people and as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from workbench.check.schema_difference import compare_views
from workbench.cli.output import Output, Style
from workbench.config.difference.first_change import FirstChange
from workbench.config.difference.prompts import PartDifference, PromptDifference
from workbench.config.difference.request import PrefixBreak, RequestDifference
from workbench.config.difference.texts import ChangedLine, changed_lines, changed_pieces
from workbench.prompt import ToolView
from workbench.tokens import Count
from workbench.visible import visible, visible_line

AROUND = 2
"""Lines that stay, shown before and behind those that differ."""

_SIGNS = {"added": "+", "removed": "-", "changed": "~", "moved": ">"}
_LINE_SIGNS: dict[str, tuple[str, Style]] = {"added": ("+", "green"), "removed": ("-", "red")}


def difference_lines(request: RequestDifference, names: Sequence[str], output: Output) -> Iterator[str]:
    """What was and what is, part by part; nothing when it is the same."""
    difference = request.prompts
    if difference.is_same:
        return
    yield output.styled(f"--- {visible_line(names[0])}", "red")
    yield output.styled(f"+++ {visible_line(names[1])}", "green")
    if difference.first is not None:
        yield f"first: {visible_line(difference.first.sentence)}"
    yield f"prefix: {visible_line(_prefix(request))}"
    for part in _parts(difference):
        if part.state != "same":
            yield ""
            yield output.styled(_heading(part), "bold")
            if isinstance(part.before, ToolView) and isinstance(part.after, ToolView):
                yield from _tool_lines(part.before, part.after, output)
            elif part.state != "moved":
                yield from _text_lines(changed_lines(part.pieces), output)
    yield ""
    added = request.added_tokens
    yield _summary(difference) + (f"; {signed(added)} tokens" if added is not None else "")


def signed(count: Count) -> str:
    """How much longer or shorter: `+104`, `≈-3`, `0`."""
    return f"{count.label.sign}{count.tokens:+,}" if count.tokens else "0"


def difference_json(request: RequestDifference, names: Sequence[str]) -> str:
    """All parts, those that are the same without their text."""
    difference = request.prompts
    document = {
        "format": 1,
        "same": difference.is_same,
        "before": names[0],
        "after": names[1],
        "first": _first(difference.first),
        "prefix": _prefix_json(request.prefix),
        "tokens": {"before": _tokens(request.before.request), "after": _tokens(request.after.request)},
        "sections": [_part(part, request) for part in difference.sections],
        "contexts": [_part(part, request) for part in difference.contexts],
        "tools": [_part(part, request) for part in difference.tools],
        "variables": [_part(part) for part in difference.variables],
    }
    return json.dumps(document, ensure_ascii=False, indent=2)


def _parts(difference: PromptDifference) -> Iterator[PartDifference[Any]]:
    yield from difference.sections
    yield from difference.contexts
    yield from difference.tools
    yield from difference.variables


def _heading(part: PartDifference[Any]) -> str:
    """Sign, kind, name, what became of it, whose it is."""
    view = part.view
    state = f"{part.state} and moved" if part.is_moved and part.state == "changed" else part.state
    owner = f"{visible_line(view.owner.plugin)}, {visible_line(view.layer)}"
    place = f" ({visible_line(f'{view.source.file}:{view.source.line}')})" if view.source is not None else ""
    return f"{_SIGNS[part.state]} {part.kind} {visible_line(part.name)}: {state} · {owner}{place}"


def _tool_lines(before: ToolView, after: ToolView, output: Output) -> Iterator[str]:
    """The description by words, the parameters value by value."""
    if before.description != after.description:
        yield from _text_lines(changed_lines(changed_pieces(before.description, after.description)), output)
    compared = compare_views(before, after)
    for change in compared.changes:
        if change.pointer != "description":
            yield f"    ~ {visible_line(str(change))}"
    if compared.key_order:
        yield f"    > order of keys: {visible_line(', '.join(where or 'the top' for where in compared.key_order))}"


def _text_lines(lines: Sequence[ChangedLine], output: Output) -> Iterator[str]:
    shown = _shown_indices(lines)
    show: Callable[[str], str] = visible if output.is_terminal else str
    last = -1
    for index in shown:
        if index != last + 1:
            yield "    …"
        last = index
        line = lines[index]
        if line.kind == "same":
            yield f"      {''.join(show(piece.text) for piece in line.pieces)}".rstrip()
            continue
        sign, style = _LINE_SIGNS[line.kind]
        is_whole = all(piece.kind != "same" for piece in line.pieces)
        pieces = (_piece(show(piece.text), piece.kind != "same" and not is_whole, output) for piece in line.pieces)
        yield output.styled(f"    {sign} ", style) + "".join(pieces)
    if lines and last < len(lines) - 1:
        yield "    …"


def _piece(text: str, is_marked: bool, output: Output) -> str:
    """What is not on the other side stands out: in bold, or in brackets where there are no colours."""
    if not is_marked:
        return text
    return output.styled(text, "bold") if output.has_colours else f"⟦{text}⟧"


def _shown_indices(lines: Sequence[ChangedLine]) -> list[int]:
    shown: set[int] = set()
    for index, line in enumerate(lines):
        if line.kind != "same":
            shown.update(range(max(0, index - AROUND), min(len(lines), index + AROUND + 1)))
    return sorted(shown)


def _summary(difference: PromptDifference) -> str:
    counts: dict[str, int] = {}
    for part in _parts(difference):
        if part.state != "same" and part.kind != "variable":
            key = f"{part.kind} {part.state}"
            counts[key] = counts.get(key, 0) + 1
    return ", ".join(
        f"{count} {kind}{'' if count == 1 else 's'} {state}"
        for key, count in counts.items()
        for kind, state in [key.split(" ")]
    )


def _first(first: FirstChange | None) -> dict[str, Any] | None:
    if first is None:
        return None
    return {
        "part": first.part,
        "name": first.name,
        "action": first.action,
        "owner": first.owner.plugin,
        "layer": first.layer,
        "offset": first.offset,
        "line": first.line,
        "of": first.of,
        "source": None if first.position is None else first.position._asdict(),
    }


def _prefix(request: RequestDifference) -> str:
    if request.is_for_another_model:
        return "nothing is kept: it is for another model"
    if request.prefix is None:
        return "it stays: the runtime context is sent as a message behind all others"
    return request.prefix.sentence


def _prefix_json(prefix: PrefixBreak | None) -> dict[str, Any] | None:
    if prefix is None:
        return None
    return {
        "part": prefix.part,
        "name": prefix.first.name,
        "owner": prefix.first.owner.plugin,
        "token": prefix.number,
        "kept": prefix.kept,
        "lost": prefix.lost,
        "read_anew": prefix.read_anew,
        "label": prefix.label,
        "label_behind": prefix.label_behind,
        "reason": prefix.reason,
    }


def _tokens(count: Count | None) -> dict[str, Any] | None:
    return None if count is None else {"count": count.tokens, "label": count.label, "reason": count.reason}


def _part(part: PartDifference[Any], request: RequestDifference | None = None) -> dict[str, Any]:
    described: dict[str, Any] = {
        "name": part.name,
        "state": part.state,
        "moved": part.is_moved,
        "before": _view(part.before),
        "after": _view(part.after),
    }
    if request is not None:
        before, after = request.sizes(part)
        described["tokens"] = {"before": _tokens(before), "after": _tokens(after)}
    if part.state not in ("same", "moved"):
        described["pieces"] = [{"kind": piece.kind, "text": piece.text} for piece in part.pieces]
    return described


def _view(view: Any) -> dict[str, Any] | None:
    if view is None:
        return None
    source = view.source
    place = None if source is None else {"file": source.file, "line": source.line, "column": source.column}
    return {"owner": view.owner.plugin, "layer": view.layer, "source": place}
