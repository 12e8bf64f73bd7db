"""Planning first: the agent looks and proposes, and changes nothing until a person has agreed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.plugins.guidance import register_section
from workbench.plugins.parameters import closed_object
from workbench.plugins.settings import Settings
from workbench.prompt import ToolSchema

if TYPE_CHECKING:
    from workbench.core import Context

name = "plan_policy"
inject = ["system_prompt", "tools"]

SUBMIT_PLAN = ToolSchema(
    "submit_plan",
    "Present a finished plan to the person and wait for the decision. Returns `accepted`, or `changes` with "
    "what should be different. To be called once the plan can be carried out as it stands; not for "
    "questions, and not for tasks that change nothing.",
    closed_object(
        {
            "plan": {
                "type": "string",
                "minLength": 1,
                "description": "The plan in Markdown: what will change and where, in which order, how the result "
                "will be checked, and what is deliberately left out.",
            },
            "open_questions": {
                "type": "array",
                "description": "Decisions that are the person's to make. An empty list when there are none.",
                "items": {"type": "string"},
            },
        },
        ["plan"],
    ),
)


@dataclass(frozen=True)
class Config(Settings):
    """There is nothing to configure; a key that says something is a mistake."""


def apply(ctx: Context, config: Config) -> None:
    """Register the tool, and the policy that holds wherever it can be called."""
    ctx.tools.register(SUBMIT_PLAN)
    register_section(ctx, "plan:policy", "PLAN_POLICY", "plan_policy", tools=(SUBMIT_PLAN.name,))
