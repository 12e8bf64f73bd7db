"""The plugin that a composition is: scopes, contributions, and the plugins that it names as children.

It is loaded like any other. What it registers is undone with its fiber, which bears the name of the file.
Source: docs/compositions.md 2 to 9.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.config.checks import GLOBAL_LABEL
from workbench.config.model import AgentEntry, CompositionEntries, Text, ToolEntry
from workbench.config.nodes import Path
from workbench.config.plan import Plan, PlannedPlugin
from workbench.config.problems import LoadProblem
from workbench.config.settling import settled
from workbench.config.stand_in import NamedScope, StandInAgent
from workbench.core import create_scope
from workbench.prompt import ToolSchema
from workbench.prompt.source import TextSource

if TYPE_CHECKING:
    from workbench.core import Context, Fiber
    from workbench.prompt import AssembleContext


@dataclass(frozen=True, slots=True)
class ScopeView:
    """A layer that an assembly can be made for."""

    label: str
    key: object | None
    """None for the global layer."""
    parent_label: str | None
    """The layer around it; None for the global one."""
    agent: AgentEntry | None = None


@dataclass(frozen=True, slots=True)
class LoadedPlugin:
    """A plugin of the composition and its fiber."""

    planned: PlannedPlugin
    fiber: Fiber


class CompositionPlugin:
    """One composition, ready to be loaded with `ctx.plugin`."""

    inject = ("system_prompt", "tools")
    owner_kind = "deployment"

    def __init__(self, plan: Plan, settle_seconds: float) -> None:
        self.name = plan.composition.path.name
        self.plan = plan
        self.scopes = tuple(_scope_views(plan.composition.entries))
        self.problems: tuple[LoadProblem, ...] = ()
        """What the registry refused, in the present activation."""
        self.plugins: tuple[LoadedPlugin, ...] = ()
        self._settle_seconds = settle_seconds

    async def apply(self, ctx: Context) -> None:
        """Register everything; a refused contribution is noted and stops no other one."""
        refused: list[LoadProblem] = []
        self.plugins = ()
        contexts = self._scope_contexts(ctx)
        registration = _Registration(self.plan, contexts, refused)
        registration.register_all()
        self.plugins = tuple(
            LoadedPlugin(planned, contexts[planned.entry.scope].plugin(planned.code, planned.entry.config))
            for planned in self.plan.plugins
        )
        if self.plan.composition.entries.restrictions:
            # A restriction names tools, so it comes when their plugins have had their time.
            await settled(lambda: (loaded.fiber for loaded in self.plugins), self._settle_seconds)
            registration.register_restrictions()
        self.problems = tuple(refused)

    def _scope_contexts(self, ctx: Context) -> dict[str | None, Context]:
        """By label; the global layer is None."""
        keys = {view.label: view.key for view in self.scopes}
        contexts: dict[str | None, Context] = {None: ctx}
        for view in self.scopes:
            if view.key is not None:
                parent = None if view.parent_label is None else keys[view.parent_label]
                contexts[view.label] = create_scope(ctx, view.key, parent).ctx
        return contexts


class _Registration:
    """Registers the entries that need no code."""

    def __init__(self, plan: Plan, contexts: dict[str | None, Context], refused: list[LoadProblem]) -> None:
        self.entries = plan.composition.entries
        self.document = plan.composition.document
        self.contexts = contexts
        self.refused = refused

    def register_all(self) -> None:
        """Sections, contexts, variables and tools, in the order of the file."""
        prompts = {label: ctx.system_prompt for label, ctx in self.contexts.items()}
        for agent in self.entries.agents:
            if agent.persona is not None:
                prompt, persona = prompts[agent.name], agent.persona
                order = prompt.get_section_order("DEPLOYMENT_PERSONA")
                with self._noting((*agent.at, "persona")):
                    prompt.section("deployment:persona", order, persona.value, source=persona.source)
        for section in self.entries.sections:
            prompt = prompts[section.scope]
            with self._noting((*section.at, "name")):
                prompt.section(
                    section.name,
                    _order(section.order, prompt.get_section_order),
                    section.text.value,
                    complete=section.complete,
                    literal=section.literal,
                    source=section.text.source,
                )
        for context in self.entries.contexts:
            prompt = prompts[context.scope]
            with self._noting((*context.at, "name")):
                prompt.context(
                    context.name,
                    _order(context.order, prompt.get_context_order),
                    context.text.value,
                    literal=context.literal,
                    source=context.text.source,
                )
        for variable in self.entries.variables:
            with self._noting((*variable.at, "name")):
                source = variable.value.source if variable.value else self._source(variable.at)
                prompts[variable.scope].variable(variable.name, _constant(variable.value), source=source)
        for tool in self.entries.tools:
            with self._noting((*tool.at, "name")):
                schema = ToolSchema(tool.name, tool.description.value, _parameters(tool))
                self.contexts[tool.scope].tools.register(schema, source=tool.description.source)

    def register_restrictions(self) -> None:
        """What each scope may see of the tools that it inherits."""
        for restriction in self.entries.restrictions:
            with self._noting(restriction.at):
                tools = self.contexts[restriction.scope].tools
                tools.restrict(allow=_listed(restriction.allow), deny=_listed(restriction.deny))

    @contextmanager
    def _noting(self, path: Path) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            offset = self.document.offset(path)
            self.refused.append(self.document.problem(offset, path, str(error) or type(error).__name__))

    def _source(self, path: Path) -> TextSource:
        line, column = self.document.place(self.document.offset(path))
        return TextSource(self.document.file, line, column, None)


def _scope_views(entries: CompositionEntries) -> Iterator[ScopeView]:
    """The global layer, then every scope and agent, each followed by those inside it."""
    yield ScopeView(GLOBAL_LABEL, None, None)
    yield from _views_inside(entries, None)


def _views_inside(entries: CompositionEntries, scope: str | None) -> Iterator[ScopeView]:
    parent = GLOBAL_LABEL if scope is None else scope
    for entry in entries.every_scope:
        if entry.scope != scope:
            continue
        if isinstance(entry, AgentEntry):
            key = StandInAgent(entry.name, entry.model, entry.provider, entry.cwd, entry.parent)
            yield ScopeView(entry.name, key, parent, entry)
        else:
            yield ScopeView(entry.name, NamedScope(entry.name), parent)
        yield from _views_inside(entries, entry.name)


def _order(order: float | str, lookup: Callable[[str], int]) -> float:
    return lookup(order) if isinstance(order, str) else order


def _constant(value: Text | None) -> Callable[[AssembleContext], str | None]:
    text = None if value is None else value.value
    return lambda _: text


def _parameters(tool: ToolEntry) -> dict[str, Any]:
    return {"type": "object", "properties": {}} if tool.parameters is None else tool.parameters


def _listed(names: tuple[str, ...] | None) -> list[str] | None:
    return None if names is None else list(names)
