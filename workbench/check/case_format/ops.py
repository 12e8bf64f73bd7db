"""What a listener of a case does to the assembly."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from workbench.check.case_format.values import Schema, Strict, TextEntry


class Next(Strict):
    """Calls `next()`; what it resolves to is the current assembly."""

    op: Literal["next"]


class Stop(Strict):
    """Returns the current assembly without calling `next()`."""

    op: Literal["stop"]


class Raise(Strict):
    """Raises."""

    op: Literal["raise"]
    message: str


class AppendSection(Strict):
    """Adds a section at the end."""

    op: Literal["append_section"]
    name: str
    text: str
    literal: bool = False


class RemoveSection(Strict):
    """Removes every section of that name."""

    op: Literal["remove_section"]
    name: str


class ReplaceSection(Strict):
    """Sets the text of every section of that name, in place."""

    op: Literal["replace_section"]
    name: str
    text: str
    literal: bool | None = None
    """None keeps the flag of the entry."""


class ClearSections(Strict):
    """Empties the section list."""

    op: Literal["clear_sections"]


class AppendContext(Strict):
    """Adds a context at the end."""

    op: Literal["append_context"]
    name: str
    text: str
    literal: bool = False


class SetVariable(Strict):
    """Sets an entry of the variable map; null is *no value*."""

    op: Literal["set_variable"]
    name: str
    value: str | None


class AppendTool(Strict):
    """Adds a schema at the end."""

    op: Literal["append_tool"]
    schema_: Schema = Field(alias="schema")


class DropTool(Strict):
    """Removes every schema of that name."""

    op: Literal["drop_tool"]
    name: str


class SetToolParameter(Strict):
    """Sets one value inside the parameters of every schema of that name, in place."""

    op: Literal["set_tool_parameter"]
    tool: str
    path: list[str | int] = Field(min_length=1)
    value: Any


class NewAssembly(Strict):
    """Makes a new assembly with exactly this content the current one."""

    op: Literal["new_assembly"]
    sections: list[TextEntry] = Field(default=[])
    contexts: list[TextEntry] = Field(default=[])
    tools: list[Schema] = Field(default=[])
    variables: dict[str, str | None] = Field(default={})


Op = Annotated[
    Next
    | Stop
    | Raise
    | AppendSection
    | RemoveSection
    | ReplaceSection
    | ClearSections
    | AppendContext
    | SetVariable
    | AppendTool
    | DropTool
    | SetToolParameter
    | NewAssembly,
    Field(discriminator="op"),
]
