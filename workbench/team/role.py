"""The plugin that gives the agent of a scope its role, for compositions: `use: workbench.team.role`.

Source: docs/team.md 17.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

from workbench.team.compose import RuntimeEnv
from workbench.team.seats import SeatError, take_seat
from workbench.team.tickets import Ticket

if TYPE_CHECKING:
    from workbench.core import Context
    from workbench.team.plugin import TeamPrompts

name = "team_role"
owner_kind = "team"
inject = ["system_prompt", "tools", "team"]


class TicketSettings(BaseModel):
    """The Ticket of a worker."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    kind: Literal["explicit", "inferred"] = "explicit"
    matched_rules: tuple[str, ...] = ()
    """Ids of the enabled rules that an inferred Ticket matched; taken from the newest version at the start."""


class Config(BaseModel):
    """Who the agent of the scope is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: Literal["orchestrator", "worker"]
    environment: dict[str, str] = Field(default_factory=dict)
    """Environment lines, in their order; for an orchestrator behind those of the deployment."""
    ticket: TicketSettings | None = None
    """Of a worker."""


def apply(ctx: Context, config: Config) -> None:
    """Take the seat. Raises `SeatError`."""
    team: TeamPrompts = ctx.team
    lines = tuple(config.environment.items())
    if config.role == "orchestrator":
        if config.ticket is not None:
            raise SeatError("an orchestrator has no Ticket; give it to a worker")
        take_seat(ctx, team, "orchestrator", RuntimeEnv((*team.settings.environment.items(), *lines)))
        return
    if config.ticket is None:
        raise SeatError("a worker needs its Ticket: `ticket: {id: …}`")
    take_seat(ctx, team, "worker", _ticket(team, config.ticket, lines).env)


def _ticket(team: TeamPrompts, settings: TicketSettings, lines: tuple[tuple[str, str], ...]) -> Ticket:
    if settings.kind == "explicit":
        return Ticket(settings.id, environment=lines)
    try:
        return Ticket.inferred(settings.id, team.latest, settings.matched_rules, lines)
    except KeyError as error:
        known = ", ".join(rule.id for rule in team.latest.config.policy.enabled_rules()) or "none"
        raise SeatError(f"no enabled rule has the id {error.args[0]!r}; there are: {known}") from None
