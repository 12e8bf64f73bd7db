"""The one render path: from an assembly to the system text and to the runtime-context snapshot.

Source: docs/prompt-assembly.md 10 and 11.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from workbench.prompt.assembly import NamedText, NamedTexts, PromptAssembly
from workbench.prompt.errors import RenderError
from workbench.prompt.section_layout import SEPARATOR, SectionLayout
from workbench.prompt.template import TemplateFault, compile_text, groups_of, scan

RUNTIME_CONTEXT_PREAMBLE = "Runtime context now in force; it replaces any earlier runtime-context message."
RUNTIME_CONTEXT_CLEARED = "Runtime context is now empty; disregard any earlier runtime-context message."

Part = Literal["section", "context"]
Variables = Mapping[str, str | None]


def render_prompt(assembly: PromptAssembly) -> str:
    """The system text: every section interpolated, empty ones dropped, joined by one blank line.

    Raises `RenderError` for the first reference that cannot be resolved.
    """
    try:
        return _joined("section", assembly.sections, assembly.variables)
    except (TypeError, AttributeError):
        _check_strings("section", assembly.sections, assembly.variables)
        raise


def _joined(part: Part, named: NamedTexts, variables: dict[str, str | None]) -> str:
    """Texts interpolated and joined. The last result of a plan is kept, for a step in which nothing changed."""
    if type(variables) is not dict:
        variables = dict(variables)  # a listener's own kind of map: only its entries count
    texts = named.current_texts()
    plan = named.plan
    if texts is None or plan is None:
        return SEPARATOR.join([text for text in [_rendered(part, item, variables) for item in named] if text])
    if texts == plan.last_texts and variables == plan.last_variables:
        return plan.last_text
    changed = frozenset(named.touched) if named.touched else _NOTHING
    layout = plan.layout
    if layout is None or layout.changed != changed:
        # Worth its making only from the second render on that changes the same entries.
        layout = SectionLayout(plan.entries, changed) if plan.last_changed == changed else None
        plan.layout = layout or plan.layout
    text = None if layout is None else layout.render(texts, variables)
    if text is None:
        text = SEPARATOR.join([each for each in _planned_parts(part, named, texts, variables) if each])
    plan.last_changed = changed
    plan.last_texts = texts
    plan.last_variables = variables.copy()
    plan.last_text = text
    return text


_NOTHING: frozenset[int] = frozenset()


def render_context_sections(assembly: PromptAssembly) -> list[NamedText]:
    """Every context interpolated, empty ones dropped; names are kept, so that a view can attribute each.

    Raises `RenderError` for the first reference that cannot be resolved.
    """
    variables = dict(assembly.variables)
    contexts = assembly.contexts
    texts = contexts.current_texts()
    if texts is None or contexts.plan is None:
        rendered = [(item.name, _rendered("context", item, variables)) for item in contexts]
    else:
        names = [entry.name for entry in contexts.plan.entries]
        rendered = list(zip(names, _planned_parts("context", contexts, texts, variables), strict=True))
    return [NamedText(name, text, literal=True) for name, text in rendered if text]


def join_context_sections(parts: Iterable[NamedText]) -> str:
    """The snapshot of rendered contexts; empty for none."""
    texts = [part.text for part in parts]
    return SEPARATOR.join([RUNTIME_CONTEXT_PREAMBLE, *texts]) if texts else ""


def render_context_snapshot(assembly: PromptAssembly) -> str:
    """What the agent loop says of the runtime context now in force. Raises `RenderError`."""
    try:
        joined = _joined("context", assembly.contexts, assembly.variables)
    except (TypeError, AttributeError):
        _check_strings("context", assembly.contexts, assembly.variables)
        raise
    return f"{RUNTIME_CONTEXT_PREAMBLE}{SEPARATOR}{joined}" if joined else ""


def interpolate(part: Part, name: str, text: str, variables: Variables) -> str:
    """One text rendered exactly. Raises `RenderError` naming the part."""
    result = scan(text, variables)
    if isinstance(result, TemplateFault):
        raise RenderError(result.code, part, name, result.group.written, result.group.offset, tuple(variables))
    return result


def check_strings(part: Part, name: str, text: object, literal: bool, variables: Variables) -> None:
    """Raises `RenderError` for a text, or a value that it refers to, that a listener has made no string of."""
    if not isinstance(text, str):
        raise RenderError("not text", part, name, "", 0, tuple(variables))
    for group in () if literal else groups_of(text):
        value = variables.get(group.name) if group.name is not None else None
        if value is not None and not isinstance(value, str):
            raise RenderError("not text", part, name, group.written, group.offset, tuple(variables))


def _check_strings(part: Part, named: NamedTexts, variables: Variables) -> None:
    for item in named:
        name = str(getattr(item, "name", ""))
        check_strings(part, name, getattr(item, "text", None), getattr(item, "literal", None) is True, variables)


def _rendered(part: Part, item: NamedText, variables: Variables) -> str:
    text = item.text
    if item.literal is True or "{" not in text:
        return text
    return interpolate(part, item.name, text, variables)


def _planned_parts(part: Part, named: NamedTexts, texts: list[str], variables: Variables) -> list[str]:
    """Each entry's rendered text, in the plan's order."""
    plan = named.plan
    assert plan is not None
    entries = plan.entries
    rendered = texts.copy()
    touched = named.touched
    for index in plan.open if not touched else sorted({*plan.open, *touched}):
        text = texts[index]
        entry = entries[index]
        if "{" not in text or entry.literal:
            continue
        pieces = entry.pieces() if text is entry.text else compile_text(text)
        if pieces is None:
            rendered[index] = interpolate(part, entry.name, text, variables)
            continue
        filled = pieces.copy()
        try:
            for slot in range(1, len(filled), 2):
                filled[slot] = variables[filled[slot]]  # type: ignore[assignment]
            rendered[index] = "".join(filled)
        except (KeyError, TypeError):
            rendered[index] = interpolate(part, entry.name, text, variables)
    return rendered
