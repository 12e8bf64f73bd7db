"""An answer that a program reads: the last thing the agent does is one call with exactly the given shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.plugins.parameters import closed_object
from workbench.plugins.settings import Settings
from workbench.tools import ToolError
from workbench.tools.structured_output import StructuredOutput

if TYPE_CHECKING:
    from workbench.core import Context

name = "structured_output"
inject = ["system_prompt", "tools"]

FREE_TEXT = closed_object(
    {"result": {"type": "string", "description": "The whole answer, in the form that the task asks for."}},
    ["result"],
)
"""Taken where no schema is given."""


@dataclass(frozen=True)
class Config(Settings):
    """Which shape the answer has."""

    answer_schema: dict[str, Any] | None = None
    """JSON Schema of the answer, of type object. It becomes the parameters of the tool, as it is."""


def apply(ctx: Context, config: Config) -> None:
    """Register the tool and its notice. Raises `ValueError` for a schema that is of another type."""
    schema = FREE_TEXT if config.answer_schema is None else config.answer_schema
    try:
        StructuredOutput(ctx, schema, None, is_final=False)
    except ToolError as error:
        raise ValueError(str(error)) from error
