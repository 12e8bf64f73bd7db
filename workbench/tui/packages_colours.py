"""Colours of the sources of packages: made beside the loop, when they are first looked at.

Source: docs/tui.md 11.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from workbench.tui.view.packages_data import RevisionData
from workbench.tui.view.registry_document import Coloured

KEPT = 16
"""Sources whose colours are kept."""


async def colours_of(
    revision: RevisionData, known: Mapping[str, tuple[Coloured, ...]]
) -> dict[str, tuple[Coloured, ...]]:
    """`known` with those of both halves."""
    found = dict(known)
    for name, source in (("host.py", revision.code), ("page.js", revision.client)):
        if source is not None and source not in found:
            found[source] = await asyncio.to_thread(_coloured, name, source)
    while len(found) > KEPT:
        del found[next(iter(found))]
    return found


def _coloured(name: str, source: str) -> tuple[Coloured, ...]:
    from workbench.tui.view.source_excerpt import coloured

    return coloured(name, source)
