"""The format of compositions as Pydantic models: for editors, as a JSON Schema, and for programs.

    python -m workbench.config.schema > composition.schema.json

The loader does not use them. It reads the nodes of the file itself, since only there every value has a
place, and since importing Pydantic's models would double the time in which a command starts. A test holds
both to the same answers. Source: docs/compositions.md 2 to 9 and 15.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from workbench.prompt import CONTEXT_POSITIONS, SECTION_POSITIONS


def _key_of(positions: Mapping[str, object]) -> AfterValidator:
    def known(key: str) -> str:
        if key not in positions:
            raise ValueError(f"there is no position {key!r}")
        return key

    return AfterValidator(known)


Name = Annotated[str, Field(min_length=1)]
SectionPosition = Annotated[
    str, _key_of(SECTION_POSITIONS), Field(json_schema_extra={"enum": [*SECTION_POSITIONS]})
]
ContextPosition = Annotated[
    str, _key_of(CONTEXT_POSITIONS), Field(json_schema_extra={"enum": [*CONTEXT_POSITIONS]})
]
Number = Annotated[float, Field(allow_inf_nan=False)]
Limit = Annotated[int, Field(gt=0)]


class Model(BaseModel):
    """Nothing is converted, and no key is ignored."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True)


class TextFile(Model):
    """A text that stands in a file of its own."""

    file: Name
    """Relative to the composition."""


Text = str | TextFile


class Scope(Model):
    """A layer of its own, inside another one or inside the global layer."""

    name: Name
    """Unique among scopes and agents."""
    scope: Name | None = None
    """The scope around it."""


class Agent(Model):
    """An agent, which is a scope, too."""

    name: Name
    """Unique among scopes and agents."""
    scope: Name | None = None
    """The scope around it."""
    parent: Name | None = None
    """The agent that started it: lineage, which links no scopes."""
    model: str | None = None
    """Value of {{model}}."""
    provider: str | None = None
    """Value of {{provider}}."""
    cwd: str | None = None
    """Value of {{cwd}}."""
    persona: Text = ""
    """Takes the place of the deployment's persona, for this agent."""
    max_tokens: Limit | None = None
    """Longest answer of the model, when the agent runs."""
    temperature: Number | None = None
    """Passed to the model as it is."""
    reasoning_effort: Name | None = None
    """Passed to the model as it is."""


class Endpoint(Model):
    """An HTTP endpoint that speaks chat completions."""

    base_url: Name
    """Up to and without /chat/completions."""
    api_key_env: Name | None = None
    """Name of the environment variable that holds the key."""
    keyring_service: Name | None = None
    """Service under which the system's keyring has the key."""
    stream: bool = True
    """False: each answer is read as a whole."""
    stream_idle_timeout_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 300.0
    """Longest wait for the next byte, in seconds."""
    headers: dict[str, str] | None = None
    """Sent with each request, beside the key."""
    max_tokens_key: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """How the endpoint calls the limit of an answer."""
    send_reasoning: bool = True
    """Whether earlier reasoning goes back to the model."""


class ModelProvider(Model):
    """Who answers when agents run: one of script, replay and endpoint."""

    name: Name
    """What agents give as their provider."""
    script: Name | None = None
    """A YAML file of answers, relative to the composition."""
    replay: list[Name] | None = None
    """Session logs whose recorded answers are given again."""
    endpoint: Endpoint | None = None
    """An HTTP endpoint that speaks chat completions."""
    context_windows: dict[str, Limit] | None = None
    """Tokens by model; * holds for all others."""


class Plugin(Model):
    """One load of one plugin."""

    use: Name
    """A first-party name, an entry point, package.module:attribute, or a .py file."""
    config: Any = None
    """Whatever the plugin takes."""
    scope: Name | None = None
    """The layer of what it registers; global without one."""
    disabled: bool = False
    """True leaves it out."""


class Section(Model):
    """A part of the system text."""

    name: Name
    """Unique in its layer."""
    order: Number | SectionPosition
    """A number, or the key of a named position."""
    text: Text
    """Scanned for {{variables}} unless it is literal."""
    scope: Name | None = None
    """Its layer; global without one."""
    literal: bool = False
    """True: rendered as it stands, whatever braces it holds."""
    complete: bool = False
    """True: the whole system text of its scope."""


class Context(Model):
    """A part of the runtime-context message, for what changes during a session."""

    name: Name
    """Unique in its layer."""
    order: Number | ContextPosition
    """A number, or the key of a named position."""
    text: Text
    """Scanned for {{variables}} unless it is literal."""
    scope: Name | None = None
    """Its layer; global without one."""
    literal: bool = False
    """True: rendered as it stands, whatever braces it holds."""


