"""What a role would read of a configuration that nobody has saved yet: through the one path.

Source: docs/team.md 14.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.core import create_scope
from workbench.prompt import AssembleContext
from workbench.prompt.preview import preview
from workbench.team.compose import RuntimeEnv
from workbench.team.seats import SNAPSHOT, Seat, take_seat
from workbench.team.snapshot import TeamSnapshot

if TYPE_CHECKING:
    from workbench.core import Context
    from workbench.prompt import Preview
    from workbench.team.config import TeamConfig
    from workbench.team.parts import Role
    from workbench.team.plugin import TeamPrompts


class _Try:
    """The key of a scope that lives for one preview."""

    label = "preview"


def proposed_snapshot(newest: TeamSnapshot, config: TeamConfig) -> TeamSnapshot:
    """What the newest version would be, had this configuration been saved on top of it."""
    revision = newest.revision + 1
    is_same = config.policy == newest.config.policy
    return TeamSnapshot(revision, newest.policy_version if is_same else revision, config, newest.builtins)


async def preview_role(
    team: TeamPrompts,
    ctx: Context,
    role: Role,
    config: TeamConfig | None = None,
    env: RuntimeEnv | None = None,
) -> Preview:
    """The assembled prompt of a role, with owners and places, for the newest version or for `config`.

    It is made in the scope of the first agent that has the role, or in one of its own where there is none, with
    the lines of `env`. Raises `StoreError`, and what `take_seat` raises.
    """
    newest = await team.refresh()
    snapshot = newest if config is None else proposed_snapshot(newest, config)
    seat = next((each for each in team.seats() if each.role == role and (env is None or each.env == env)), None)
    if seat is not None:
        return await _seen(team, seat, snapshot)
    scope = create_scope(ctx, _Try())
    try:
        return await _seen(team, take_seat(scope.ctx, team, role, env or RuntimeEnv()), snapshot)
    finally:
        await scope.dispose()


async def _seen(team: TeamPrompts, seat: Seat, snapshot: TeamSnapshot) -> Preview:
    agent = seat.key if hasattr(seat.key, "session") else None
    context = AssembleContext(scope=seat.key, agent=agent, extras={SNAPSHOT: snapshot})
    return await preview(team.prompt, context)
