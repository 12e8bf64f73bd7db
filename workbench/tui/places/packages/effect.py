"""What a live package has in the prompt that is shown."""

from __future__ import annotations

from workbench.prompt.views import Preview
from workbench.tui.view.packages_data import Effect, InForce
from workbench.tui.view.sizes import Sizes


def effect_of(preview: Preview | None, sizes: Sizes, package_id: str) -> Effect:
    """By the owner of each part: the fiber of a package is called `<id>:<name>`."""
    if preview is None:
        return Effect()
    mine = f"{package_id}:"
    parts: list[InForce] = []
    first = ""
    for entry in (*preview.sections, *preview.contexts):
        if entry.state == "effective" and entry.owner.plugin.startswith(mine):
            size = sizes.entry(entry)
            parts.append(InForce(entry.kind, entry.name, "" if size is None else str(size)))
            if entry.kind == "section":
                first = first or f"section {entry.name}"
    for tool in preview.tools:
        if tool.state == "effective" and tool.owner is not None and tool.owner.plugin.startswith(mine):
            size = sizes.tool(tool)
            parts.append(InForce("tool", tool.name, "" if size is None else str(size)))
            first = first or f"tool {tool.name}"
    return Effect(tuple(parts), first)
