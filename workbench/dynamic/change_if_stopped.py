"""What a stop would cost: the present request without the parts of a package, compared with the present one.

Nothing is executed. What it has changed in the parts of others cannot be taken back that way, and is said.

Source: docs/dynamic-packages.md 16.
"""

from __future__ import annotations

from dataclasses import dataclass

from workbench.dynamic.change_of_request import PrefixCost, prefix_cost
from workbench.prompt import Preview
from workbench.prompt.assembly import NamedText, PromptAssembly
from workbench.prompt.rendering import render_prompt
from workbench.prompt.views import Owner
from workbench.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class StopChange:
    """The next request after a stop."""

    cost: PrefixCost
    touches_others: bool
    """A part of somebody else holds something of it: there the next request may differ, too."""


def change_if_stopped(now: Preview, package_id: str, model: str | None) -> StopChange | None:
    """For threads. None when nothing of the package is in the request, or the request cannot be sent."""
    if now.system is None or now.assembly is None:
        return None
    mine = f"{package_id}:"

    def is_mine(owner: Owner | None) -> bool:
        return owner is not None and owner.plugin.startswith(mine)

    sections = [entry for entry in now.sections if entry.state == "effective" and entry.rendered]
    tools = [tool for tool in now.tools if tool.state == "effective"]
    gone = {tool.name for tool in tools if is_mine(tool.owner)}
    stays = [entry for entry in sections if not is_mine(entry.owner)]
    values = {each.name for each in now.variables if is_mine(each.owner) or is_mine(each.set_by)}
    touches_others = any(
        any(map(is_mine, entry.changed_by)) or not values.isdisjoint(entry.references) for entry in stays
    ) or any(any(map(is_mine, tool.changed_by)) for tool in tools if tool.name not in gone)
    if len(stays) == len(sections) and not gone and not touches_others:
        return None
    later = PromptAssembly(
        [NamedText(entry.name, entry.rendered or "", literal=True) for entry in stays],
        tools=[schema for schema in now.assembly.tool_schemas if schema.name not in gone],
    )
    counter = TokenCounter.for_model(model)
    before = now.system, now.assembly.tools_json.decode()
    return StopChange(
        prefix_cost(counter, before, (render_prompt(later), later.tools_json.decode())), touches_others
    )