class Variable(Model):
    """The value of {{name}}."""

    name: Name
    """Small letters, digits and _, a letter first."""
    value: Text | None = None
    """Without one the name is known and cannot be rendered."""
    scope: Name | None = None
    """Its layer; global without one."""


class Tool(Model):
    """A tool that the model sees, as a schema alone."""

    name: Name
    """As the model calls it."""
    description: Text
    """All that the model is told about it."""
    parameters: dict[str, Any] = {}
    """JSON Schema of its arguments."""
    scope: Name | None = None
    """Its layer; global without one."""


class Restriction(Model):
    """Which of the tools that a scope inherits it may see."""

    scope: Name
    """Whom it concerns, with everything inside."""
    allow: list[Name] | None = None
    """Only these."""
    deny: list[Name] | None = None
    """All but these."""


class Import(Model):
    """A file that people have already: one of tools, instructions and markdown."""

    tools: Name | None = None
    """A JSON file of tool schemas, in OpenAI, Anthropic, MCP or plain shape."""
    instructions: Name | None = None
    """A directory: every AGENTS.md and CLAUDE.md on the way to it."""
    markdown: Name | None = None
    """A Markdown file, with or without front matter."""
    scope: Name | None = None
    """Its layer; global without one."""
    name: Name | None = None
    """Name of the section."""
    order: Number | SectionPosition | None = None
    """Order of the section: a number, or the key of a named position."""
    only: list[Name] | None = None
    """Names of the tools that are wanted."""
    root: Name | None = None
    """Directory where the chain of instructions begins."""
    limit: Limit | None = None
    """Bytes of all instructions together; what is farther away is cut first."""


class RuleSwitch(Model):
    """A rule of `workbench check` that is off, for the whole file or for one entry."""

    rule: Name
    """Id of a rule, or of one kind of it."""
    reason: str = ""
    """Why. A switch without a reason is reported."""
    section: Name | None = None
    """Only for the section of this name."""
    context: Name | None = None
    """Only for the context of this name."""
    variable: Name | None = None
    """Only for the variable of this name."""
    tool: Name | None = None
    """Only for the tool of this name."""


class PartBudget(Model):
    """The limit of one section, context or tool."""

    limit: Limit
    """The most that it may be, in the unit of the budgets."""
    section: Name | None = None
    """Name of the section that is meant."""
    context: Name | None = None
    """Name of the context that is meant."""
    tool: Name | None = None
    """Name of the tool that is meant."""


class Budgets(Model):
    """How long things may be."""

    unit: Literal["tokens", "characters"] = "tokens"
    """What the limits count."""
    whole: Limit | None = None
    """The whole system text."""
    runtime_context: Limit | None = None
    """The whole runtime-context message."""
    tools: Limit | None = None
    """All tool schemas together."""
    section: Limit | None = None
    """Any one section."""
    context: Limit | None = None
    """Any one context."""
    tool: Limit | None = None
    """Any one tool schema."""
    parts: list[PartBudget] | None = None
    """Limits of single parts, by name."""


class Check(Model):
    """What `workbench check` is told about this file."""

    profiles: list[Name] | None = None
    """Providers that must take the tools: names of profiles, or files."""
    budgets: Budgets | None = None
    """How long the whole and its parts may be."""
    off: list[RuleSwitch] | None = None
    """Rules that do not count here, each with its reason."""


class Composition(Model):
    """What a prompt is made of."""

    description: str = ""
    """One line about the file, for lists."""
    include: Name | list[Name] | None = None
    """Compositions whose entries come first; entries of later files take the place of equal ones."""
    imports: list[Import] | None = None
    """Files of other forms whose content becomes entries."""
    persona: Text = ""
    """Who the agents are and how they behave."""
    include_harness_identity: bool = True
    """Whether the section harness:identity is there."""
    include_runtime_context: bool = True
    """False hides all contexts."""
    tool_order: list[Name] | None = None
    """Names of tools in order, <unlisted-tools> once for all others."""
    scopes: list[Scope] | None = None
    agents: list[Agent] | None = None
    plugins: list[Name | Plugin] | None = None
    sections: list[Section] | None = None
    contexts: list[Context] | None = None
    variables: list[Variable] | None = None
    tools: list[Tool] | None = None
    restrictions: list[Restriction] | None = None
    check: Check | None = None
    models: list[ModelProvider] | None = None
    session_log: Name | None = None
    """Where `workbench run` records the first agent's session."""


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a composition."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Composition.model_json_schema()}


if __name__ == "__main__":
    print(json.dumps(json_schema(), indent=2))
