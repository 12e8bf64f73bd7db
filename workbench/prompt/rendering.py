"""The one render path: from an assembly to the system text and to the runtime-context snapshot.

Source: docs/prompt-assembly.md 10 and 11.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from workbench.prompt.assembly import NamedText, NamedTexts, PromptAssembly
from workbench.prompt.errors import RenderError
from workbench.prompt.section_layout import SEPARATOR, SectionLayout
from workbench.prompt.template import TemplateFault, compile_text, scan

RUNTIME_CONTEXT_PREAMBLE = "Runtime context now in force; it replaces any earlier runtime-context message."
RUNTIME_CONTEXT_CLEARED = "Runtime context is now empty; disregard any earlier runtime-context message."

Part = Literal["section", "context"]
Variables = Mapping[str, str | None]


def render_prompt(assembly: PromptAssembly) -> str:
    """The system text: every section interpolated, empty ones dropped, joined by one blank line.

    Raises `RenderError` for the first reference that cannot be resolved.
    """
    sections = assembly.sections
    texts = sections.current_texts()
    variables = assembly.variables
    plan = sections.plan
    if texts is None or plan is None:
        return SEPARATOR.join(
            [text for text in [_rendered("section", item, variables) for item in sections] if text]
        )
    if texts == plan.last_texts and variables == plan.last_variables:
        return plan.last_text
    layout = plan.layout
    text: str | None = None
    if layout is not None:
        text = layout.render(texts, sections.touched, variables)
    elif plan.last_texts is not None:
        layout = plan.layout = SectionLayout(plan.entries)
        text = layout.render(texts, sections.touched, variables)
    if text is None:
        text = SEPARATOR.join([part for part in _planned_parts(sections, texts, variables) if part])
    plan.last_texts = texts
    plan.last_variables = variables.copy()
    plan.last_text = text
    return text


def render_context_sections(assembly: PromptAssembly) -> list[NamedText]:
    """Every context interpolated, empty ones dropped; names are kept, so that a view can attribute each.

    Raises `RenderError` for the first reference that cannot be resolved.
    """
    variables = assembly.variables
    contexts = assembly.contexts
    texts = contexts.current_texts()
    if texts is None or contexts.plan is None:
        rendered = [(item.name, _rendered("context", item, variables)) for item in contexts]
    else:
        names = [entry.name for entry in contexts.plan.entries]
        rendered = list(zip(names, _planned_parts(contexts, texts, variables, "context"), strict=True))
    return [NamedText(name, text, literal=True) for name, text in rendered if text]


def join_context_sections(parts: Iterable[NamedText]) -> str:
    """The snapshot of rendered contexts; empty for none."""
    texts = [part.text for part in parts]
    return SEPARATOR.join([RUNTIME_CONTEXT_PREAMBLE, *texts]) if texts else ""


def render_context_snapshot(assembly: PromptAssembly) -> str:
    """What the agent loop says of the runtime context now in force. Raises `RenderError`."""
    return join_context_sections(render_context_sections(assembly))


def interpolate(part: Part, name: str, text: str, variables: Variables) -> str:
    """One text rendered exactly. Raises `RenderError` naming the part."""
    result = scan(text, variables)
    if isinstance(result, TemplateFault):
        raise RenderError(result.code, part, name, result.group.written, result.group.offset, tuple(variables))
    return result


def _rendered(part: Part, item: NamedText, variables: Variables) -> str:
    text = item.text
    if item.literal is True or "{" not in text:
        return text
    return interpolate(part, item.name, text, variables)


def _planned_parts(
    texts_of: NamedTexts, texts: list[str], variables: Variables, part: Part = "section"
) -> list[str]:
    """Each entry's rendered text, in the plan's order."""
    assert texts_of.plan is not None
    rendered = texts.copy()
    for index, entry in enumerate(texts_of.plan.entries):
        text = texts[index]
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
