"""A seat: what makes the agent of a scope an orchestrator or a worker of the team.

Source: docs/team.md 5, 6 and 13.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.team.compose import (
    MAIN_SECTION,
    NOTE_KEY,
    NOTE_SECTION,
    RuntimeEnv,
    RuntimePart,
    compose_runtime_parts,
    join_parts,
    slots_of,
)
from workbench.team.guards import NoWaiting, bound_defaults
from workbench.team.parts import Role
from workbench.team.snapshot import TeamSnapshot
from workbench.team.tools.desk_tools import register_desk_tools
from workbench.team.tools.prompt_tools import register_prompt_tools

if TYPE_CHECKING:
    from workbench.core import Context
    from workbench.core.scopes import ScopeKey
    from workbench.prompt import AssembleContext
    from workbench.team.plugin import TeamPrompts

SNAPSHOT = "team/snapshot"
"""Key in `extras` of an assembly's context: the one snapshot that all its texts come from."""
_NONE = object()
REVISION_VARIABLE = "team_revision"
"""The revision that an assembly is of, for whoever wants to say it."""
EXCLUDED_TRAITS = ("asks_person", "presents_ui", "changes_profile")
EXCLUDED_TOOLS = ("ask_user_question", "present", "plugin_manager")
"""What works unattended never has."""


class SeatError(Exception):
    """A scope cannot have this role; nothing of it was registered."""


class Seat:
    """One scope's role, and the parts of its prompt as they were composed last."""

    __slots__ = ("env", "key", "role", "snapshot", "texts")

    def __init__(self, role: Role, env: RuntimeEnv, key: ScopeKey) -> None:
        self.role = role
        self.env = env
        self.key = key
        self.snapshot: object = _NONE
        """The snapshot that `texts` are of."""
        self.texts: dict[str, str] = dict.fromkeys(_sections(role), "")
        """By section; always the same object, and empty for what says nothing."""

    def parts(self, snapshot: TeamSnapshot) -> list[RuntimePart]:
        """The parts of its prompt."""
        return compose_runtime_parts(self.role, snapshot, self.env)

    def compose(self, snapshot: TeamSnapshot) -> None:
        """Bring `texts` up to date."""
        parts = self.parts(snapshot)
        if self.role == "orchestrator":
            self.texts[MAIN_SECTION] = join_parts(parts)
        else:
            self.texts.update(dict.fromkeys(self.texts, ""))
            self.texts.update({part.section: part.text for part in parts})
        self.snapshot = snapshot


def _sections(role: Role) -> list[str]:
    if role == "orchestrator":
        return [MAIN_SECTION]
    return [*(slot.section for slot in slots_of(role)), NOTE_SECTION]


def take_seat(ctx: Context, team: TeamPrompts, role: Role, env: RuntimeEnv) -> Seat:
    """Register everything that the role is, in the layer of the context's scope.

    Raises `SeatError` for a context without a scope, and for an orchestrator whose tools are presented as code.
    """
    scope = ctx.scope
    if scope is None:
        raise SeatError(f"the role {role} needs a scope: give the plugin the scope of an agent")
    tools, prompt = team.tools_in(ctx), team.prompt_in(ctx)
    seat = Seat(role, env, scope)
    prompt.variable(REVISION_VARIABLE, _composing(team, seat))
    if role == "orchestrator":
        presentation = tools.presentation(scope)
        if presentation != "native":
            raise SeatError(
                f"an orchestrator's prompt is complete, so the text that `{presentation}` needs would be lost; "
                "present its tools as native"
            )
        tools.present("native")
        tools.guard(NoWaiting(tools.registry))
        bound_defaults(tools)
        order = prompt.get_section_order("RUNTIME_SHARED")
        prompt.section(MAIN_SECTION, order, _text_of(seat, MAIN_SECTION), complete=True, literal=True)
    else:
        tools.exclude(team.excluded_tools, EXCLUDED_TRAITS)
        for slot in slots_of(role):
            order = prompt.get_section_order(slot.order_key)
            prompt.section(slot.section, order, _text_of(seat, slot.section), literal=True)
        if env.matched_rules is not None:
            order = prompt.get_section_order(NOTE_KEY)
            prompt.section(NOTE_SECTION, order, _text_of(seat, NOTE_SECTION), literal=True)
    register_prompt_tools(tools, team, role)
    register_desk_tools(tools, team, role)
    ctx.effect(lambda: team.seated(seat), f"team role {role}")
    return seat


def _composing(team: TeamPrompts, seat: Seat) -> Callable[[AssembleContext], str]:
    """The provider of `{{team_revision}}`, which brings the texts of the seat up to date.

    Variables are evaluated before all sections of an assembly, shadowed ones too, and nothing waits in between:
    so the sections find the texts of their own assembly.
    """

    def revision(context: AssembleContext) -> str:
        snapshot = context.extras.get(SNAPSHOT) or team.latest
        if snapshot is not seat.snapshot:
            seat.compose(snapshot)
        return str(snapshot.revision)

    return revision


def _text_of(seat: Seat, section: str) -> Callable[[AssembleContext], str]:
    texts = seat.texts
    return lambda _context: texts[section]
