"""Two previews that differ in every way, and Compare over them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from tests.support import previews as p
from tests.tui.conftest import Screen, opened
from workbench.prompt.views import Preview
from workbench.tui.places.compare.place import ComparePlace

_OLD_PERSONA = p.entry(
    "deployment:persona",
    0,
    p.PERSONA.replace("small enough to be reviewed in one sitting.", "small."),
    p.DEPLOYMENT,
    source=p.SECTIONS[1].source,
)
BEFORE = p.preview(
    [_OLD_PERSONA if each.name == "deployment:persona" else each for each in p.SECTIONS[:-1]],
    [
        p.CONTEXTS[0],
        p.entry("approval:policy", 115, "Ask before any command that leaves it.", p.HARNESS, kind="context"),
    ],
    [
        replace(each, parameters_json=p.READ_SCHEMA.replace('"minimum": 1', '"minimum": 0'))
        if each.name == "read"
        else each
        for each in p.TOOLS
        if each.name != "release_notes"
    ],
    p.VARIABLES,
    scope="main",
)
"""Before `CODING_AGENT`: without the package, with a shorter persona, another schema and another context."""


@dataclass
class ScopedSubject(p.FakeSubject):
    """Each scope has a preview of its own."""

    by_scope: dict[str, Preview] = field(default_factory=dict)

    async def preview(self, scope: str) -> Preview:
        shown = await super().preview(scope)
        return self.by_scope.get(scope, shown)


async def compared(screen: Screen) -> ComparePlace:
    """Compare is on the screen and has come to rest."""

    def is_over() -> bool:
        place = screen.app.place
        return isinstance(place, ComparePlace) and not place.comparing.is_running

    await screen.until(is_over)
    place = screen.app.place
    assert isinstance(place, ComparePlace)
    return place


@asynccontextmanager
async def comparing(
    before: Preview = BEFORE,
    after: Preview | None = p.CODING_AGENT,
    size: tuple[int, int] = (120, 40),
    **options: Any,
) -> AsyncIterator[tuple[Screen, ComparePlace]]:
    """Compare over two assemblies, one after the other; `after` None: there is one only."""
    subject = ScopedSubject(before, by_scope={"reviewer": p.EMPTY})
    async with opened(subject, size, **options) as screen:
        if after is not None:
            subject.change(after)
            await screen.settle()
        await screen.pilot.press("d")
        yield screen, await compared(screen)
