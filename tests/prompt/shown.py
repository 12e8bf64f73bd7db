"""Small ways to load what a preview shows, and to look at it."""

from __future__ import annotations

from typing import Any

from tests.support.plugins import P
from workbench.core import Runtime
from workbench.prompt import (
    EntryView,
    Preview,
    Span,
)

EVENT = "system-prompt/assemble"


async def plugin(rt: Runtime, name: str, apply: Any, **metadata: Any) -> None:
    """Load a plugin that registers with the prompt service."""
    await rt.root.plugin(P(name, apply, inject=["system_prompt"], **metadata))


async def listening(rt: Runtime, name: str, listener: Any) -> None:
    await plugin(rt, name, lambda ctx: ctx.on(EVENT, listener))


def pieces(text: str | None, spans: tuple[Span, ...]) -> list[tuple[str, str, str]]:
    """Each piece as its text, its owner and what it is."""
    assert text is not None
    return [
        (
            text[span.start : span.end],
            span.owner.plugin,
            f"{{{{{span.variable}}}}}" if span.variable else "listener" if span.listener else span.part,
        )
        for span in spans
    ]


def entry(shown: Preview, name: str, state: str = "effective") -> EntryView:
    (found,) = [view for view in (*shown.sections, *shown.contexts) if (view.name, view.state) == (name, state)]
    return found


def states(views: tuple[EntryView, ...]) -> list[tuple[str, str]]:
    return [(view.name, view.state) for view in views]
