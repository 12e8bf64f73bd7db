"""What a live package has in the prompt that is shown, what it has broken, and what its stop would cost."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from workbench.prompt.views import Failure, Owner, Preview
from workbench.tui.view.packages_data import BreakData, Effect, InForce, PackageCard, StopCost
from workbench.tui.view.sizes import Sizes

if TYPE_CHECKING:
    from workbench.tui.session_feed import SessionFeed


def effect_of(
    preview: Preview | None,
    sizes: Sizes,
    card: PackageCard,
    feed: SessionFeed | None = None,
    cost: StopCost | None = None,
) -> Effect:
    """By the owner of each part: the fiber of a package is called `<id>:<name>`."""
    if preview is None or not card.run:
        return Effect()
    mine = f"{card.id}:"
    parts: list[InForce] = []
    first = ""
    for entry in (*preview.sections, *preview.contexts):
        if entry.state == "effective" and _is_of(entry.owner, mine):
            size = sizes.entry(entry)
            parts.append(InForce(entry.kind, entry.name, "" if size is None else str(size)))
            if entry.kind == "section" and entry.rendered:
                first = first or f"section {entry.name}"
    for tool in preview.tools:
        if tool.state == "effective" and _is_of(tool.owner, mine):
            size = sizes.tool(tool)
            parts.append(InForce("tool", tool.name, "" if size is None else str(size)))
            first = first or f"tool {tool.name}"
    fails = next((_failed(each) for each in preview.failures if _is_of(each.owner, mine)), "")
    return Effect(tuple(parts), first, _break_by(feed, mine, card.started_at), cost, fails)


def _is_of(owner: Owner | None, mine: str) -> bool:
    return owner is not None and owner.plugin.startswith(mine)


def _failed(failure: Failure) -> str:
    what = f"{failure.part} {failure.name}".strip()
    message = failure.message.partition("\n")[0]
    return f"{what}: {message}" if what else message


def _break_by(feed: SessionFeed | None, mine: str, since: float) -> BreakData | None:
    """The last request since the start of the run that broke at a part of the package."""
    tracks = feed.tracks if feed is not None else ()
    for track in tracks:
        requests = track.timeline.requests if track.timeline is not None else None
        if requests is None or not any(owner.startswith(mine) for owner in requests.break_owners):
            continue
        for index in reversed(requests.breaks):
            row = requests[index]
            if row.time is not None and row.time < since * 1000:
                break
            verdict, part = row.verdict, row.verdict.part
            if part is not None and _is_of(part.owner, mine):
                name = row.name if len(tracks) == 1 else f"{row.name} of {track.label}"
                return BreakData(name, verdict.kept + 1, verdict.lost, verdict.label == "exact")
    return None


async def stop_cost(preview: Preview, package_id: str) -> StopCost | None:
    """Counted in a thread; None: a stop would change nothing of the request."""
    return await asyncio.to_thread(_counted, preview, package_id)


def _counted(preview: Preview, package_id: str) -> StopCost | None:
    from workbench.dynamic.change_if_stopped import change_if_stopped
    from workbench.tui.counting import model_of

    change = change_if_stopped(preview, package_id, model_of(preview))
    if change is None:
        return None
    cost = change.cost
    return StopCost(
        cost.first_token,
        cost.read_anew.tokens,
        cost.lost.tokens - cost.read_anew.tokens,
        cost.read_anew.label == "exact",
        change.touches_others,
    )


def with_conversation(cost: StopCost, tokens: int) -> StopCost:
    """The messages behind system text and tools are read anew with them. An estimate."""
    if cost.first_token is None or not tokens:
        return cost
    return cost._replace(read_anew=cost.read_anew + tokens, is_exact=False)
