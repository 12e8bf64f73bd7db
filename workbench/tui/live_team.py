"""The prompts of a team in a runtime: its versions, and what its agents would read of a configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.team.compose import MAIN_SECTION, RuntimeEnv, RuntimePart, compose_runtime_parts, join_parts
from workbench.team.previews import proposed_snapshot
from workbench.team.version import RestoredFrom, Saved, Version, VersionLine
from workbench.tui.counting import model_of
from workbench.tui.view.team_preview import Assembled, Placed, placed_parts

if TYPE_CHECKING:
    from workbench.team.config import TeamConfig
    from workbench.team.parts import Role
    from workbench.team.plugin import TeamPrompts
    from workbench.team.snapshot import TeamSnapshot
    from workbench.team.validation import Accepted, Limits


class LiveTeam:
    """Reads and writes through the plugin that provides `team`."""

    def __init__(self, prompts: TeamPrompts) -> None:
        self.prompts = prompts

    @property
    def label(self) -> str:
        return self.prompts.store.label

    @property
    def limits(self) -> Limits:
        return self.prompts.store.limits

    async def snapshot(self) -> TeamSnapshot:
        return await self.prompts.refresh()

    async def reopen(self) -> None:
        await self.prompts.reopen()

    async def history(self, before: int | None, limit: int) -> Sequence[VersionLine]:
        return await self.prompts.store.history(before, limit)

    async def version(self, revision: int) -> Version:
        return await self.prompts.store.version(revision)

    async def check(self, proposal: object, base_revision: int) -> Accepted:
        return await self.prompts.store.check(proposal, base_revision)

    async def save(self, proposal: object, base_revision: int) -> Saved:
        return await self.prompts.save(proposal, base_revision, "panel")

    async def restore(self, revision: RestoredFrom, base_revision: int) -> Saved:
        return await self.prompts.restore(revision, base_revision, "panel")

    async def assembled(self, role: Role, config: TeamConfig | None) -> Assembled:
        seat = next((seat for seat in self.prompts.seats() if seat.role == role), None)
        env = self._environment(role) if seat is None else seat.env
        made = await self.prompts.preview(role, config, env)
        if made.system is None:
            return Assembled("", (), model_of(made), "; ".join(failure.message for failure in made.failures))
        parts = self._parts(role, config, env)
        names = {part.section: part.name for part in parts}
        placed = [
            Placed(names.get(each.name, each.name), each.start) for each in made.sections if each.start is not None
        ]
        if any(each.name == MAIN_SECTION for each in placed) and join_parts(parts) == made.system:
            placed = list(placed_parts(parts))
        return Assembled(made.system, tuple(placed), model_of(made))

    def _environment(self, role: Role) -> RuntimeEnv:
        """Where no agent has the role: that of the deployment. A worker's is that of its Ticket."""
        lines = self.prompts.settings.environment if role == "orchestrator" else {}
        return RuntimeEnv(tuple(lines.items()))

    def _parts(self, role: Role, config: TeamConfig | None, env: RuntimeEnv) -> list[RuntimePart]:
        """What the team's text of a role is made of."""
        latest = self.prompts.latest
        return compose_runtime_parts(role, latest if config is None else proposed_snapshot(latest, config), env)
