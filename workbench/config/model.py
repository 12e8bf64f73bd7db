"""What a composition file can say: the entries of each kind, with every text at hand.

Every key is described, with an example, in docs/compositions.md. `at` is the place of an entry in its file.
These are named tuples, because ten dataclasses would be a twentieth of the time in which a command starts.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from workbench.config.nodes import Path
from workbench.prompt.source import TextSource


class Text(NamedTuple):
    """A text and where it was read from."""

    value: str
    source: TextSource


class ScopeEntry(NamedTuple):
    """A layer of its own, inside another one or inside the global layer."""

    name: str
    scope: str | None = None
    """The scope around it."""
    at: Path = ()


class AgentEntry(NamedTuple):
    """An agent. It is a scope, too: entries may name it as theirs."""

    name: str
    scope: str | None = None
    """The scope around it."""
    parent: str | None = None
    """The agent that started it: lineage, which links no scopes."""
    model: str | None = None
    provider: str | None = None
    cwd: str | None = None
    persona: Text | None = None
    """Takes the place of the deployment's persona, for this agent."""
    max_tokens: int | None = None
    """Of one answer; for `workbench run`, like the next two."""
    temperature: float | None = None
    reasoning_effort: str | None = None
    at: Path = ()


class EndpointEntry(NamedTuple):
    """An HTTP endpoint that speaks chat completions."""

    base_url: str
    api_key_env: str | None = None
    """Name of the environment variable that holds the key."""
    keyring_service: str | None = None
    stream: bool = True
    stream_idle_timeout_s: float = 300.0
    headers: dict[str, Any] | None = None
    max_tokens_key: str = "max_tokens"
    send_reasoning: bool = True
    at: Path = ()


class ModelEntry(NamedTuple):
    """A model provider, which agents name as theirs. Exactly one of the next three is given."""

    name: str
    script: str | None = None
    """A file of scripted answers."""
    replay: tuple[str, ...] | None = None
    """Session logs, whose recorded answers are given again."""
    endpoint: EndpointEntry | None = None
    context_windows: dict[str, Any] | None = None
    """Tokens by model; `*` holds for all others."""
    at: Path = ()


class PluginEntry(NamedTuple):
    """One load of one plugin."""

    use: str
    """A first-party name, an entry point, `package.module:attribute`, or a `.py` file."""
    config: Any = None
    scope: str | None = None
    disabled: bool = False
    at: Path = ()


class SectionEntry(NamedTuple):
    """A part of the system text."""

    name: str
    order: float | str
    """A number, or the key of a named position."""
    text: Text
    scope: str | None = None
    literal: bool = False
    complete: bool = False
    at: Path = ()


class ContextEntry(NamedTuple):
    """A part of the runtime-context snapshot."""

    name: str
    order: float | str
    text: Text
    scope: str | None = None
    literal: bool = False
    at: Path = ()


class VariableEntry(NamedTuple):
    """The value of `{{name}}`. Without a value the name is known and cannot be rendered."""

    name: str
    value: Text | None = None
    scope: str | None = None
    at: Path = ()


class ToolEntry(NamedTuple):
    """A tool that the model sees, as a schema alone."""

    name: str
    description: Text
    parameters: dict[str, Any] | None = None
    """JSON Schema; None: an object without properties."""
    scope: str | None = None
    at: Path = ()


class RestrictionEntry(NamedTuple):
    """Which of the tools that a scope inherits it may see."""

    scope: str
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] | None = None
    at: Path = ()


class ImportEntry(NamedTuple):
    """A file that people have already. Exactly one of the first three is given."""

    tools: str | None = None
    """A JSON file of tool schemas."""
    instructions: str | None = None
    """A directory; its chain of instruction files."""
    markdown: str | None = None
    """A Markdown file, with or without front matter."""
    scope: str | None = None
    name: str | None = None
    """Of the section; None: what the file says."""
    order: float | str | None = None
    """Of the section; None: what is usual."""
    only: tuple[str, ...] | None = None
    """Names of the tools that are wanted; None: all."""
    root: str | None = None
    """Directory where the chain begins; None: the project that the last one lies in."""
    limit: int | None = None
    """Bytes of all instructions together."""
    at: Path = ()


class RuleSwitch(NamedTuple):
    """A rule of `workbench check` that is off: for the whole file, or for the one entry that is named."""

    rule: str
    """Id of a rule, or of one kind of it, such as `characters` or `characters/hidden`."""
    reason: str = ""
    section: str | None = None
    context: str | None = None
    variable: str | None = None
    tool: str | None = None
    at: Path = ()


class PartBudget(NamedTuple):
    """The limit of the one section, context or tool that is named."""

    limit: int
    section: str | None = None
    context: str | None = None
    tool: str | None = None
    at: Path = ()


class Budgets(NamedTuple):
    """How long things may be. None: as long as they like."""

    unit: Literal["tokens", "characters"] = "tokens"
    whole: int | None = None
    """The whole system text."""
    runtime_context: int | None = None
    """The whole runtime-context message."""
    tools: int | None = None
    """All tool schemas together."""
    section: int | None = None
    """Any one section; likewise the next two."""
    context: int | None = None
    tool: int | None = None
    parts: tuple[PartBudget, ...] = ()
    at: Path = ()


class CheckEntry(NamedTuple):
    """What `workbench check` is told about this file."""

    profiles: tuple[str, ...] | None = None
    """Providers that must take the tools: names of profiles, or files."""
    budgets: Budgets | None = None
    off: tuple[RuleSwitch, ...] = ()
    at: Path = ()


class CompositionEntries(NamedTuple):
    """The keys of a composition file; those of the files that it includes are merged in."""

    description: str = ""
    include: tuple[str, ...] = ()
    """Files whose entries come first, as they are written here."""
    imports: tuple[ImportEntry, ...] = ()
    """Files of other forms. What they hold is among the entries below already."""
    persona: Text | None = None
    include_harness_identity: bool = True
    include_runtime_context: bool = True
    tool_order: tuple[str, ...] | None = None
    scopes: tuple[ScopeEntry, ...] = ()
    agents: tuple[AgentEntry, ...] = ()
    plugins: tuple[PluginEntry, ...] = ()
    sections: tuple[SectionEntry, ...] = ()
    contexts: tuple[ContextEntry, ...] = ()
    variables: tuple[VariableEntry, ...] = ()
    tools: tuple[ToolEntry, ...] = ()
    restrictions: tuple[RestrictionEntry, ...] = ()
    check: CheckEntry | None = None
    models: tuple[ModelEntry, ...] = ()
    """Who answers when the agents run."""
    session_log: str | None = None
    """Where the first agent's session is recorded; None: nowhere."""

    @property
    def every_scope(self) -> tuple[ScopeEntry | AgentEntry, ...]:
        """Scopes and agents: all that an entry may name as its `scope`."""
        return (*self.scopes, *self.agents)


Outcome = Literal["settings", "plugin", "unknown", "patch", "patched", "include", "disabled", "imported"]


class ConfigRow(NamedTuple):
    """A row of a harness config, and what became of it."""

    id: str
    package: str
    """Name of the package as the row gives it; empty for a row that only changes another one."""
    line: int
    column: int
    outcome: Outcome
    taken_over: tuple[str, ...]
    """Settings, or the plugin, that came from it."""
    notes: tuple[str, ...]
    """What did not, each with its place."""
